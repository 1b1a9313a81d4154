//! What the machine has.

use std::sync::OnceLock;

/// How many threads run at once. Asked of the system once: the answer is read from files of its control groups.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(2, usize::from))
}
