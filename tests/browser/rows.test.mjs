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
  properties: many(count, (i) => [
    `${name}_${i}`,
    i < 2 && depth
      ? tree(depth - 1, count, `${name}_${i}`)
      : { type: "string", description: `About ${name} ${i}, see [more](https://example.com).` },
  ]),
});
const branch = (name) => ({
  title: name,
  type: "object",
  required: ["type"],
  properties: {
    type: { const: name },
    ...many(40, (i) => [`${name}_${i}`, { type: "string", description: "A text." }]),
  },
});
const json = (schema) => ({ "application/json": { schema } });
const operation = (id, schema) => ({
  operationId: id,
  summary: id,
  requestBody: { content: json(tree(1, 6, "body")) },
  responses: {
    200: { description: "Fine.", content: json(schema) },
    404: { description: "None.", content: json(tree(0, 3, "lost")) },
  },
});
const document = {
  openapi: "3.1.0",
  info: { title: "Large", version: "1" },
  servers: [{ url: "https://api.example" }],
  paths: {
    "/tree": { post: operation("Tree", tree(4, 14, "row")) },
    "/union": {
      post: operation("Union", {
        type: "object",
        properties: { event: { oneOf: Array.from({ length: 12 }, (_, i) => branch(`kind${i}`)) } },
      }),
    },
    "/one": {
      post: operation("One", { type: "object", properties: { thing: { $ref: "#/components/schemas/Thing" } } }),
    },
    "/two": {
      post: operation("Two", {
        type: "object",
        properties: { list: { type: "array", items: { $ref: "#/components/schemas/Thing" } } },
      }),
    },
    "/small": { post: operation("Small", tree(1, 3, "few")) },
  },
  components: {
    schemas: {
      Thing: {
        type: "object",
        properties: {
          part: { $ref: "#/components/schemas/Part" },
          ...many(110, (i) => [`thing_${i}`, { type: "string" }]),
        },
      },
      Part: {
        oneOf: [
          { title: "A", type: "object", properties: { whole: { $ref: "#/components/schemas/Thing" } } },
          {
            title: "B",
            type: "object",
            properties: many(110, (i) => [`part_${i}`, { type: "string", description: "About part." }]),
          },
        ],
      },
    },
  },
};

