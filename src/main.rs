//! Arguments in, exit code out.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    quire::memory::prepare();
    quire::cli::run()
}
