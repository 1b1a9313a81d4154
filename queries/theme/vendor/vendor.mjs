// Writes the scripts beside this file from their npm packages:
//   npm install mermaid@11.17.2 preact@10.29.8 esbuild@0.28.2 terser@5.51.4
//   node vendor.mjs path/to/node_modules
// Mermaid is kept as gzip, which is how nearly every browser gets it. `islands.min.js` is `js/islands/islands.js` with
// the part of Preact that it uses.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import zlib from "node:zlib";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const packages = path.resolve(process.argv[2]);
const require = createRequire(path.join(packages, "x.js"));

if (fs.existsSync(path.join(packages, "mermaid"))) {
  const from = path.join(packages, "mermaid");
  const script = fs.readFileSync(path.join(from, "dist/mermaid.min.js"));
  fs.writeFileSync(path.join(here, "mermaid.min.js.gz"), zlib.gzipSync(script, { level: 9 }));
  fs.copyFileSync(path.join(from, "LICENSE"), path.join(here, "LICENSE-mermaid"));
}

const esbuild = require("esbuild");
const { minify } = require("terser");
for (const name of ["islands", "more"]) {
  const bundle = await esbuild.build({
    entryPoints: [path.join(here, `../js/islands/${name}.js`)],
    bundle: true,
    format: "esm",
    target: "es2021",
    write: false,
    nodePaths: [packages],
    legalComments: "none",
  });
  const compress = { passes: 4, unsafe: true, pure_getters: true, ecma: 2020 };
  const { code } = await minify(bundle.outputFiles[0].text, { module: true, compress, mangle: true });
  const notice = name === "islands" ? "/*! Preact 10.29.8, (c) 2015-present Jason Miller, MIT */\n" : "";
  fs.writeFileSync(path.join(process.argv[3] ?? here, `${name}.min.js`), `${notice}${code}\n`);
}
fs.copyFileSync(path.join(packages, "preact/LICENSE"), path.join(process.argv[3] ?? here, "LICENSE-preact"));
