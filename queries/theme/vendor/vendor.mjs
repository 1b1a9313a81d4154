// Writes the script beside this file from its npm package:
//   npm install mermaid@11.17.2
//   node vendor.mjs path/to/node_modules
// It is kept as gzip, which is how nearly every browser gets it.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const from = path.join(process.argv[2], "mermaid");
const script = fs.readFileSync(path.join(from, "dist/mermaid.min.js"));
fs.writeFileSync(path.join(here, "mermaid.min.js.gz"), zlib.gzipSync(script, { level: 9 }));
fs.copyFileSync(path.join(from, "LICENSE"), path.join(here, "LICENSE-mermaid"));
