// A preview of the built program on a copy of the demonstration site, and a browser to look at it with.
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const program = process.env.QUIRE_BIN || join(repository, "target/debug/quire");
const browserPath = process.env.CHROMIUM || "/usr/bin/chromium";

/** How long anything may take before a test gives up on it: far longer than it ever takes. */
export const patience = 30_000;

/**
 * Starts `quire dev` on the site in `folder`; resolves when it listens, at `origin` and, for its administrator, at
 * `admin`. `stop` ends it and gives its exit code.
 */
export async function previewOf(folder, ...options) {
  if (!existsSync(program)) throw new Error(`${program} is missing: run cargo build first`);
  const port = options.includes("--port") ? [] : ["--port", "0"];
  // Answers are as new as what was written, however slow the machine is.
  const patient = ["--search-deadline", "60000"];
  const all = ["dev", folder, ...port, ...patient, "--admin", "127.0.0.1:0", ...options];
  const child = spawn(program, all, { stdio: ["ignore", "ignore", "pipe"] });
  const lines = createInterface({ input: child.stderr });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const [origin, admin] = await new Promise((resolve, reject) => {
    let origin;
    lines.on("line", (line) => {
      origin ??= / at (http:\/\/[0-9.:]+) /.exec(line)?.[1];
      const admin = / say at (http:\/\/[0-9.:]+)$/.exec(line);
      if (admin) resolve([origin, admin[1]]);
    });
    child.once("error", reject);
    ended.then((code) => reject(new Error(`quire dev ended with ${code}`)));
  });
  const stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { origin, admin, folder, stop };
}

/**
 * Starts a daemon whose settings are `sites`, with its state in the folder `state`; `logged` holds the lines of its
 * log, all of them once `stop` has ended.
 */
