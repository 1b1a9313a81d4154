// Says for how many questions the first five pages of an export are those of the service, asked by words:
//
//     node order.mjs SITE [QUESTIONS]
//
// SITE is a folder with a site; QUESTIONS, a table of the corpus, is asked besides those that are made by rule
// (`tests/browser/questions.mjs`). Needs a built program (QUIRE_BIN, else target/debug/quire).
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { firstFive, questionsOf, searcherOf, serviceOf } from "../../tests/browser/questions.mjs";
import { previewOf, program } from "../../tests/browser/support.mjs";

const [site, table] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "quire-order-"));
execFileSync(program, ["build", site, "--out", folder, "--allow-errors"], { stdio: "ignore" });
const search = await searcherOf(folder);
const preview = await previewOf(site);
const service = await serviceOf(preview);

const asked = questionsOf(folder, 100);
if (table) {
  const rows = readFileSync(table, "utf8").split("\n").slice(1).filter(Boolean);
  asked["judged questions"] = [...new Set(rows.map((row) => row.split("\t")[2]))];
}
let [all, same] = [0, 0];
for (const [rule, questions] of Object.entries(asked)) {
  let right = 0;
  for (const query of questions) {
    const [there, here] = [firstFive(await service({ query })), firstFive(await search({ query }))];
    if (String(there) === String(here)) right += 1;
    else console.log(`  ${JSON.stringify(query)}\n    service ${there.join(" ")}\n    export  ${here.join(" ")}`);
  }
  console.log(`${rule}: ${right} of ${questions.length}`);
  [all, same] = [all + questions.length, same + right];
}
console.log(`all: ${same} of ${all}`);
await preview.stop();
rmSync(folder, { recursive: true, force: true });
