// Code samples in languages that few machines have are parsed by grammars of editors: for each case of
// `tests/wire/samples.json` and each value of a query in `values.json` there is nothing in them that the language does
// not know.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Language, Parser } from "web-tree-sitter";

import { moduleOf, samplesOf } from "./modules.mjs";

const module = await moduleOf("json", "request", "samples");
const { sampleOf } = module;
const { cases, values } = samplesOf(module);

const grammar = (name) => fileURLToPath(import.meta.resolve(name));
const grammars = {
  kotlin: "tree-sitter-wasms/out/tree-sitter-kotlin.wasm",
  csharp: "tree-sitter-c-sharp/tree-sitter-c_sharp.wasm",
  dart: "tree-sitter-wasms/out/tree-sitter-dart.wasm",
  rust: "tree-sitter-wasms/out/tree-sitter-rust.wasm",
  swift: "tree-sitter-wasms/out/tree-sitter-swift.wasm",
  powershell: "tree-sitter-powershell/tree-sitter-powershell.wasm",
};

// What is of a language, and unknown to its grammar: raw texts of several lines.
const known = { swift: (source) => source.replace(/#"""\n[^]*?\n"""#/g, '""') };

before(() => Parser.init());

/** The first line with something that the language does not know. */
const firstFault = (node, source) => {
  if (node.isError || node.isMissing)
    return `line ${node.startPosition.row + 1}: ${source.split("\n")[node.startPosition.row]}`;
  for (const child of node.children) {
    const fault = child.hasError || child.isMissing ? firstFault(child, source) : null;
    if (fault) return fault;
  }
  return node.hasError ? `line ${node.startPosition.row + 1}` : null;
};

for (const [id, name] of Object.entries(grammars)) {
  test(`samples in ${id} are of the language`, async (t) => {
    const parser = new Parser();
    parser.setLanguage(await Language.load(grammar(name)));
    // What the grammar finds no fault with proves nothing unless it finds some.
    assert.ok(parser.parse('(]] {{ "').rootNode.hasError);
    const wrong = [];
    for (const one of [...cases, ...values]) {
      const source = (known[id] ?? String)(sampleOf(id, one.request));
      const fault = firstFault(parser.parse(source).rootNode, source);
      if (fault) wrong.push(`${one.name}: ${fault}`);
    }
    t.diagnostic(`${id}: ${cases.length + values.length - wrong.length} of ${cases.length + values.length} parse`);
    assert.deepEqual(wrong, [], wrong.join("\n\n"));
  });
}
