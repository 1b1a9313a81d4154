//! Standard error of commands that serve: a bounded queue and one writer thread.
//!
//! A terminal may be paused (Ctrl-S), and a pipe may have no reader; a write to either blocks. So
//! threads that serve requests never write themselves. Lines that do not fit the queue are dropped,
//! and their number is logged as soon as there is room again.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Maximum size of the queue, in bytes.
const MAX_WAITING: usize = 256 * 1024;

/// Maximum time that the end of a command waits until the queue is written.
const LAST_WORDS: Duration = Duration::from_millis(500);

static QUEUE: OnceLock<Queue> = OnceLock::new();

struct Queue {
    state: Mutex<State>,
    /// Notified when a line is added, and when everything is written.
    changed: Condvar,
    /// Logs the number of dropped lines.
    tell: fn(u64),
}

#[derive(Default)]
struct State {
    lines: VecDeque<Vec<u8>>,
    /// Size of `lines`, in bytes.
    bytes: usize,
    dropped: u64,
    is_writing: bool,
}

/// Standard error: through the queue once it exists, directly before that.
#[derive(Clone, Copy, Default)]
pub(super) struct Lines;

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match QUEUE.get() {
            Some(queue) => queue.push(bytes),
            // Nothing can be done if nobody listens.
            None => drop(io::stderr().write_all(bytes)),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Lets one thread write from now on, whatever panics say included. `tell` tells how many lines were dropped.
pub(super) fn start(tell: fn(u64)) {
    let queue = Queue {
        state: Mutex::default(),
        changed: Condvar::new(),
        tell,
    };
    if QUEUE.set(queue).is_err() {
        return;
    }
    // Of a thread that cannot be started nothing is written, and nobody waits.
    let _ = std::thread::Builder::new()
        .name("log".to_owned())
        .spawn(|| QUEUE.wait().write_all());
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("unnamed").to_owned();
        let backtrace = std::backtrace::Backtrace::capture();
        let backtrace = match backtrace.status() {
            std::backtrace::BacktraceStatus::Captured => format!("\n{backtrace}"),
            _ => String::new(),
        };
        let _ = writeln!(Lines, "thread '{name}' {panic}{backtrace}");
    }));
}

/// Waits until everything is written, but not longer than [`LAST_WORDS`].
pub(super) fn end() {
    let Some(queue) = QUEUE.get() else {
        return;
    };
    let is_busy = |state: &mut State| state.is_writing || !state.lines.is_empty();
    // Who does not read by then will not.
    let _ = queue
        .changed
        .wait_timeout_while(queue.lock(), LAST_WORDS, is_busy);
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, bytes: &[u8]) {
        let mut state = self.lock();
        // What is longer than the queue has room if it is alone.
        if state.bytes + bytes.len() > MAX_WAITING && !state.lines.is_empty() {
            state.dropped += 1;
            return;
        }
        state.bytes += bytes.len();
        state.lines.push_back(bytes.to_vec());
        drop(state);
        self.changed.notify_all();
    }

    fn write_all(&self) {
        loop {
            let mut state = self.lock();
            while state.lines.is_empty() {
                state.is_writing = false;
                self.changed.notify_all();
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            state.is_writing = true;
            let line = state.lines.pop_front().unwrap_or_default();
            state.bytes -= line.len();
            let has_room = state.bytes < MAX_WAITING / 2;
            let dropped = match has_room {
                true => std::mem::take(&mut state.dropped),
                false => 0,
            };
            drop(state);
            // A reader that is gone is none.
            let _ = io::stderr().write_all(&line);
            if dropped > 0 {
                (self.tell)(dropped);
            }
        }
    }
}
