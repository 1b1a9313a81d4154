// Tells which formulas of formulas.txt KaTeX draws: formulas.tsv.
//
//     npm ci && node formulas.mjs > formulas.tsv
//
// A line of formulas.txt: a formula, or `#`, a space and the name of a group. A line of formulas.tsv: `drawn`, or
// `refused` and why, then the formula. tests/queries/formulas.rs reads the list.

import fs from "node:fs";
import katex from "katex";

for (const formula of fs.readFileSync("formulas.txt", "utf8").trimEnd().split("\n")) {
  if (formula.startsWith("# ")) continue;
  // As pages have them: in a block, with what a document would be warned of.
  const options = { displayMode: true, throwOnError: true, strict: "ignore", trust: false };
  let verdict = "drawn\t";
  try {
    katex.renderToString(formula, options);
  } catch (error) {
    verdict = `refused\t${error.message.replace(/^KaTeX parse error: /, "").split(/ at position|: \u0332|\n/)[0]}`;
  }
  console.log(`${verdict}\t${formula}`);
}
