//! The built program, run to its end.

use std::process::{Command, Output, Stdio};

use super::folder::Folder;

/// The program without a state folder, a log or colors of whoever runs the tests.
pub(crate) fn quire() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quire"));
    command
        .stdin(Stdio::null())
        .env_remove("QUIRE_LOG")
        .env("QUIRE_STATE", "off")
        .env_remove("NO_COLOR");
    command
}

/// Runs the program in `folder`: exit code, standard output, standard error.
#[track_caller]
pub(crate) fn run(arguments: &[&str], folder: &Folder) -> (i32, String, String) {
    let output = quire()
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .expect("it starts");
    shown(&output)
}

/// Exit code, standard output and standard error of a program that has ended.
#[track_caller]
pub(crate) fn shown(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let code = output.status.code().expect("it ended by itself");
    (code, text(&output.stdout), text(&output.stderr))
}
