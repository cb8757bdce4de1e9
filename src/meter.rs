//! Every metric's name, unit and help in one place, and the functions that record them; and the clock that tells
//! what work costs.
//!
//! Must not know: who scrapes them.

use std::time::Duration;

use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};

const REQUESTS: &str = "crawler_requests_total";
const REQUEST_SECONDS: &str = "crawler_request_seconds";
const OUTCOMES: &str = "crawler_outcomes_total";
const POLLS: &str = "crawler_polls_total";
const COMMIT_SECONDS: &str = "crawler_commit_seconds";
const COMMIT_GROUP: &str = "crawler_commit_group_size";
const EXTRACT_SECONDS: &str = "crawler_extract_seconds";
const PENDING: &str = "crawler_entries_pending";
const LEASED: &str = "crawler_leases";
const STORE_BYTES: &str = "crawler_store_bytes";
const ARCHIVE_BYTES: &str = "crawler_archive_bytes";
const DISK_MISSING: &str = "crawler_disk_missing_bytes";
const SILENT: &str = "crawler_silent";

/// Registers units and help texts with the installed recorder.
pub fn describe() {
    describe_counter!(REQUESTS, "Requests sent, by kind and status class");
    describe_histogram!(REQUEST_SECONDS, metrics::Unit::Seconds, "From dial to last byte");
    describe_counter!(OUTCOMES, "Final outcomes of entries, by name");
    describe_counter!(POLLS, "Polls of feeds, by result");
    describe_histogram!(COMMIT_SECONDS, metrics::Unit::Seconds, "One group commit");
    describe_histogram!(COMMIT_GROUP, "Outcomes in one group commit");
    describe_histogram!(EXTRACT_SECONDS, metrics::Unit::Seconds, "Decode, extract and match");
    describe_gauge!(PENDING, "Entries waiting for their first or next attempt");
    describe_gauge!(LEASED, "Pace keys leased now");
    describe_gauge!(STORE_BYTES, metrics::Unit::Bytes, "Store size on disk");
    describe_gauge!(ARCHIVE_BYTES, metrics::Unit::Bytes, "Size of the raw pages kept");
    describe_gauge!(DISK_MISSING, metrics::Unit::Bytes, "To be freed before work goes on; else 0");
    describe_gauge!(SILENT, "Outlets and languages that bring clearly less than they used to");
}

/// CPU time of this thread so far: what a busy machine does not distort.
pub fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// One request that was sent. `kind` is a fixed word.
pub fn request(kind: &'static str, status: Option<u16>, millis: i64) {
    let class = match status {
        None => "error",
        Some(s) if s < 200 => "1xx",
        Some(s) if s < 300 => "2xx",
        Some(s) if s < 400 => "3xx",
        Some(s) if s < 500 => "4xx",
        Some(_) => "5xx",
    };
    counter!(REQUESTS, "kind" => kind, "status" => class).increment(1);
    histogram!(REQUEST_SECONDS, "kind" => kind).record(millis as f64 / 1000.0);
}

/// One group commit of `outcomes` outcomes.
pub fn commit(outcomes: usize, took: Duration) {
    histogram!(COMMIT_SECONDS).record(took.as_secs_f64());
    histogram!(COMMIT_GROUP).record(outcomes as f64);
}

/// One entry's final outcome.
pub fn outcome(name: &'static str) {
    counter!(OUTCOMES, "outcome" => name).increment(1);
}

/// One poll.
pub fn poll(succeeded: bool) {
    counter!(POLLS, "result" => if succeeded { "ok" } else { "failed" }).increment(1);
}

/// One page through decode, extract and match.
pub fn extract(took: Duration) {
    histogram!(EXTRACT_SECONDS).record(took.as_secs_f64());
}

/// The frontier now.
pub fn frontier(pending: u64, leased: u64) {
    gauge!(PENDING).set(pending as f64);
    gauge!(LEASED).set(leased as f64);
}

/// The archive now.
pub fn archive_bytes(bytes: u64) {
    gauge!(ARCHIVE_BYTES).set(bytes as f64);
}

/// How much of the disk is to be freed before anything new is requested.
pub fn disk_missing(bytes: u64) {
    gauge!(DISK_MISSING).set(bytes as f64);
}

/// How many outlets and languages have fallen silent.
pub fn silent(outlets: usize, languages: usize) {
    gauge!(SILENT, "source" => "outlet").set(outlets as f64);
    gauge!(SILENT, "source" => "language").set(languages as f64);
}

/// The store now.
pub fn store_bytes(bytes: u64) {
    gauge!(STORE_BYTES).set(bytes as f64);
}
