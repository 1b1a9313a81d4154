//! The difference between the clock of this machine and that of a storage which several machines share.

use std::time::{Duration, SystemTime};

/// Difference up to which nothing is said. Stores refuse requests signed by a clock that is off by more than fifteen
/// minutes.
const TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// Says by how much the clock of this machine, which shows `own`, is off while that of the storage shows `theirs`;
/// `None` up to five minutes. `storage` is what the other clock is of, for the message.
pub fn told(own: SystemTime, theirs: SystemTime, storage: &str) -> Option<String> {
    let (difference, side) = match own.duration_since(theirs) {
        Ok(ahead) => (ahead, "ahead of"),
        Err(behind) => (behind.duration(), "behind"),
    };
    (difference > TOLERANCE).then(|| {
        format!(
            "the clock of this machine is {} {side} that of {storage}; synchronize it (NTP)",
            shown(difference)
        )
    })
}

/// The duration in the largest unit of which it has two.
fn shown(time: Duration) -> String {
    const MINUTE: u64 = 60;
    let units = [(24 * 60 * MINUTE, "days"), (60 * MINUTE, "hours")];
    let seconds = time.as_secs();
    let found = units.into_iter().find(|(length, _)| seconds >= 2 * length);
    let (length, name) = found.unwrap_or((MINUTE, "minutes"));
    format!("{} {name}", (seconds + length / 2) / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_off_is_told() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        let told = |own, theirs| told(own, theirs, "the store");
        assert_eq!(told(now, now), None);
        assert_eq!(told(now + TOLERANCE, now), None);
        assert_eq!(told(now, now + TOLERANCE), None);
        for (seconds, shown) in [
            (301, "5 minutes"),
            (3_570, "60 minutes"),
            (3_629, "60 minutes"),
            (7_200, "2 hours"),
            (172_799, "48 hours"),
            (172_800, "2 days"),
        ] {
            let off = Duration::from_secs(seconds);
            let ahead = format!(
                "the clock of this machine is {shown} ahead of that of the store; synchronize it (NTP)"
            );
            assert_eq!(told(now + off, now), Some(ahead.clone()));
            let behind = ahead.replace("ahead of", "behind");
            assert_eq!(told(now, now + off), Some(behind));
        }
    }
}
