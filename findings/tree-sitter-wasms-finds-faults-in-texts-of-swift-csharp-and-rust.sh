#!/usr/bin/env bash
# The compiled grammars of tree-sitter-wasms 0.1.13, which highlighters and checkers of code samples load, find a syntax error in texts
# that the languages have had for years, so "the tree has an error" does not mean that a sample is wrong. Texts of one line are
# read; seen with web-tree-sitter 0.25.10:
#   swift    #"b"#                      ok
#   swift    #"""⏎b⏎"""#                ERROR   (Swift 5.0, 2019: raw string literals of several lines)
#   c_sharp  @"b"                       ok
#   c_sharp  """b"""                    ERROR   (C# 11, 2022: raw string literals)
#   rust     r#"b"#                     ok
#   rust     c"b"                       ERROR   (Rust 1.77, 2024: C string literals)
# The grammar of C# by itself (tree-sitter-c-sharp 0.23.5) reads both forms.
# Needs node, npm and a registry. Exits with 1 if that is no longer so.
set -euo pipefail

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-fund --no-audit --ignore-scripts \
    tree-sitter-wasms@0.1.13 tree-sitter-c-sharp@0.23.5 web-tree-sitter@0.25.10 > /dev/null
cat > read.mjs <<'JS'
import { Language, Parser } from "web-tree-sitter";

await Parser.init();
const all = (name) => `node_modules/tree-sitter-wasms/out/tree-sitter-${name}.wasm`;
for (const [name, grammar, texts] of [
    ["swift", all("swift"), ['let a = #"b"#\n', 'let a = #"""\nb\n"""#\n']],
    ["c_sharp", all("c_sharp"), ['var a = @"b";\n', 'var a = """b""";\n']],
    ["rust", all("rust"), ['fn f() { let a = r#"b"#; }\n', 'fn f() { let a = c"b"; }\n']],
    ["c_sharp alone", "node_modules/tree-sitter-c-sharp/tree-sitter-c_sharp.wasm", ['var a = @"b";\n', 'var a = """b""";\n']],
]) {
    const parser = new Parser();
    parser.setLanguage(await Language.load(grammar));
    for (const text of texts) console.log(name, JSON.stringify(text), parser.parse(text).rootNode.hasError ? "ERROR" : "ok");
}
JS
seen="$(node read.mjs)"
echo "$seen"
expected='swift "let a = #\"b\"#\n" ok
swift "let a = #\"\"\"\nb\n\"\"\"#\n" ERROR
c_sharp "var a = @\"b\";\n" ok
c_sharp "var a = \"\"\"b\"\"\";\n" ERROR
rust "fn f() { let a = r#\"b\"#; }\n" ok
rust "fn f() { let a = c\"b\"; }\n" ERROR
c_sharp alone "var a = @\"b\";\n" ok
c_sharp alone "var a = \"\"\"b\"\"\";\n" ok'
[ "$seen" = "$expected" ] || { echo "this has changed; it was:"; echo "$expected"; exit 1; }
