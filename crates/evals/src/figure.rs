//! Figures: measured, compared, printed as one JSON line each.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};

/// One line in the making.
pub(crate) struct Figure(Map<String, Value>);

impl Figure {
    pub(crate) fn named(name: &str) -> Self {
        Self(Map::new()).with("figure", name)
    }

    /// Of one store.
    pub(crate) fn new(name: &str, store: &str) -> Self {
        Self::named(name).with("store", store)
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// A measured number, to three digits that mean something.
    pub(crate) fn number(self, name: &str, value: f64) -> Self {
        self.with(name, rounded(value))
    }

    #[expect(clippy::print_stdout, reason = "the lines are what a benchmark is for")]
    pub(crate) fn print(self) {
        println!("{}", Value::Object(self.0));
    }
}

fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = 3 - value.abs().log10().floor() as i32 - 1;
    let scale = 10_f64.powi(digits.max(0));
    (value * scale).round() / scale
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

pub(crate) fn rate(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}

pub(crate) fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

pub(crate) async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let begun = Instant::now();
    let value = work.await;
    (value, begun.elapsed())
}

/// This process's resident memory in KiB; 0 where the system does not tell.
pub(crate) fn resident_kib() -> u64 {
    told("/proc/self/status", "VmRSS:")
}

/// Another process's resident memory in KiB; 0 where the system does not tell.
pub(crate) fn resident_kib_of(process: u32) -> u64 {
    told(&format!("/proc/{process}/status"), "VmRSS:")
}

/// The most that this process has held, in KiB; 0 where the system does not tell.
pub(crate) fn peak_kib() -> u64 {
    told("/proc/self/status", "VmHWM:")
}

/// The most that another process has held so far, in KiB; 0 where the system does not tell.
pub(crate) fn peak_kib_of(process: u32) -> u64 {
    told(&format!("/proc/{process}/status"), "VmHWM:")
}

/// The time on processors that another process has used, in milliseconds; 0 where the system does not tell.
pub(crate) fn cpu_ms_of(process: u32) -> f64 {
    // Linux counts in hundredths of a second.
    const TICK_MS: f64 = 10.0;
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in brackets, may hold blanks. User and system time are the twelfth and thirteenth field behind it.
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let times = fields.split_whitespace().skip(11).take(2);
    let ticks: f64 = times.filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    ticks * TICK_MS
}

/// What this process has sent to disks, in bytes; 0 where the system does not tell.
pub(crate) fn bytes_written() -> u64 {
    told("/proc/self/io", "write_bytes:")
}

fn told(file: &str, name: &str) -> u64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}
