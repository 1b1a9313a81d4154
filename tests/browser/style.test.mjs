// All JavaScript of the project as Biome formats it, and without what it warns of (`.biome.jsonc`); no browser is
// needed. `npm run format` in this folder puts right what a program can.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { tokenizer } from "acorn";

import { read } from "./modules.mjs";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const biome = fileURLToPath(new URL("node_modules/@biomejs/biome/bin/biome", import.meta.url));
const columns = 120;

/** What Biome says of the scripts below `folder`, a line each; nothing if all is well. */
const saidOf = (folder) => {
  const given = [biome, "ci", "--error-on-warnings", "--max-diagnostics=200", "--reporter=github", "."];
  const { status, stdout, stderr } = spawnSync(process.execPath, given, { cwd: folder, encoding: "utf8" });
  const found = stdout.split("\n").filter((line) => line.startsWith("::"));
  assert.equal(status, found.length ? 1 : 0, stderr);
  return found.map((line) => line.replace(/^::\w+ title=([^,]*),file=([^,]*),line=(\d+).*?::/, "$2:$3: $1: "));
};

test("scripts are formatted, and nothing in them is warned of", () => assert.deepEqual(saidOf(repository), []));

test("the check sees what is wrong", () => {
  const folder = mkdtempSync(join(tmpdir(), "quire-style-"));
  copyFileSync(join(repository, ".biome.jsonc"), join(folder, ".biome.jsonc"));
  for (const [text, ...rules] of [
    ["export const a = 1;\n"],
    ["export const a = 1\n", "format"],
    ["const a = 1;\n", "noUnusedVariables"],
    ["export const a = nowhere;\n", "noUndeclaredVariables"],
    ["export const a = (b, c) => {\n  while ((b = c)) c -= b;\n};\n", "noAssignInExpressions"],
    ["debugger;\n", "noDebugger"],
  ]) {
    writeFileSync(join(folder, "a.mjs"), text);
    const said = saidOf(folder).map((line) => line.split(": ")[1].split("/").at(-1));
    assert.deepEqual(said, rules, text);
  }
  rmSync(folder, { recursive: true });
});

test("notes are no wider than code", () => {
  const files = execFileSync("git", ["ls-files", "*.js", "*.mjs"], { cwd: repository, encoding: "utf8" });
  const wide = [];
  for (const file of files.trim().split("\n")) {
    const text = read(file);
    const lines = text.split("\n");
    const onComment = [];
    const options = { ecmaVersion: "latest", sourceType: "module", locations: true, allowHashBang: true, onComment };
    for (const _ of tokenizer(text, options));
    for (const { loc } of onComment) {
      for (let line = loc.start.line; line <= loc.end.line; line += 1) {
        if ([...lines[line - 1]].length > columns) wide.push(`${file}:${line}`);
      }
    }
  }
  assert.deepEqual(wide, []);
});
