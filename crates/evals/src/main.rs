//! `fathom-evals prove engine [--seed N] [--only T1,T3] [--quick]` and `fathom-evals bench engine`.

fn main() {}
