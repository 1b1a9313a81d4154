// Measures what a reader's browser does with one operation here, in Scalar and in Swagger UI: until the page is there
// and still, until its form is open, and what its form then sends for each value of `tests/wire/values.json`.
//
//     node compare.mjs wire
//     node compare.mjs page SPEC 'METHOD /path' 'words of the operation' [RUNS]
//
// Needs `./install`, `npm ci` in `tests/browser`, Chromium, and a built program (QUIRE_BIN, else target/debug/quire).
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { startRecorder } from "../../tests/browser/recorder.mjs";
import { previewOf, program, startBrowser } from "../../tests/browser/support.mjs";

const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
const peers = join(repository, "target/peers");
const read = (path) => readFileSync(join(repository, path), "utf8");
const { jsonText, parseJson } = await import(
  `data:text/javascript;base64,${Buffer.from(read("queries/theme/js/playground/json.js")).toString("base64")}`
);

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
};
const shell = (body) =>
  `<!doctype html><html><head><meta charset="utf-8"><title>API</title></head><body>${body}</body></html>`;
const pages = {
  "/scalar.html": shell(
    '<div id="app"></div><script src="scalar.js"></script><script>Scalar.createApiReference("#app", { url: "/" + (new URLSearchParams(location.search).get("spec")), withDefaultFonts: false, telemetry: false, hideClientButton: true })</script>',
  ),
  "/swagger-ui.html": shell(
    '<link rel="stylesheet" href="swagger-ui.css"><div id="app"></div><script src="swagger-ui.js"></script><script>SwaggerUIBundle({ url: "/" + (new URLSearchParams(location.search).get("spec")), dom_id: "#app", deepLinking: true, docExpansion: location.hash ? "list" : "full" })</script>',
  ),
};
const files = {
  "/scalar.js": "scalar-api-reference/dist/browser/standalone.js",
  "/swagger-ui.js": "swagger-ui-dist/swagger-ui-bundle.js",
  "/swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
};

