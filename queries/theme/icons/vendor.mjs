// Writes the icon tables beside this file from three npm packages:
//   npm install lucide-static@1.62.0 @fortawesome/fontawesome-free@7.3.1 @tabler/icons@3.51.0
//   node vendor.mjs path/to/node_modules
// A line is `name TAB viewBox TAB inner SVG`; lines are sorted by name, and compressed in blocks of 32 KiB, of which
// each is a member of gzip: `zcat` shows a table. A line of the index is `offset TAB first name` of a block.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const modules = process.argv[2];
const here = path.dirname(fileURLToPath(import.meta.url));
const BLOCK = 32 * 1024;

function read(folder, clean) {
  const table = new Map();
  for (const file of fs.readdirSync(folder)) {
    if (!file.endsWith(".svg")) continue;
    const svg = fs.readFileSync(path.join(folder, file), "utf8").replace(/<!--.*?-->/gs, "");
    const box = /viewBox="([^"]*)"/.exec(svg)[1];
    const inner = /<svg[^>]*>(.*)<\/svg>/s.exec(svg)[1];
    table.set(file.slice(0, -4), [
      box,
      clean(inner)
        .replace(/\s*\n\s*/g, "")
        .replace(/ \/>/g, "/>"),
    ]);
  }
  return table;
}

function write(name, table) {
  const lines = [...table].map(([icon, [box, inner]]) => `${icon}\t${box}\t${inner}`);
  lines.sort((a, b) => (a.split("\t")[0] < b.split("\t")[0] ? -1 : 1));
  const index = [];
  const blocks = [];
  let offset = 0;
  while (lines.length) {
    const first = lines[0].split("\t")[0];
    let text = "";
    while (lines.length && text.length < BLOCK) text += `${lines.shift()}\n`;
    const block = gzipSync(text, { level: 9 });
    index.push(`${offset}\t${first}\n`);
    blocks.push(block);
    offset += block.length;
  }
  fs.writeFileSync(path.join(here, `${name}.tsv.gz`), Buffer.concat(blocks));
  fs.writeFileSync(path.join(here, `${name}.index`), index.join(""));
}

const plain = (inner) => inner.trim();
write("lucide", read(path.join(modules, "lucide-static/icons"), plain));

const tabler = (inner) => inner.replace(/<path stroke="none" d="M0 0h24v24H0z" fill="none" \/>/, "").trim();
write("tabler", read(path.join(modules, "@tabler/icons/icons/outline"), tabler));

const fa = path.join(modules, "@fortawesome/fontawesome-free");
for (const style of ["solid", "regular", "brands"]) {
  write(
    `fontawesome-${style}`,
    read(path.join(fa, "svgs", style), (inner) => inner.replace(/ fill="currentColor"/g, "").trim()),
  );
}
