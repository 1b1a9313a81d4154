// The packages of npm as somebody installs them: assembled, packed, installed without a network, run. No browser is
// needed.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const assemble = fileURLToPath(new URL("../../src/packaging/npm/assemble.mjs", import.meta.url));
const version = "1.2.3";
// Node of another C library would ask for another package.
const own = `${process.platform}-${process.arch}`;

// Stands in for the program, which is too large to be packed for each test.
const stub = `#!/bin/sh
case "$1" in
--version) echo "quire ${version}" ;;
exit) exit "$2" ;;
say) shift; printf '%s|' "$@"; cat ;;
wait) trap 'echo ended; exit 7' TERM; echo ready; n=0; while [ $n -lt 1000 ]; do sleep 0.05; n=$((n + 1)); done ;;
die) kill -KILL $$ ;;
esac
`;

let folder;
let project;

const npm = (args, cwd) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const quire = (...args) => spawnSync(join(project, "node_modules/.bin/quire"), args, { encoding: "utf8", input: "in" });
const manifest = (name) => JSON.parse(readFileSync(join(folder, "out", name, "package.json"), "utf8"));

before(() => {
  folder = mkdtempSync(join(tmpdir(), "quire-npm-"));
  project = join(folder, "project");
  for (const name of [own, "darwin-arm64"]) {
    mkdirSync(join(folder, "binaries", name), { recursive: true });
    writeFileSync(join(folder, "binaries", name, "quire"), stub);
  }
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "private": true }\n');
  const out = execFileSync(process.execPath, [assemble, version, join(folder, "binaries"), join(folder, "out")]);
  const packages = String(out).trim().split("\n");
  const packed = packages.map((path) => npm(["pack", "--silent", "--pack-destination", folder], path).trim());
  // The package of another platform is refused by its name, and left out as an optional dependency.
  const wanted = packed.filter((name) => name.includes("-cli-") || name.includes(own));
  npm(["install", "--offline", "--no-audit", "--no-fund", ...wanted.map((name) => join(folder, name))], project);
});

after(() => rmSync(folder, { recursive: true, force: true }));

test("the command runs the program of the platform", () => {
  const { status, stdout } = spawnSync("npx", ["quire", "--version"], { cwd: project, encoding: "utf8" });
  assert.deepEqual([status, stdout], [0, `quire ${version}\n`]);
});

test("arguments, standard input and exit code go through", () => {
  assert.equal(quire("say", "a b", "--c=*", "").stdout, "a b|--c=*||in");
  for (const code of [0, 1, 2, 42]) assert.equal(quire("exit", `${code}`).status, code);
});

test("a signal reaches the program, whose exit code is that of the command", async () => {
  const command = spawn(join(project, "node_modules/.bin/quire"), ["wait"], { stdio: ["ignore", "pipe", "inherit"] });
  const [ready] = await once(command.stdout, "data");
  assert.equal(`${ready}`, "ready\n");
  let rest = "";
  command.stdout.on("data", (text) => {
    rest += text;
  });
  command.kill("SIGTERM");
  const [code, signal] = await once(command, "close");
  assert.deepEqual([code, signal, rest], [7, null, "ended\n"]);
});

test("a program that a signal ends ends the command by the same", () => assert.equal(quire("die").signal, "SIGKILL"));

test("a missing package is named, with what installs it", () => {
  rmSync(join(project, "node_modules/@quire-docs", own), { recursive: true });
  const { status, stdout, stderr } = quire("--version");
  assert.deepEqual([status, stdout], [2, ""]);
  assert.match(stderr, new RegExp(`the package @quire-docs/${own} is not installed`));
  assert.match(stderr, new RegExp(`npm install --include=optional @quire-docs/cli@${version}`));
});

test("a platform without a program is told which have one", () => {
  const path = join(project, "node_modules/@quire-docs/cli/package.json");
  const known = JSON.parse(readFileSync(path, "utf8"));
  known.optionalDependencies = { "@quire-docs/darwin-arm64": version };
  writeFileSync(path, JSON.stringify(known));
  const { status, stderr } = quire("--version");
  assert.equal(status, 2);
  assert.match(stderr, new RegExp(`no program for ${own}, only for darwin-arm64`));
});

test("packages name their platform, their version and their licenses, and run nothing when they are installed", () => {
  for (const name of ["cli", own, "darwin-arm64"]) {
    const { license, scripts, version: named } = manifest(name);
    assert.deepEqual([license, scripts, named], ["Apache-2.0 OR MIT", undefined, version], name);
    for (const file of ["LICENSE-APACHE", "LICENSE-MIT", "README.md"]) statSync(join(folder, "out", name, file));
  }
  const { os, cpu, libc } = manifest("darwin-arm64");
  assert.deepEqual([os, cpu, libc], [["darwin"], ["arm64"], undefined]);
  const needed = { "@quire-docs/darwin-arm64": version, [`@quire-docs/${own}`]: version };
  assert.deepEqual(manifest("cli").optionalDependencies, needed);
});

test("without a program nothing is assembled", () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  const { status, stderr } = spawnSync(process.execPath, [assemble, version, empty, join(folder, "none")], {
    encoding: "utf8",
  });
  assert.notEqual(status, 0);
  assert.match(stderr, /no folder of a platform: linux-x64/);
  assert.equal(spawnSync(process.execPath, [assemble, "latest", empty, "out"]).status, 2);
});
