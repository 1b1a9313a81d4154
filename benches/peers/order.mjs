// Says for how many questions the first five pages of an export are those of the service, asked by words:
//
//     node order.mjs SITE [QUESTIONS]
//
// SITE is a folder with a site; QUESTIONS, a table of the corpus, is asked besides those that are made by rule
// (`tests/browser/questions.mjs`). Needs a built program (QUIRE_BIN, else target/debug/quire).
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { questionsOf, searcherOf } from "../../tests/browser/questions.mjs";
import { program } from "../../tests/browser/support.mjs";

const [site, table] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "quire-order-"));
execFileSync(program, ["build", site, "--out", folder, "--allow-errors"], { stdio: "ignore" });
const search = await searcherOf(folder);
const child = spawn(program, ["dev", site, "--port", "0"], { stdio: ["ignore", "ignore", "pipe"] });
const ended = new Promise((resolve) => child.once("exit", resolve));
const origin = await new Promise((resolve, reject) => {
  createInterface({ input: child.stderr }).on("line", (line) => {
    const address = / at (http:\/\/[0-9.:]+) /.exec(line);
    if (address) resolve(address[1]);
  });
  ended.then((code) => reject(new Error(`quire dev ended with ${code}`)));
});
const [, address] = /name="quire-search" content="([^"]*)"/.exec(await (await fetch(origin)).text());
const service = async (question, isAgain = false) => {
  const body = JSON.stringify(question);
  try {
    return await (await fetch(origin + address, { method: "POST", headers: { "content-type": "application/json" }, body })).json();
  } catch (error) {
    // A connection that was kept open may be closed when it is used again.
    if (isAgain) throw error;
    return service(question, true);
  }
};
const first = ({ results }) => results.slice(0, 5).map(({ url }) => url);

const asked = questionsOf(folder, 100);
if (table) {
  const rows = readFileSync(table, "utf8").split("\n").slice(1).filter(Boolean);
  asked["judged questions"] = [...new Set(rows.map((row) => row.split("\t")[2]))];
}
let [all, same] = [0, 0];
for (const [rule, questions] of Object.entries(asked)) {
  let right = 0;
  for (const query of questions) {
    const [there, here] = [first(await service({ query })), first(await search({ query }))];
    if (String(there) === String(here)) right += 1;
    else console.log(`  ${JSON.stringify(query)}\n    service ${there.join(" ")}\n    export  ${here.join(" ")}`);
  }
  console.log(`${rule}: ${right} of ${questions.length}`);
  [all, same] = [all + questions.length, same + right];
}
console.log(`all: ${same} of ${all}`);
child.kill("SIGTERM");
await ended;
rmSync(folder, { recursive: true, force: true });
