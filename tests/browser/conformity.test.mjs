// The form of an operation beside the request itself: answers held against the documentation, bodies that fold and are
// searched, environments, and commands of curl in both directions.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { previewOf, startBrowser } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const spec = (origin) => `openapi: 3.1.0
info: { title: Orders, version: "1" }
servers: [{ url: "${origin}/v1" }, { url: "${origin}/{region}", variables: { region: { default: eu } } }]
paths:
  /orders/{id}:
    post:
      summary: Place an order
      security: [{ token: [] }, { login: [] }]
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: limit, in: query, schema: { type: integer } }
      requestBody: { content: { application/json: { schema: { type: object, properties: { name: { type: string } } } } } }
      responses:
        "200":
          description: Fine.
          content:
            application/json:
              schema:
                type: object
                required: [id, items]
                properties:
                  id: { type: integer }
                  items: { type: array, items: { type: object, required: [sku], properties: { sku: { type: string, minLength: 3 }, at: { type: string, format: date-time } } } }
components: { securitySchemes: { token: { type: http, scheme: bearer }, login: { type: http, scheme: basic } } }
`;

const right = { id: 1, items: [{ sku: "abc", at: "2025-01-15T09:30:00Z" }] };
const wrong = { id: "one", items: [{ sku: "a", at: "today" }, { at: "2025-01-15T09:30:00Z" }] };
let answer = { status: 200, type: "application/json", body: right };
let seen = [];
let api;
let preview;
let browser;
let folder;

before(async () => {
  api = createServer((request, reply) => {
    if (request.method !== "OPTIONS") seen.push({ method: request.method, url: request.url, headers: request.headers });
    const allowed = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*, Authorization" };
    reply.writeHead(request.method === "OPTIONS" ? 204 : answer.status, { "Content-Type": answer.type, ...allowed });
    reply.end(
      request.method === "OPTIONS" ? "" : typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body),
    );
  });
  await new Promise((resolve) => api.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${api.address().port}`;
  folder = mkdtempSync(join(tmpdir(), "quire-conformity-"));
  // What the browser asks itself: the relay asks no address of this machine.
  const docs = {
    theme: "mint",
    name: "Orders",
    colors: { primary: "#0a7a5a" },
    api: { playground: { proxy: false } },
    navigation: { openapi: "api.yaml" },
  };
  writeFileSync(join(folder, "docs.json"), JSON.stringify(docs));
  writeFileSync(join(folder, "api.yaml"), spec(origin));
  preview = await previewOf(folder, "--no-state", "--mock");
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  assert.equal(await preview?.stop(), 0);
  api?.close();
  api?.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const opened = async (options = {}) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(`${preview.origin}/api-reference/place-an-order`);
  await page.locator("[data-playground]").first().click();
  await page.locator(".play-dialog[open]").waitFor();
  const close = async () => {
    assert.deepEqual(faults, []);
    await context.close();
  };
  return { page, close };
};
const field = (page, name) =>
  page
    .locator(".play-form .play-row", { has: page.locator(".play-name", { hasText: new RegExp(`^${name}$`) }) })
    .locator("input")
    .first();
const sent = async (page, to) => {
  answer = { status: 200, type: "application/json", ...to };
  await field(page, "id").fill("7");
  await page.locator(".play-send").click();
  await page.locator(".play-response .play-reply-head").waitFor();
};
/** What the browser got itself is shown to the site only if the reader says so. */
const checked = (page) => page.getByRole("button", { name: "Check against the documentation" }).click();

test("an answer is held against its schema, and what differs is marked", async () => {
  const { page, close } = await opened();
  await sent(page, { body: right });
  const asked = [];
  page.on("request", (request) => request.url().includes("/_quire/conformity") && asked.push(request.url()));
  assert.equal(await page.locator(".play-verdict").count(), 0);
  await checked(page);
  await page.locator(".play-verdict", { hasText: "matches the documentation" }).waitFor();
  assert.equal(asked.length, 1);
  await sent(page, { body: wrong });
  await checked(page);
  const verdict = page.locator(".play-verdict[data-differs]");
  await verdict.waitFor();
  assert.match(await verdict.textContent(), /Differences from the documentation: 4/);
  const items = await verdict.locator("li").allTextContents();
  assert.deepEqual(
    items.map((text) => text.split(" ")[0]),
    ["/id", "/items/0/sku", "/items/0/at", "/items/1/sku"],
  );
  assert.match(items[0], /type · expected: integer · given: "one"/);
  const marked = page.locator(".play-json-line[data-differs]");
  assert.equal(await marked.count(), 4);
  assert.match(await marked.first().textContent(), /"id": "one".*expected: integer/);
  // A status and a media type that are not documented.
  await sent(page, { status: 418, body: right });
  await checked(page);
  await page.locator(".play-verdict", { hasText: "no response with status 418" }).waitFor();
  await sent(page, { type: "text/csv", body: "a,b" });
  await checked(page);
  await page.locator(".play-verdict", { hasText: "no body of the type text/csv" }).waitFor();
  // What the mock of the site says it knows already.
  await page.locator(".play-form").getByLabel("Base URL").selectOption({ label: "Mock server: answers with examples" });
  await field(page, "token").fill("x");
  await sent(page, {});
  await page.locator(".play-verdict", { hasText: "matches the documentation" }).waitFor();
  await close();
});

