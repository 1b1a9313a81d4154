// Measures what a question that is typed key by key reads in an export, beside Pagefind over the same pages: requests,
// and bytes as they go over the wire (gzip), from an empty cache for each question, scripts of the search included.
//
//     node typed.mjs SITE QUESTIONS [PROGRAM…]
//
// SITE is a folder with a site; of QUESTIONS, a table of the corpus, those are taken that somebody types (at most sixty
// letters), every so many until there are twenty. Each PROGRAM builds the site (else target/debug/quire does). Every
// wait has an end: a question that is not answered by then is said. Needs `npm ci` here and in `tests/browser`, and
// Chromium.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

import { program, startBrowser } from "../../tests/browser/support.mjs";

const [site, table, ...programs] = process.argv.slice(2);
/**
 * How long between two keys, how long nothing is read until a question is answered, and the end of all waits, in
 * milliseconds.
 */
const [KEY, QUIET, MOST] = [120, 1500, 30_000];
/** The most letters of a question. */
const LETTERS = 60;

const rows = readFileSync(table, "utf8").split("\n").slice(1).filter(Boolean);
const asked = [...new Set(rows.map((row) => row.split("\t")[2]))].filter((text) => text.length <= LETTERS);
const questions = Array.from(
  { length: Math.min(20, asked.length) },
  (_, i) => asked[Math.floor((i * asked.length) / 20)],
);

const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves a folder, packed as far as it gets smaller by that. */
const served = async (folder, pages = {}) => {
  const known = new Map();
  const server = createServer((request, reply) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://a").pathname));
    try {
      let file = join(folder, path);
      if (!pages[path] && statSync(file).isDirectory()) file = join(file, "index.html");
      const type = types[pages[path] ? ".html" : extname(file)] ?? "application/octet-stream";
      if (!known.has(path)) {
        const bytes = pages[path] ? Buffer.from(pages[path]) : readFileSync(file);
        const packed = gzipSync(bytes, { level: 9 });
        known.set(path, packed.length < bytes.length ? [packed, { "content-encoding": "gzip" }] : [bytes, {}]);
      }
      const [body, headers] = known.get(path);
      reply.writeHead(200, { "content-type": type, "content-length": body.length, ...headers }).end(body);
    } catch {
      reply.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, stop };
};

const browser = await startBrowser();

/** Types every question after `open`, which returns the field; what was read since it was called. */
const typed = async (address, open) => {
  const read = [];
  for (const question of questions) {
    const context = await browser.newContext();
    context.setDefaultTimeout(MOST);
    const page = await context.newPage();
    await page.goto(address, { waitUntil: "networkidle" });
    let last = Date.now();
    const finished = [];
    page.on("requestfinished", (request) => {
      last = Date.now();
      // What ends after the page is not read by it.
      finished.push(
        request.sizes().then(
          ({ responseBodySize }) => responseBodySize,
          () => 0,
        ),
      );
    });
    const field = await open(page);
    await field.pressSequentially(question, { delay: KEY });
    const end = Date.now() + MOST;
    for (last = Date.now(); Date.now() - last < QUIET && Date.now() < end; ) await page.waitForTimeout(100);
    if (Date.now() >= end) console.log(`still reading after ${MOST} ms: ${question}`);
    const sizes = await Promise.all(finished);
    read.push({ question, count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) });
    await context.close();
  }
  return read;
};

const report = (name, read) => {
  const of = (key) => read.map((one) => one[key]).sort((a, b) => a - b);
  const middle = (all) => all[Math.floor(all.length / 2)];
  const mean = (all) => all.reduce((sum, one) => sum + one, 0) / all.length;
  const row = (key) => `median ${middle(of(key))}, mean ${mean(of(key)).toFixed(0)}, most ${of(key).at(-1)}`;
  console.log(`${name}: requests ${row("count")}; bytes ${row("bytes")}`);
};

const folders = [];
for (const built of programs.length ? programs : [program]) {
  const folder = mkdtempSync(join(tmpdir(), "quire-typed-"));
  folders.push(folder);
  execFileSync(built, ["build", site, "--out", folder, "--allow-errors"], { stdio: "ignore" });
  const server = await served(folder);
  const home = readdirSync(folder, { recursive: true }).find(
    (file) => file.endsWith("/index.html") && readFileSync(join(folder, file), "utf8").includes("data-search-open"),
  );
  const open = async (page) => {
    await page.locator("[data-search-open]").first().click();
    await page.locator(".search-field").waitFor();
    return page.locator(".search-field");
  };
  report(built, await typed(`${server.origin}/${home}`, open));
  server.stop();
}

const [folder] = folders;
execFileSync(join(import.meta.dirname, "node_modules/.bin/pagefind"), ["--site", folder, "--root-selector", "main"], {
  stdio: "ignore",
  timeout: 300_000,
});
const shell =
  '<!doctype html><html lang="en"><title>Pagefind</title><div id="search"></div><script>addEventListener("begin", () => { const link = document.createElement("link"); link.rel = "stylesheet"; link.href = "/pagefind/pagefind-ui.css"; const script = document.createElement("script"); script.src = "/pagefind/pagefind-ui.js"; script.onload = () => new PagefindUI({ element: "#search", showImages: false }); document.head.append(link, script); })</script></html>';
const server = await served(folder, { "/pagefind.html": shell });
const open = async (page) => {
  await page.evaluate(() => dispatchEvent(new Event("begin")));
  await page.locator(".pagefind-ui__search-input").waitFor();
  return page.locator(".pagefind-ui__search-input");
};
report("pagefind", await typed(`${server.origin}/pagefind.html`, open));
server.stop();
await browser.close();
for (const folder of folders) rmSync(folder, { recursive: true, force: true });
