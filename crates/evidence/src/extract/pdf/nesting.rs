//! Refuses a PDF whose objects are nested so deep that reading them would exhaust the stack.
//!
//! The library reads arrays and dictionaries by recursion without a bound, and an exhausted stack
//! cannot be caught. One pass over the bytes finds what is plainly nested. Nesting inside packed
//! streams is not seen here: for files of strangers, the child process is the safe border.

/// Real files nest less than a tenth of this.
const DEPTH_MAX: usize = 200;

pub(super) fn is_too_deep(bytes: &[u8]) -> bool {
    let mut depth = 0_usize;
    let mut rest = bytes;
    loop {
        rest = match rest {
            [] => return false,
            [b'<', b'<', after @ ..] | [b'[', after @ ..] => {
                depth += 1;
                after
            }
            [b'>', b'>', after @ ..] | [b']', after @ ..] => {
                depth = depth.saturating_sub(1);
                after
            }
            // Packed data holds such bytes everywhere, objects hold none: brackets among them are
            // chance. A new object begins at the top.
            [b'\x01'..=b'\x08' | b'\x0e'..=b'\x1f' | b'\x7f', after @ ..] => {
                depth = 0;
                after
            }
            [b'e', b'n', b'd', b'o', b'b', b'j', after @ ..] => {
                depth = 0;
                after
            }
            [_, after @ ..] => after,
        };
        if depth > DEPTH_MAX {
            return true;
        }
    }
}
