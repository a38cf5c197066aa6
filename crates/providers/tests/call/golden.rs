//! T16: every answer and every transport fault, for every kind of call, once and always. `faults.md` holds what must
//! come of it, for people to read; the faults are in `faults.http` and in `TRANSPORT`.

use std::fmt::Write as _;
use std::time::Duration;

use fathom_providers::Clock as _;
use fathom_providers::call::{
    AttemptError, CallContext, CallKind, CallSettings, ProviderName, TransportError,
};

use crate::bench::{self, Luck, Seen, VirtualClock};
use crate::table;

const TRANSPORT: [TransportError; 17] = [
    TransportError::Connect,
    TransportError::TlsTimeout,
    TransportError::TlsRefused,
    TransportError::DnsTemporary,
    TransportError::DnsUnknown,
    TransportError::Refused,
    TransportError::Reset,
    TransportError::FirstByte,
    TransportError::Idle,
    TransportError::Total,
    TransportError::Truncated,
    TransportError::Protocol,
    TransportError::TooManyRedirects,
    TransportError::TooLarge,
    TransportError::Decode,
    TransportError::Forbidden,
    TransportError::Robots,
];

const HEAD: &str = "\
# What comes of each fault

Each fault is met once, then all is well; or always. A cell says how the call ends, after how many attempts, and the
waits between them in seconds; `0-1` is any wait from 0 to 1, as chance has it. A failure is given as cause
(category, severity). The faults called by a number are spelt out in `faults.http`.

| fault | call | met once | met always |
|---|---|---|---|
";

#[tokio::test(start_paused = true)]
async fn each_fault_ends_as_the_golden_table_says() {
    let mut table = HEAD.to_owned();
    let mut cells = 0;
    for (name, fault) in faults() {
        for kind in [CallKind::Model, CallKind::Search, CallKind::Page] {
            let once = cell(kind, &fault, 1).await;
            let always = cell(kind, &fault, u32::MAX).await;
            let call = format!("{kind:?}").to_lowercase();
            writeln!(table, "| {name} | {call} | {once} | {always} |").unwrap();
            cells += 2;
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/call/faults.md");
    if std::env::var_os("FATHOM_WRITE_GOLDEN").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    let golden = std::fs::read_to_string(path).unwrap();
    for (line, (is, should)) in table.lines().zip(golden.lines()).enumerate() {
        assert_eq!(is, should, "line {} of faults.md", line + 1);
    }
    assert_eq!(
        table.lines().count(),
        golden.lines().count(),
        "lines of faults.md"
    );
    println!(
        "T16: {} faults, {cells} cells as the golden table says",
        cells / 6
    );
}

/// Every fault with its name: the answers of the file, then the transport's.
fn faults() -> Vec<(String, AttemptError)> {
    let answers = table::answers().map(|(name, answer)| (name, answer.into()));
    let transport = TRANSPORT.map(|fault| {
        let name = serde_json::to_value(fault).unwrap();
        (name.as_str().unwrap().replace('_', " "), fault.into())
    });
    let bug = ("our own bug".to_owned(), AttemptError::Bug);
    answers.chain(transport).chain([bug]).collect()
}

/// The end, attempts and waits of a call that meets the fault so many times, with least and most luck.
async fn cell(kind: CallKind, fault: &AttemptError, times: u32) -> String {
    let least = run(kind, fault, times, Luck::Least).await;
    let most = run(kind, fault, times, Luck::Most).await;
    table::cell(&least, &most)
}

async fn run(kind: CallKind, fault: &AttemptError, times: u32, luck: Luck) -> table::Told {
    let clock = VirtualClock::start();
    let caller = bench::caller(CallSettings::default(), &clock, luck);
    let seen = Seen::default();
    let context = CallContext {
        kind,
        deadline: Duration::from_secs(1_800),
        sink: &seen,
    };
    let operation = |attempt: fathom_providers::call::CallAttempt| async move {
        if attempt.number <= times {
            Err(fault.clone())
        } else {
            Ok(())
        }
    };
    let provider = ProviderName::new("provider");
    let result = caller.call(&provider, &context, operation).await;
    let told = table::told(&result, &seen.take());
    assert_eq!(
        told.waits_ms.iter().sum::<u64>(),
        clock.elapsed().as_millis() as u64,
        "it waits as long as it says, and no longer"
    );
    told
}
