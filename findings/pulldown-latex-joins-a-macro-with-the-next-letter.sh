#!/usr/bin/env bash
# pulldown-latex 0.8.0 (Rust, LaTeX to MathML) expands a macro as text, so a command at the end of its body is read together with
# the letter behind the call: `\def\a{\infty}\a x` is refused as an unknown command (`\inftyx`), and so is every alias of a symbol
# before a letter. TeX and KaTeX expand to tokens, and draw it. A blank at the end of the body, or something that is no letter
# behind the call, is enough. Seen with:
#   \def\a{\infty}\a x    parsing error: unknown primitive command found
#   \def\a{\infty}\a 1    2 events
#   \def\a{\infty }\a x   2 events
#   \infty x              2 events
# Needs cargo and a registry. Exits with 1 if that is no longer so.
set -euo pipefail

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat > Cargo.toml <<'TOML'
[package]
name = "seen"
version = "0.0.0"
edition = "2024"

[dependencies]
pulldown-latex = "=0.8.0"
TOML
cat > src/main.rs <<'RUST'
use pulldown_latex::{Parser, Storage};

fn main() {
    let storage = Storage::new();
    for source in [r"\def\a{\infty}\a x", r"\def\a{\infty}\a 1", r"\def\a{\infty }\a x", r"\infty x"] {
        let read: Result<Vec<_>, _> = Parser::new(source, &storage).collect();
        let seen = match read {
            Ok(events) => format!("{} events", events.len()),
            Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
        };
        println!("{source} => {seen}");
    }
}
RUST
cargo run --quiet > seen.txt
cat > expected.txt <<'TEXT'
\def\a{\infty}\a x => parsing error: unknown primitive command found
\def\a{\infty}\a 1 => 2 events
\def\a{\infty }\a x => 2 events
\infty x => 2 events
TEXT
diff expected.txt seen.txt
cat seen.txt
