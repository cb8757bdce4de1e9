//! Parse, log, run, exit code. Must not know: anything but `cli`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    crawler::cli::main()
}