test("a body folds and is searched by keys", async () => {
  const { page, close } = await opened();
  await sent(page, { body: { ...right, deep: { one: { two: "needle" } }, more: ["needle"] } });
  const hidden = () => page.locator(".play-json-line[hidden]").count();
  const folds = page.locator(".play-fold");
  assert.equal(await folds.first().getAttribute("aria-expanded"), "true");
  await page.getByRole("button", { name: "Fold /deep", exact: true }).click();
  assert.ok((await hidden()) >= 4);
  await page.getByRole("button", { name: "Fold all", exact: true }).click();
  const all = await hidden();
  await page.getByLabel("Find in the body").fill("needle");
  assert.equal(await page.locator(".play-json-bar .play-facts").textContent(), "1 / 2");
  assert.ok((await hidden()) < all);
  await page.getByLabel("Find in the body").press("Enter");
  assert.equal(await page.locator(".play-json-bar .play-facts").textContent(), "2 / 2");
  assert.equal(await page.locator(".play-json-line[data-current]").count(), 1);
  await page.getByRole("button", { name: "Unfold all", exact: true }).click();
  assert.equal(await hidden(), 0);
  await close();
});

test("environments are kept when they are saved, and nothing else is", async () => {
  const { page, close } = await opened();
  const kept = () => page.evaluate(() => localStorage.getItem("quire-playground-environments"));
  const form = page.locator(".play-form");
  await field(page, "token").fill("secret-one");
  await form.getByLabel("Base URL").selectOption({ index: 1 });
  await field(page, "region").fill("us");
  assert.equal(await kept(), null);
  await form.locator(".play-environment > summary").click();
  await form.getByLabel("Name of the environment").fill("Staging");
  await form.getByRole("button", { name: "Save environment" }).click();
  assert.match(await kept(), /Staging.*secret-one/);
  await form.getByLabel("Base URL").selectOption({ index: 0 });
  await field(page, "token").fill("secret-two");
  await form.getByLabel("Environment", { exact: true }).selectOption({ label: "Staging" });
  assert.equal(await field(page, "region").inputValue(), "us");
  assert.equal(await field(page, "token").inputValue(), "secret-one");
  seen = [];
  await sent(page, { body: right });
  assert.equal(seen.at(-1).url, "/us/orders/7");
  assert.equal(seen.at(-1).headers.authorization, "Bearer secret-one");
  assert.ok(!page.url().includes("secret"));
  await form.getByRole("button", { name: "Delete environment" }).click();
  assert.equal(await kept(), null);
  await close();
});

test("a curl command fills in the form, and the form is a curl command", async () => {
  const { page, close } = await opened();
  const origin = `http://127.0.0.1:${api.address().port}`;
  const form = page.locator(".play-form");
  await form.locator(".play-import > summary").click();
  const area = form.getByLabel("Import a curl command");
  await area.fill(`curl '${origin}/v1/other'`);
  await form.getByRole("button", { name: "Fill in the form" }).click();
  assert.match(
    await form.locator(".play-import [role='status']").textContent(),
    /GET \/v1\/other, which is another operation/,
  );
  await area.fill(
    `curl -X POST '${origin}/v1/orders/a%20b?limit=5&odd=1' \\\n  -H 'Authorization: Basic bWU6c2VjcmV0' --json '{"name": "it'\\''s"}'`,
  );
  await form.getByRole("button", { name: "Fill in the form" }).click();
  assert.match(await form.locator(".play-import [role='status']").textContent(), /Not taken over: \?odd/);
  assert.equal(await area.inputValue(), "");
  assert.equal(await field(page, "id").inputValue(), "a b");
  seen = [];
  answer = { status: 200, type: "application/json", body: right };
  await page.locator(".play-send").click();
  await page.locator(".play-response .play-reply-head").waitFor();
  assert.equal(seen.at(-1).url, "/v1/orders/a%20b?limit=5");
  assert.equal(seen.at(-1).headers.authorization, "Basic bWU6c2VjcmV0");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy as cURL" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^curl .*\/v1\/orders\/a%20b\?limit=5/s);
  await close();
});

test("all of it is accessible in both themes, and fits 320 pixels", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 320]) {
      const { page, close } = await opened({ colorScheme, viewport: { width, height: 900 } });
      await page.locator(".play-environment > summary").click();
      await page.locator(".play-import > summary").click();
      await sent(page, { body: wrong });
      await checked(page);
      await page.locator(".play-verdict[data-differs]").waitFor();
      await page.evaluate(axe);
      const found = await page.evaluate(
        (tags) => globalThis.axe.run(document.querySelector(".play-dialog"), { runOnly: tags }),
        tags,
      );
      assert.deepEqual(
        found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
        `${colorScheme} ${width}`,
      );
      const wide = await page.evaluate(() =>
        [...document.querySelectorAll(".play-dialog *")]
          .filter(
            (at) =>
              at.checkVisibility() && at.getBoundingClientRect().right > innerWidth + 1 && !at.closest(".play-output"),
          )
          .map((at) => at.className),
      );
      assert.deepEqual(wide, [], `${colorScheme} ${width}`);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${colorScheme}-${width}.png` });
      await close();
    }
  }
});
