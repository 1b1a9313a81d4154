//! Times as figures.

use std::time::Duration;

/// Median, 99th percentile and maximum, in milliseconds.
pub(crate) fn spread(times: &mut [Duration]) -> String {
    times.sort();
    let at = |share: f64| {
        times[((times.len() - 1) as f64 * share).round() as usize].as_secs_f64() * 1000.0
    };
    format!(
        "p50 {:.3} ms, p99 {:.3} ms, max {:.3} ms",
        at(0.5),
        at(0.99),
        at(1.0)
    )
}
