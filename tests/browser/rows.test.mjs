// Large pages of a reference: what they leave out until it is opened or chosen, and that nothing is lost by it.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { shows, startBrowser, startPreview, watchedPage } from "./support.mjs";

const many = (count, make) => Object.fromEntries(Array.from({ length: count }, (_, i) => make(i)));
/** An object of `count` properties of which each of the first two holds one of a depth less. */
const tree = (depth, count, name) => ({
  type: "object",
  properties: many(count, (i) => [`${name}_${i}`, i < 2 && depth ? tree(depth - 1, count, `${name}_${i}`) : { type: "string", description: `About ${name} ${i}, see [more](https://example.com).` }]),
});
const branch = (name) => ({ title: name, type: "object", required: ["type"], properties: { type: { const: name }, ...many(40, (i) => [`${name}_${i}`, { type: "string", description: "A text." }]) } });
const json = (schema) => ({ "application/json": { schema } });
const operation = (id, schema) => ({
  operationId: id,
  summary: id,
  requestBody: { content: json(tree(1, 6, "body")) },
  responses: { 200: { description: "Fine.", content: json(schema) }, 404: { description: "None.", content: json(tree(0, 3, "lost")) } },
});
const document = {
  openapi: "3.1.0",
  info: { title: "Large", version: "1" },
  servers: [{ url: "https://api.example" }],
  paths: {
    "/tree": { post: operation("Tree", tree(4, 14, "row")) },
    "/union": { post: operation("Union", { type: "object", properties: { event: { oneOf: Array.from({ length: 12 }, (_, i) => branch(`kind${i}`)) } } }) },
    "/small": { post: operation("Small", tree(1, 3, "few")) },
  },
};

let preview, browser;
before(async () => {
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
  writeFileSync(join(preview.folder, "openapi/large.json"), JSON.stringify(document));
  for (const name of ["tree", "union", "small"]) writeFileSync(join(preview.folder, `${name}.mdx`), `---\nopenapi: openapi/large.json POST /${name}\nhidden: true\n---\n`);
  for (const name of ["tree", "union", "small"]) await shows(preview, `/${name}`, 'class="reference"');
});
after(async () => {
  await browser?.close();
  await preview?.stop();
});

const html = async (path) => await (await fetch(preview.origin + path)).text();
const elements = (text) => text.match(/<[a-z]/g).length;
const ids = (text) => new Set([...text.matchAll(/<li class="row" id="([^"]+)"/g)].map(([, id]) => id));

async function opened(path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1350, height: 800 }, ...options });
  const { page, faults } = await watchedPage(context, preview.origin);
  await page.goto(preview.origin + path);
  return { page, faults, close: () => context.close() };
}

test("a large page is light, leads to the whole one, and a small page is whole", async () => {
  const [light, whole] = [await html("/tree"), await html("/_whole/tree/")];
  assert.ok(elements(light) <= 3000 && light.length <= 200 * 1024, `${elements(light)} elements, ${light.length} bytes`);
  assert.ok(elements(whole) > 4000, `${elements(whole)}`);
  assert.match(light, /<a data-rows href="\/_whole\/tree\/">/);
  assert.doesNotMatch(whole, /data-rows|data-plain|quire-preview/);
  assert.match(whole, /<meta name="robots" content="noindex/);
  const rows = ids(whole);
  assert.ok([...ids(light)].every((id) => rows.has(id)) && rows.size > ids(light).size);
  const small = await html("/small");
  assert.doesNotMatch(small, /data-rows|data-plain/);
  assert.equal((await fetch(`${preview.origin}/_whole/small/`)).status, 404);
  assert.equal((await fetch(`${preview.origin}/_whole/quickstart/`)).status, 404);
});

test("opening everything shows what the whole page has", async () => {
  const { page, faults, close } = await opened("/tree");
  const rows = [...ids(await html("/_whole/tree/"))];
  const buttons = page.locator("[data-fold-all]");
  for (let i = 0; i < (await buttons.count()); i++) await buttons.nth(i).click();
  // The other response is a branch.
  await page.locator(".reference-main [role=tab]", { hasText: "404" }).click();
  await page.waitForFunction((count) => document.querySelectorAll("li.row[id]").length === count, rows.length);
  const shown = await page.evaluate(() => [...document.querySelectorAll("li.row[id]")].map((row) => row.id));
  assert.deepEqual(shown, rows);
  assert.equal(await page.locator("[data-rows]").count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

test("a link to a row that is left out leads to it", async () => {
  const light = ids(await html("/tree"));
  const deep = [...ids(await html("/_whole/tree/"))].findLast((id) => !light.has(id));
  const { page, close } = await opened(`/tree#${deep}`);
  const row = page.locator(`[id="${deep}"]`);
  await row.waitFor();
  await page.waitForFunction((id) => {
    const top = document.getElementById(id).getBoundingClientRect().top;
    return top >= 0 && top < innerHeight;
  }, deep);
  await close();
});

test("a branch that is chosen has its rows, and a sample its colors", async () => {
  const { page, faults, close } = await opened("/union");
  await page.evaluate(() => document.querySelectorAll("details.row-children").forEach((fold) => (fold.open = true)));
  const branch = page.locator(".chooser [role=tab]", { hasText: "kind9" });
  await branch.waitFor();
  await branch.click();
  await page.locator(".chooser .tab-panel[data-active] .row-name", { hasText: "kind9_39" }).waitFor();
  const plain = page.locator(".reference-side .tab-panel[data-plain]").first();
  const name = await plain.getAttribute("data-tab");
  assert.equal(await plain.locator("code span").count(), 0);
  await page.evaluate((name) => document.dispatchEvent(new CustomEvent("quire:choose", { detail: name })), name);
  await page.waitForFunction((name) => document.querySelector(`.reference-side .tab-panel[data-active][data-tab="${name}"] code span`), name);
  assert.deepEqual(faults, []);
  await close();
});

test("an edit of what was opened is shown", async () => {
  const { page, close } = await opened("/tree");
  await page.evaluate(() => document.querySelectorAll("details.row-children").forEach((fold) => (fold.open = true)));
  await page.waitForFunction(() => !document.querySelector("[id='response-200'] [data-rows]"));
  const changed = JSON.stringify(document).replaceAll("About row_0_0 5,", "Changed row_0_0 5,");
  assert.notEqual(changed, JSON.stringify(document));
  writeFileSync(join(preview.folder, "openapi/large.json"), changed);
  await page.waitForFunction(() => document.querySelector("main").textContent.includes("Changed row_0_0 5,"));
  await close();
});

test("without JavaScript a link leads to all rows", async () => {
  const { page, close } = await opened("/tree", { javaScriptEnabled: false });
  const link = page.locator("a[data-rows]").first();
  const fold = page.locator("details.row-children", { has: page.locator(":scope > .expandable-body > .elsewhere > a[data-rows]") }).first();
  // Open what is around it.
  while (!(await link.isVisible())) {
    const closed = page.locator("details.row-children:not([open]):has(a[data-rows]) > summary:visible").first();
    await closed.click();
  }
  assert.ok(await fold.isVisible());
  await link.click();
  await page.waitForURL(`${preview.origin}/_whole/tree/`);
  assert.ok((await page.locator("li.row").count()) > 300);
  await close();
});
