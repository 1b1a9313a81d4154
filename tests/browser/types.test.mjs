// The scripts of the theme by the compiler of TypeScript: names that are nowhere, arguments that a function does not
// take, values that nothing reads. Files that are served as one are checked as one (`queries/theme/src/assets.rs`);
// types are JSDoc, which the build leaves out.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

import ts from "typescript";

import { read } from "./modules.mjs";

const folder = "queries/theme/js";
const assets = read("queries/theme/src/assets.rs");
const filesIn = (text) => [...text.matchAll(/text!\("js\/([^"]+\.js)"\)/g)].map(([, file]) => file);

/** The files of each script, in order: those that are joined, and each other one by itself. */
const bundles = () => {
  const [common, ask, playground] = [
    /macro_rules! js \{[^]*?\n\}/,
    /const ASK: [^]*?\);/,
    /const PLAYGROUND: [^]*?\);/,
  ].map((part) => filesIn(assets.match(part)[0]));
  const joined = { quire: common, served: [...common, "ask/entry.js"], ask, playground };
  const known = new Set(Object.values(joined).flat());
  const files = readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: true });
  const single = files.filter((file) => file.endsWith(".js") && !known.has(file));
  return { ...joined, ...Object.fromEntries(single.map((file) => [file.replace(/\W/g, "-"), [file]])) };
};

const options = {
  allowJs: true,
  checkJs: true,
  noEmit: true,
  skipLibCheck: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noFallthroughCasesInSwitch: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
};

/** The faults of `sources`, by names of files. */
const faultsOf = (sources) => {
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => Object.hasOwn(sources, name) || fileExists(name);
  host.readFile = (name) => sources[name] ?? readFile(name);
  host.getSourceFile = (name, ...rest) =>
    Object.hasOwn(sources, name)
      ? ts.createSourceFile(name, sources[name], options.target, true)
      : getSourceFile(name, ...rest);
  return ts.getPreEmitDiagnostics(ts.createProgram(Object.keys(sources), options, host));
};

test("names, arguments and results of scripts fit", () => {
  const types = read("tests/browser/types.d.ts");
  const wrong = new Set();
  for (const [name, files] of Object.entries(bundles())) {
    const texts = files.map((file) => read(`${folder}/${file}`));
    for (const fault of faultsOf({ "types.d.ts": types, [`${name}.js`]: `${texts.join("")}export {};\n` })) {
      let line = fault.file ? fault.file.getLineAndCharacterOfPosition(fault.start).line : 0;
      let at = 0;
      for (; at < texts.length - 1 && line >= texts[at].split("\n").length - 1; at += 1)
        line -= texts[at].split("\n").length - 1;
      wrong.add(`${files[at]}:${line + 1}: ${ts.flattenDiagnosticMessageText(fault.messageText, "\n")}`);
    }
  }
  assert.deepEqual([...wrong], []);
});

test("the check sees what is wrong", () => {
  const types = read("tests/browser/types.d.ts");
  const messages = (text) => faultsOf({ "types.d.ts": types, "a.js": `${text}\nexport {};\n` }).map(({ code }) => code);
  assert.deepEqual(messages("const a = () => 1; a();"), []);
  assert.deepEqual(messages("const a = () => 1; a(2);"), [2554]);
  assert.deepEqual(messages("nowhere();"), [2304]);
  assert.deepEqual(messages("const a = 1;"), [6133]);
  assert.deepEqual(messages("quireSay(1, '');"), [2345]);
});