const names = ["tree", "union", "small", "one", "two"];
let preview, browser;
before(async () => {
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
  writeFileSync(join(preview.folder, "openapi/large.json"), JSON.stringify(document));
  for (const name of names)
    writeFileSync(
      join(preview.folder, `${name}.mdx`),
      `---\nopenapi: openapi/large.json POST /${name}\nhidden: true\n---\n`,
    );
  for (const name of names) await shows(preview, `/${name}`, 'class="reference"');
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
  assert.ok(
    elements(light) <= 3000 && light.length <= 200 * 1024,
    `${elements(light)} elements, ${light.length} bytes`,
  );
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

test("a link to a row leads to it, below the header and what is around it", async () => {
  for (const width of [1350, 375]) {
    const { page, faults, close } = await opened("/tree#response-200-row_11", { viewport: { width, height: 500 } });
    // Typefaces that arrive late move what is above it.
    await page.evaluate(() => document.fonts.ready);
    const gap = await page.evaluate(() => {
      const [row, header] = ["#response-200-row_11", ".site-header"].map((one) =>
        document.querySelector(one).getBoundingClientRect(),
      );
      return row.top - header.bottom;
    });
    assert.ok(gap >= 0 && gap < 64, `${width}: ${gap}`);
    assert.deepEqual(faults, []);
    await close();
  }
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
  await page.waitForFunction(
    (name) => document.querySelector(`.reference-side .tab-panel[data-active][data-tab="${name}"] code span`),
    name,
  );
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
  const fold = page
    .locator("details.row-children", { has: page.locator(":scope > .expandable-body > .elsewhere > a[data-rows]") })
    .first();
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

const rowsOf = async (path) => {
  const [, address] = (await html(path)).match(/<a data-rows="rows" href="([^"]+)"/);
  return address;
};

test("two operations lead to the same rows, which are drawn once and found by nobody else", async () => {
  const address = await rowsOf("/one");
  assert.equal(await rowsOf("/two"), address);
  assert.match(address, /^\/_rows\/en\/Thing-response-[0-9a-f]+\/$/);
  const shared = await html(address);
  assert.match(shared, /<meta name="robots" content="noindex/);
  assert.match(shared, /<li class="row" id="rows-thing_109"/);
  assert.doesNotMatch(await html("/one"), / id="[^"]*thing_109"/);
  assert.equal((await fetch(`${preview.origin}${address.replace("Thing", "Part")}`)).status, 404);
});

test("rows of a component are put below the row that is opened, under its id", async () => {
  const { page, faults, close } = await opened("/one");
  await page.locator("[id='response-200-thing'] > details > summary").click();
  await page.locator("[id='response-200-thing-thing_109']").waitFor();
  assert.equal(await page.locator("[id^='rows']").count(), 0);
  await page.locator("[id='response-200-thing-part'] > details > summary").click();
  const panel = page.locator("[id='response-200-thing-part~B']");
  await page.locator("[id='response-200-thing-part'] [role=tab]", { hasText: "B" }).click();
  await panel.locator("[id='response-200-thing-part~B-part_109']").waitFor();
  const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map((one) => one.id));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(faults, []);
  await close();
});

test("a link to a row of a component in a component leads to it", async () => {
  const id = "response-200-list-part~B-part_77";
  const { page, faults, close } = await opened(`/two#${encodeURIComponent(id)}`);
  await page.locator(`[id="${id}"]`).waitFor();
  await page.waitForFunction((id) => {
    const { top, height } = document.getElementById(id).getBoundingClientRect();
    return height > 0 && top >= 0 && top < innerHeight;
  }, id);
  assert.deepEqual(faults, []);
  await close();
});

test("a link that names a row by other rules leads to it, left out as it is", async () => {
  for (const [asked, id] of [
    ["/two#response-list-part-part-77", "response-200-list-part~B-part_77"],
    ["/one#response-thing-thing-109", "response-200-thing-thing_109"],
    ["/tree#response-row-0-row-0-0-row-0-0-0-row-0-0-0-0", "response-200-row_0-row_0_0-row_0_0_0-row_0_0_0_0"],
  ]) {
    const { page, faults, close } = await opened(asked);
    await page.waitForFunction((id) => {
      const { top = -1, height = 0 } = document.getElementById(id)?.getBoundingClientRect() ?? {};
      return height > 0 && top >= 0 && top < innerHeight;
    }, id);
    assert.deepEqual(faults, []);
    await close();
  }
});

test("an edit of a component is shown where it was opened", async () => {
  const { page, close } = await opened("/one");
  await page.locator("[id='response-200-thing'] > details > summary").click();
  await page.locator("[id='response-200-thing-thing_0']").waitFor();
  const changed = JSON.stringify(document).replace(
    '"thing_0":{"type":"string"}',
    '"thing_0":{"type":"string","description":"Changed words."}',
  );
  assert.notEqual(changed, JSON.stringify(document));
  writeFileSync(join(preview.folder, "openapi/large.json"), changed);
  await page.locator("[id='response-200-thing-thing_0']", { hasText: "Changed words." }).waitFor();
  await close();
});

test("without JavaScript a link leads to the rows of a component", async () => {
  const { page, close } = await opened("/two", { javaScriptEnabled: false });
  await page.locator("[id='response-200-list'] > details > summary").click();
  await page.locator("[id='response-200-list'] a[data-rows]").click();
  await page.waitForURL(`${preview.origin}${await rowsOf("/two")}`);
  assert.equal(await page.locator("h1").textContent(), "Thing");
  assert.ok((await page.locator("li.row").count()) > 100);
  await close();
});
