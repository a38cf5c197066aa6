use super::*;

const TABLES: &str = include_str!("tables.txt");

/// A row of the published tables.
struct TableRow {
    table: &'static str,
    judgement: Judgement,
    /// Whether participants or carers may have known the assignment.
    aware: bool,
    /// Questions and the answers that the row covers.
    wanted: Vec<(&'static str, Vec<SignalAnswer>)>,
}

impl TableRow {
    fn parse(line: &'static str) -> Self {
        let (table, rest) = line.split_once(' ').unwrap();
        let says = |one: &Judgement| rest.trim_start().starts_with(one.word());
        let judgement = Judgement::ALL.into_iter().find(says).unwrap();
        let rest = rest.trim_start().strip_prefix(judgement.word()).unwrap();
        let words: Vec<&str> = rest
            .split_whitespace()
            .filter(|word| *word != "aware")
            .collect();
        let wanted = words.chunks(2).map(|pair| {
            let [id, set] = pair else { panic!("{line}") };
            (*id, set.split(',').flat_map(covered).collect())
        });
        Self {
            table,
            judgement,
            aware: rest.contains("aware"),
            wanted: wanted.collect(),
        }
    }

    fn covers(&self, answers: &Answers) -> bool {
        let no = |id| matches!(answers.get(id), SignalAnswer::No | SignalAnswer::ProbablyNo);
        let aware = !(no("2.1") && no("2.2"));
        let holds = |(id, set): &(&str, Vec<SignalAnswer>)| set.contains(&answers.get(id));
        (!self.aware || aware) && self.wanted.iter().all(holds)
    }
}

fn covered(word: &str) -> Vec<SignalAnswer> {
    match word {
        "Y" => vec![SignalAnswer::Yes, SignalAnswer::ProbablyYes],
        "N" => vec![SignalAnswer::No, SignalAnswer::ProbablyNo],
        "NI" => vec![SignalAnswer::NoInformation],
        "NA" => vec![SignalAnswer::NotApplicable],
        other => panic!("{other} is no set of answers"),
    }
}

fn rows(table: &str) -> Vec<TableRow> {
    let lines = TABLES
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let rows = lines.map(TableRow::parse);
    rows.filter(|row| row.table == table).collect()
}

/// The judgement of the one row that covers the answers.
fn published(table: &[TableRow], answers: &Answers, met: &mut [bool]) -> Judgement {
    let covering: Vec<usize> = (0..table.len())
        .filter(|at| table[*at].covers(answers))
        .collect();
    let [only] = covering[..] else {
        panic!("{} rows cover {answers:?}", covering.len());
    };
    met[only] = true;
    table[only].judgement
}

/// Every combination of the answers that the questions take.
fn combinations(asked: &[SignallingQuestion]) -> Vec<Answers> {
    let mut all = vec![Answers::default()];
    for question in asked {
        let with_each = |before: &Answers| {
            let answered = question.options.iter().map(|answer| {
                let mut answers = before.clone();
                answers.set(question.id, *answer);
                answers
            });
            answered.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with_each).collect();
    }
    all
}

fn held_against(domain: Domain, effect: Effect, tables: &[&str]) -> usize {
    let tables: Vec<Vec<TableRow>> = tables.iter().map(|table| rows(table)).collect();
    let mut met: Vec<Vec<bool>> = tables.iter().map(|rows| vec![false; rows.len()]).collect();
    let all = combinations(questions(domain, effect));
    for answers in &all {
        let parts = tables.iter().zip(&mut met);
        let judgement = parts.map(|(rows, met)| published(rows, answers, met)).max();
        let judged = judge(domain, effect, answers);
        assert_eq!(
            Some(judged.judgement),
            judgement,
            "{domain} {effect} {answers:?}"
        );
        assert_eq!(judged.path.rules.len(), tables.len(), "one rule a part");
        for (id, answer) in &judged.path.answers {
            assert_eq!(
                *answer,
                answers.get(id),
                "the path tells the answers that decided"
            );
        }
    }
    assert!(
        met.iter().flatten().all(|met| *met),
        "every published row is reached"
    );
    all.len()
}

#[test]
fn every_combination_of_answers_gives_the_judgement_of_its_published_row() {
    let counts = [
        held_against(Domain::D1, Effect::Assignment, &["D1"]),
        held_against(Domain::D2, Effect::Assignment, &["D2a", "D2b"]),
        held_against(Domain::D2, Effect::Adherence, &["D2p"]),
        held_against(Domain::D3, Effect::Assignment, &["D3"]),
        held_against(Domain::D4, Effect::Assignment, &["D4"]),
        held_against(Domain::D5, Effect::Assignment, &["D5"]),
    ];
    assert_eq!(counts, [125, 162_000, 32_400, 900, 5_400, 125]);
}

#[test]
fn only_the_answers_of_questions_that_were_asked_can_decide() {
    for effect in [Effect::Assignment, Effect::Adherence] {
        for domain in Domain::ALL {
            let asked = questions(domain, effect);
            for answers in combinations(asked) {
                let consistent = asked.iter().all(|question| {
                    let closed = answers.get(question.id) == SignalAnswer::NotApplicable;
                    let may_be_closed = question.opening == Opening::Always && closed;
                    may_be_closed || question.is_open(&answers) != closed
                });
                if !consistent {
                    continue;
                }
                for (id, _) in judge(domain, effect, &answers).path.answers {
                    let read = question(&id, effect).unwrap();
                    assert!(read.is_open(&answers), "{id} decided unasked: {answers:?}");
                }
            }
        }
    }
}

#[test]
fn the_bank_has_the_published_ids() {
    let ids = |effect| -> Vec<&str> {
        let all = Domain::ALL.into_iter();
        all.flat_map(|domain| questions(domain, effect))
            .map(|one| one.id)
            .collect()
    };
    assert_eq!(ids(Effect::Assignment).len(), 22);
    assert_eq!(ids(Effect::Adherence).len(), 21);
    for effect in [Effect::Assignment, Effect::Adherence] {
        assert!(
            ids(effect).is_sorted_by(|a, b| a < b),
            "in order, each once"
        );
        for domain in Domain::ALL {
            for one in questions(domain, effect) {
                assert!(one.id.starts_with(&domain.code()[1..]));
                assert_eq!(question(one.id, effect), Some(one));
            }
        }
    }
}

#[test]
fn the_worst_domain_decides_unless_the_strict_rule_is_set() {
    use Judgement::{High, Low, SomeConcerns};
    let judged = |domains: &[Judgement], rule| overall(domains, rule).judgement;
    for rule in [OverallRule::Published, OverallRule::Strict] {
        assert_eq!(judged(&[Low; 5], rule), Low);
        assert_eq!(
            judged(&[Low, SomeConcerns, Low, Low, Low], rule),
            SomeConcerns
        );
        assert_eq!(judged(&[Low, High, Low, Low, SomeConcerns], rule), High);
    }
    for many in 4..=5 {
        let mut domains = [Low; 5];
        domains[..many].fill(SomeConcerns);
        assert_eq!(judged(&domains, OverallRule::Published), SomeConcerns);
        assert_eq!(judged(&domains, OverallRule::Strict), High);
    }
    let three = [SomeConcerns, SomeConcerns, SomeConcerns, Low, Low];
    assert_eq!(judged(&three, OverallRule::Strict), SomeConcerns);
}