export async function daemonOf(state, sites) {
  const config = join(state, "quire.toml");
  writeFileSync(
    config,
    `state = "${join(state, "state")}"\n[listen]\naddress = "127.0.0.1:0"\nadmin = "127.0.0.1:0"\n${sites}`,
  );
  const child = spawn(program, ["daemon", "--config", config], { stdio: ["ignore", "ignore", "pipe"] });
  const logged = [];
  const lines = createInterface({ input: child.stderr });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const read = new Promise((resolve) => lines.once("close", resolve));
  const [origin, admin] = await new Promise((resolve, reject) => {
    lines.on("line", (line) => {
      logged.push(line);
      const addresses = / address=(127\.0\.0\.1:[0-9]+) admin=(127\.0\.0\.1:[0-9]+) /.exec(line);
      if (addresses) resolve(addresses.slice(1).map((address) => `http://${address}`));
    });
    ended.then((code) => reject(new Error(`quire daemon ended with ${code}: ${logged.join("\n")}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await read;
    return ended;
  };
  return { origin, admin, logged, stop };
}

/**
 * Starts `quire dev` on a site that `writeSite` writes to a folder of its own, and a browser. `written` is what
 * `writeSite` gives; `stop` ends both, and the folder goes.
 */
export async function startSite(name, writeSite) {
  const folder = mkdtempSync(join(tmpdir(), `quire-${name}-`));
  const written = writeSite(folder);
  const [preview, browser] = await Promise.all([previewOf(folder), startBrowser()]);
  const stop = async () => {
    await browser.close();
    await preview.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, written, preview, browser, stop };
}

/** Starts `quire dev` on a copy of the museum, which goes when it ends. */
export async function startPreview(...options) {
  const folder = mkdtempSync(join(tmpdir(), "quire-browser-"));
  cpSync(join(repository, "fixtures/museum"), folder, { recursive: true });
  const preview = await previewOf(folder, ...options);
  const stop = async () => {
    const code = await preview.stop();
    rmSync(folder, { recursive: true, force: true });
    return code;
  };
  return { ...preview, stop };
}

/**
 * Serves the export in `folder` at `/docs` and nothing else, as any server of files does; `posted` is what it was sent.
 */
export async function serveExport(folder) {
  const types = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
  };
  const posted = [];
  const server = createServer((request, reply) => {
    if (request.method === "POST") posted.push(request.url);
    const path = normalize(decodeURIComponent(new URL(request.url, "http://a").pathname));
    try {
      if (!path.startsWith("/docs")) throw new Error("elsewhere");
      let file = join(folder, path.slice("/docs".length));
      if (statSync(file).isDirectory()) file = join(file, "index.html");
      const bytes = readFileSync(file);
      reply.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      reply.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, posted, stop };
}

/** Waits until the page at `address` of a preview has `words`. */
export async function shows(preview, address, words) {
  for (const end = Date.now() + patience; ; ) {
    const reply = await fetch(preview.origin + address);
    if (reply.ok && (await reply.text()).includes(words)) return;
    if (Date.now() > end) throw new Error(`${address} never showed ${words}`);
  }
}

/**
 * Starts the browser of the system, with a profile of its own that nothing is kept of. One that ends before
 * it can be asked anything is started again, twice at most: that is a crash of the browser, not of Quire.
 */
export async function startBrowser() {
  if (!existsSync(browserPath)) {
    throw new Error(`${browserPath} is missing: install chromium, or name it in CHROMIUM`);
  }
  const options = {
    executablePath: browserPath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  };
  for (let left = 2; ; left--) {
    try {
      return await chromium.launch(options);
    } catch (error) {
      if (left === 0) throw error;
      console.error(`the browser ended while it started: ${error.message.split("\n", 1)[0]}`);
    }
  }
}

/** A page that notes what it should not do: errors in the console, failed requests, requests to other origins. */
export async function watchedPage(context, origin) {
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith("data:")) faults.push(`asks for ${url}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  return { page, faults };
}

/** Adds a page for each kind of endpoint, and one for a data model, to the site of a preview; their addresses. */
export async function withKinds(preview) {
  cpSync(join(repository, "tests/browser/kinds.yaml"), join(preview.folder, "openapi/kinds.yaml"));
  const pages = {
    "kinds/simple": "openapi: openapi/kinds.yaml GET /things/{thing_id}",
    "kinds/nested": "openapi: openapi/kinds.yaml POST /orders",
    "kinds/union": "openapi: openapi/kinds.yaml POST /payments",
    "kinds/multipart": "openapi: openapi/kinds.yaml PUT /things/{thing_id}/pictures",
    "kinds/webhook": "openapi: openapi/kinds.yaml webhook order.sent",
    "kinds/model": "openapi-schema: openapi/kinds.yaml Thing",
  };
  mkdirSync(join(preview.folder, "kinds"), { recursive: true });
  for (const [path, subject] of Object.entries(pages)) {
    writeFileSync(join(preview.folder, `${path}.mdx`), `---\n${subject}\nhidden: true\n---\n`);
  }
  for (const path of Object.keys(pages)) await shows(preview, `/${path}`, 'class="reference"');
  return Object.keys(pages).map((path) => `/${path}`);
}

let axe;
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * What axe-core finds wrong with the page that is shown, a line for each element; what is folded is opened and read
 * too, menus apart, which lie over the page. With `authored`, colors that an author gave to words of their own are the
 * author's.
 */
export async function violationsOf(page, { authored = false } = {}) {
  axe ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(axe);
  await page.evaluate(() =>
    document.querySelectorAll("main details:not(.page-menu-more)").forEach((at) => (at.open = true)),
  );
  return page.evaluate(
    async ([values, authored]) => {
      const { violations } = await window.axe.run(document, { runOnly: { type: "tag", values } });
      const colored = (at) =>
        /(^|[\s:])(text|bg)-([a-z]+-\d{2,3}|white|black|\[)/.test(at.getAttribute("class")) ||
        /color/.test(at.getAttribute("style"));
      const isColored = (at) => Boolean(at?.closest(".article")) && (colored(at) || isColored(at.parentElement));
      const isAuthors = (id, node) =>
        authored && id === "color-contrast" && isColored(document.querySelector(node.target[0]));
      const messages = (node) => [...node.any, ...node.all, ...node.none].map((one) => one.message).join("; ");
      return violations.flatMap(({ id, nodes }) =>
        nodes
          .filter((node) => !isAuthors(id, node))
          .map((node) => `${id}: ${node.html.slice(0, 160)} ${messages(node).slice(0, 200)}`),
      );
    },
    [rules, authored],
  );
}

const corpus = join(process.env.QUIRE_SHARED || join(repository, "../shared"), "corpus/sites");

/**
 * The folders of the real sites of the corpus by name; none, which is said with `what` is skipped, where there is no
 * corpus.
 */
export function realSites(what) {
  const names = existsSync(corpus)
    ? readdirSync(corpus).filter((name) => existsSync(join(corpus, name, "docs.json")))
    : [];
  if (!names.length) console.error(`SKIPPED ${what}: no corpus; set QUIRE_SHARED`);
  return new Map(names.map((name) => [name, join(corpus, name)]));
}

/** The paths of the pages of a preview: what its sitemap lists. */
export async function addressesOf(origin) {
  const sitemap = await (await fetch(`${origin}/sitemap.xml`)).text();
  const all = [...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(
    ([, loc]) => new URL(loc.replaceAll("&amp;", "&")).pathname,
  );
  if (!all.length) throw new Error("the sitemap lists no pages");
  return all;
}