/** Serves the peers, compressed before anybody asks, and what `documents` holds. */
async function servePeers(documents) {
  const known = new Map();
  const add = (path, body) => known.set(path, { body: gzipSync(body), type: types[extname(path)] });
  for (const [path, body] of Object.entries(pages)) add(path, body);
  for (const [path, file] of Object.entries(files)) add(path, readFileSync(join(peers, file)));
  for (const [path, body] of documents) add(path, body);
  const server = createServer((request, response) => {
    const found = known.get(request.url.split("?")[0]);
    if (!found) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": found.type, "Content-Encoding": "gzip" }).end(found.body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** A preview of a site of one specification; the address of each operation. */
async function startQuire(name, text, api = {}) {
  const folder = mkdtempSync(join(tmpdir(), "quire-peers-"));
  writeFileSync(join(folder, name), text);
  const docs = {
    theme: "mint",
    name: "API",
    colors: { primary: "#2563eb" },
    api,
    navigation: { tabs: [{ tab: "API", openapi: name }] },
  };
  writeFileSync(join(folder, "docs.json"), JSON.stringify(docs));
  const listed = JSON.parse(execFileSync(program, ["routes", folder, "--json"], { maxBuffer: 1 << 28 }));
  const preview = await previewOf(folder);
  const stop = async () => {
    await preview.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    origin: preview.origin,
    stop,
    route: (operation) => listed.pages.find((page) => page.operation === operation).route,
  };
}

const schemaOf = (value) => {
  if (typeof value === "string") return { type: "string" };
  if (Array.isArray(value)) return { type: "array", items: value.length ? schemaOf(value[0]) : {} };
  if (value instanceof Map)
    return {
      type: "object",
      properties: Object.fromEntries([...value].map(([key, member]) => [key, schemaOf(member)])),
    };
  return /^[-\d]/.test(value.text) ? { type: "number" } : { type: "boolean" };
};

/** The rows that a browser can send: no cookies, no values that cannot be given in a form. */
function rowsOf() {
  const rows = parseJson(read("tests/wire/values.json")).get("values");
  return rows
    .filter((one) => one.get("in") !== "cookie" && one.get("value")?.text !== "null" && one.get("value") !== null)
    .map((one, i) => {
      const place = one.get("in");
      const spec = { name: one.get("name"), in: place, required: true };
      if (one.get("json")?.text === "true")
        spec.content = { "application/json": { schema: schemaOf(one.get("value")) } };
      else {
        Object.assign(spec, {
          style: one.get("style"),
          explode: one.get("explode").text === "true",
          schema: schemaOf(one.get("value")),
        });
        if (one.get("allowReserved")?.text === "true") spec.allowReserved = true;
      }
      const example = jsonText(one.get("value"));
      const text = spec.content
        ? JSON.stringify(spec).replace('"application/json":{', `"application/json":{"example":${example},`)
        : `${JSON.stringify(spec).slice(0, -1)},"example":${example}}`;
      // Browsers encode an apostrophe in a query, whoever writes it.
      const wire = one.get("allowReserved") ? one.get("wire").replaceAll("'", "%27") : one.get("wire");
      const path = `/r${i}${place === "path" ? `/{${spec.name}}` : ""}`;
      const header = place === "header" && spec.name;
      const target = { path: `/t/r${i}/${wire}`, query: `/t/r${i}${wire && `?${wire}`}`, header: `/t/r${i}` }[place];
      return { name: `${place}: ${one.get("case")}`, path, text, target, header, wire, at: `/t/r${i}` };
    });
}

const documentOf = (rows, origin) => {
  const paths = rows.map(
    (row, i) =>
      `${JSON.stringify(row.path)}:{"get":{"operationId":"row${i}","tags":["t"],"summary":"Row ${i}","parameters":[${row.text}],"responses":{"200":{"description":"Fine."}}}}`,
  );
  return `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"servers":[{"url":"${origin}/t"}],"paths":{${paths.join(",")}}}`;
};

/** Whether what came is what the row says. */
function isRight(row, record) {
  if (row.header) {
    const value = record.headers.find(([name]) => name.toLowerCase() === row.header.toLowerCase())?.[1] ?? "";
    return record.target === row.target && [row.wire, Buffer.from(row.wire).toString("latin1")].includes(value);
  }
  return record.target.replace(/\?$/, "") === row.target;
}

/**
 * Whether a server that decodes a whole address at once sees what the row says: other choices of what is encoded pass.
 */
function isAlike(row, record) {
  const plain = (text) => decodeURIComponent(text.replaceAll("+", " ").replace(/%(?![0-9A-Fa-f]{2})/g, "%25"));
  return isRight(row, record) || (!row.header && plain(record.target.replace(/\?$/, "")) === plain(row.target));
}

/** Opens the form of the operation that the page shows, ready to be sent. */
const forms = {
  Quire: async (page) => {
    await page.getByRole("button", { name: "Try it" }).click();
    await page.locator(".play-send").waitFor();
    return page.locator(".play-send");
  },
  Scalar: async (page) => {
    await page
      .getByRole("button", { name: /Test Request/ })
      .first()
      .click();
    const send = page.getByRole("button", { name: /^Send/ }).first();
    await send.waitFor();
    return send;
  },
  "Swagger UI": async (page) => {
    await page.locator(".opblock.is-open .try-out__btn").click();
    const send = page.locator(".opblock.is-open .execute");
    await send.waitFor();
    return send;
  },
};

/** What the form of each tool sends when a reader opens it and presses send: the example of each parameter. */
async function wire() {
  const rows = rowsOf();
  const recorder = await startRecorder();
  const whole = documentOf(rows, recorder.origin);
  // One operation a document: what another one holds must not be in the way.
  const alone = rows.map((row) => [row, documentOf([row], recorder.origin)]);
  const theirs = await servePeers(alone.map(([, text], i) => [`/row${i}.json`, text]));
  const ours = await startQuire("table.json", whole, { examples: { prefill: true }, playground: { proxy: false } });
  const browser = await startBrowser();
  const addresses = {
    Quire: (row) => `${ours.origin}${ours.route(`GET ${row.path}`)}`,
    Scalar: (_, i) => `${theirs.origin}/scalar.html?spec=row${i}.json`,
    "Swagger UI": (_, i) => `${theirs.origin}/swagger-ui.html?spec=row${i}.json`,
  };
  const found = {};
  for (const [tool, address] of Object.entries(addresses)) {
    found[tool] = [];
    for (const [i, row] of rows.entries()) {
      const page = await browser.newPage({ viewport: { width: 1350, height: 900 } });
      page.setDefaultTimeout(20_000);
      const before = recorder.requests.length;
      let fault = null;
      try {
        await page.goto(address(row, i));
        const send = await forms[tool](page);
        await send.click();
        await Promise.race([recorder.request(before), page.waitForTimeout(6_000)]);
      } catch (error) {
        fault = error.message.split("\n")[0];
      }
      const record = recorder.requests.slice(before).find((one) => one.target.startsWith(row.at));
      const is = Boolean(record) && isRight(row, record);
      const seen = record
        ? row.header
          ? JSON.stringify(record.headers.find(([name]) => name.toLowerCase() === row.header.toLowerCase())?.[1])
          : record.target
        : (fault ?? "nothing is sent");
      found[tool].push([is, Boolean(record) && isAlike(row, record)]);
      if (!is)
        process.stdout.write(
          `${tool}: ${row.name}: ${seen}, expected ${row.header ? JSON.stringify(row.wire) : row.target}\n`,
        );
      await page.close();
    }
  }
  await browser.close();
  await ours.stop();
  theirs.stop();
  await recorder.stop();
  for (const [tool, list] of Object.entries(found))
    process.stdout.write(
      `${tool}: ${list.filter(([is]) => is).length} of ${rows.length} byte for byte, ${list.filter(([, like]) => like).length} after decoding\n`,
    );
}

const watch = (words) => `
window.__long = []; window.__text = null;
new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.__long.push([entry.startTime, entry.duration]); }).observe({ type: "longtask", buffered: true });
const look = () => { if (document.body && document.body.innerText.includes(${JSON.stringify(words)})) window.__text = performance.now(); else setTimeout(look, 20); };
document.addEventListener("DOMContentLoaded", look);`;

/** Waits until no task of the page was long for 3 s; the tasks since `from`. */
async function still(page, from) {
  for (let tries = 0; tries < 160; tries += 1) {
    await page.waitForTimeout(500);
    const [now, last, text] = await page.evaluate(() => [
      performance.now(),
      Math.max(0, ...window.__long.map(([at, took]) => at + took)),
      window.__text,
    ]);
    if (text && now - Math.max(last, text, from) > 3000) break;
  }
  const long = await page.evaluate((from) => window.__long.filter(([at]) => at >= from), from);
  return {
    end: Math.max(from, ...long.map(([at, took]) => at + took)),
    longest: Math.max(0, ...long.map(([, took]) => took)),
    blocking: long.reduce((sum, [, took]) => sum + took - 50, 0),
  };
}

async function visit(tool, url, words) {
  const browser = await startBrowser();
  const page = await browser.newPage({ viewport: { width: 1350, height: 900 } });
  page.setDefaultTimeout(90_000);
  const tools = await page.context().newCDPSession(page);
  const kinds = new Map();
  const bytes = { script: 0, all: 0 };
  tools.on("Network.responseReceived", (event) => kinds.set(event.requestId, event.type));
  tools.on("Network.loadingFinished", (event) => {
    bytes.all += event.encodedDataLength;
    if (kinds.get(event.requestId) === "Script") bytes.script += event.encodedDataLength;
  });
  await tools.send("Network.enable");
  await page.addInitScript(watch(words));
  await page.goto(url, { waitUntil: "load" });
  const first = await still(page, 0);
  const text = await page.evaluate(() => window.__text);
  const facts = {
    text,
    interactive: Math.max(first.end, text),
    blocking: first.blocking,
    script: bytes.script / 1024,
    all: bytes.all / 1024,
  };
  const from = await page.evaluate(() => performance.now());
  try {
    await forms[tool](page);
    facts.form = (await page.evaluate(() => performance.now())) - from;
    const second = await still(page, from);
    Object.assign(facts, {
      "form longest task": second.longest,
      "form blocking": second.blocking,
      "script with form": bytes.script / 1024,
    });
  } catch (error) {
    process.stdout.write(`${tool}: ${error.message.split("\n")[0]}\n`);
  }
  await browser.close();
  return facts;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** The page of one operation of a large document, from an empty cache until it is still, and its form. */
async function page(spec, operation, words, runs = "3") {
  const { load } = await import(join(peers, "js-yaml/dist/js-yaml.mjs"));
  const text = readFileSync(spec, "utf8");
  const document = spec.endsWith(".json") ? JSON.parse(text) : load(text);
  const [method, path] = operation.split(" ");
  const { tags, operationId } = document.paths[path][method.toLowerCase()];
  const tag = tags?.[0] ?? "default";
  // JSON, which they read faster than YAML.
  const theirs = await servePeers([["/spec.json", JSON.stringify(document)]]);
  const ours = await startQuire(basename(spec), text);
  await fetch(`${ours.origin}${ours.route(operation)}`);
  const targets = {
    Quire: `${ours.origin}${ours.route(operation)}`,
    Scalar: `${theirs.origin}/scalar.html?spec=spec.json#tag/${tag.toLowerCase().replaceAll(" ", "-")}/${method}${path}`,
    "Swagger UI": `${theirs.origin}/swagger-ui.html?spec=spec.json#/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`,
  };
  const found = Object.fromEntries(Object.keys(targets).map((tool) => [tool, []]));
  for (let run = 0; run < Number(runs); run += 1)
    for (const tool of Object.keys(targets)) found[tool].push(await visit(tool, targets[tool], words));
  await ours.stop();
  theirs.stop();
  process.stdout.write(
    `${operation} of ${basename(spec)}, median of ${runs}, load ${loadavg()[0].toFixed(1)}; ms and KB\n`,
  );
  for (const [tool, visits] of Object.entries(found)) {
    const keys = [...new Set(visits.flatMap(Object.keys))];
    process.stdout.write(
      `${tool}: ${keys.map((key) => `${key} ${Math.round(median(visits.map((one) => one[key]).filter((value) => value != null)))}`).join(", ")}\n`,
    );
  }
}

if (!existsSync(join(peers, files["/scalar.js"]))) throw new Error("the peers are missing: run ./install first");
const [task, ...rest] = process.argv.slice(2);
await { wire, page }[task](...rest);
