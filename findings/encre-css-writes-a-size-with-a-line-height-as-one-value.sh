#!/usr/bin/env bash
# encre-css 0.21.1 (Rust, "compatible with Tailwind CSS") knows a font size in brackets, and takes everything between the first and
# the last bracket of a class for it: `text-[14px]/[20px]`, a size with a line height in Tailwind since 3.2, becomes
#   font-size: 14px]/[20px;
# and `text-sm/6` nothing. The brackets are no pair, so a browser that reads the rule looks for the second one's end (CSS Syntax 3,
# 5.4.8): the closing brace and all rules behind it are part of the value, and one class costs the sheet. Tailwind 3.4.17 writes
# `font-size: 14px; line-height: 20px`.
# Needs cargo, npm and their registries. Exits with 1 if that is no longer so.
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
encre-css = "=0.21.1"
TOML
cat > src/main.rs <<'RUST'
use encre_css::{Config, Preflight, generate};

fn main() {
    let mut config = Config::default();
    config.preflight = Preflight::None;
    for class in ["text-[14px]/[20px]", "text-sm/6", "text-[14px]"] {
        println!("{class} => {}", generate([class], &config).split_whitespace().collect::<Vec<_>>().join(" "));
    }
}
RUST
cargo run --quiet > seen.txt
npm install --silent --no-save tailwindcss@3.4.17 postcss@8.5.6 > /dev/null 2>&1
cat > tailwind.cjs <<'JS'
const postcss = require("postcss");
const tailwind = require("tailwindcss");
const content = [{ raw: '<i class="text-[14px]/[20px]"></i>' }];
postcss([tailwind({ content })]).process("@tailwind utilities", { from: undefined }).then(({ css }) => console.log(`Tailwind => ${css.replace(/\s+/g, " ").trim()}`));
JS
node tailwind.cjs 2> /dev/null >> seen.txt
cat > expected.txt <<'TEXT'
text-[14px]/[20px] => .text-\[14px\]\/\[20px\] { font-size: 14px]/[20px; }
text-sm/6 => 
text-[14px] => .text-\[14px\] { font-size: 14px; }
Tailwind => .text-\[14px\]\/\[20px\] { font-size: 14px; line-height: 20px }
TEXT
diff expected.txt seen.txt
cat seen.txt
