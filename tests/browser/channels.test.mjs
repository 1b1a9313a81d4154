// Pages of channels (AsyncAPI 3): address and servers, what is sent and received, examples; on every width, in both
// themes.
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { startSite, watchedPage } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const fixture = join(dirname(fileURLToPath(import.meta.url)), "../../fixtures/asyncapi-channels/site");
const pages = [
  "/live",
  "/streams/live/berths",
  "/streams/live/pilots",
  "/api-reference/channels/invoices",
  "/api-reference/channels/audit",
];

let site, origin;
before(async () => {
  site = await startSite("channels", (folder) => cpSync(fixture, folder, { recursive: true }));
  origin = site.preview.origin;
});
after(() => site?.stop());

test("a channel shows its address, and the one of the server that is chosen", async () => {
  const context = await site.browser.newContext({ viewport: { width: 1350, height: 900 }, reducedMotion: "reduce" });
  const { page, faults } = await watchedPage(context, origin);
  await page.goto(`${origin}/streams/live/berths`);
  const address = page.locator(".endpoint-path");
  assert.equal(await page.locator(".endpoint-method").textContent(), "WSS");
  assert.equal(await address.textContent(), "wss://live.harbor.example/v1/berths/{berth}");
  await page.locator("[data-server]").selectOption({ index: 1 });
  assert.equal(await address.textContent(), "wss://north.harbor.example/berths/{berth}");
  await page.locator('[data-server-variable="region"]').selectOption("south");
  assert.equal(await address.textContent(), "wss://south.harbor.example/berths/{berth}");
  assert.deepEqual(faults, []);
  await context.close();
});

test("messages are told from the side of the reader, with an example of each", async () => {
  const context = await site.browser.newContext({ viewport: { width: 1350, height: 900 }, reducedMotion: "reduce" });
  const { page, faults } = await watchedPage(context, origin);
  await page.goto(`${origin}/streams/live/berths`);
  const under = (id) => page.locator(`section:has(> * > h2#${id}) .message-head :is(h3, h4)`).allTextContents();
  assert.deepEqual(await under("send"), ["Subscribe", "Refused"], "what the API receives, and its reply");
  assert.deepEqual(await under("receive"), ["Ship docked", "Refused"]);
  const send = page.locator("#send-example");
  const shown = (panel) => panel.locator("pre:visible").allTextContents();
  assert.match((await shown(send)).join("\n"), /"replyTo": "\/answers\/7"[^]*"ferry"/, "headers, then the payload");
  await send.locator("select").selectOption("all");
  assert.match((await shown(send)).join("\n"), /"limit": 50/);
  const receive = page.locator("#receive-example");
  await receive.locator("select").selectOption("Refused");
  assert.deepEqual(
    (await shown(receive)).map((text) => JSON.parse(text)),
    [{ reason: "taken" }],
  );
  // Each message has an address of its own.
  await page.goto(`${origin}/streams/live/berths#receive-berth.refused`);
  assert.equal(await page.locator(":target").textContent(), "Refused");
  assert.deepEqual(faults, []);
  await context.close();
});

test("a payload that is no JSON Schema is shown as it is written", async () => {
  const context = await site.browser.newContext({ viewport: { width: 1350, height: 900 } });
  const { page, faults } = await watchedPage(context, origin);
  await page.goto(`${origin}/api-reference/channels/invoices`);
  assert.equal(await page.locator(".endpoint-method").textContent(), "KAFKA");
  assert.equal(
    await page.locator(".endpoint-path").textContent(),
    "harbor.invoices.v1",
    "a topic is no path of its broker",
  );
  assert.equal(await page.locator(".endpoint-broker").textContent(), "kafka-secure://kafka.harbor.example:9092");
  assert.match(
    await page.locator(".message").textContent(),
    /application\/vnd\.apache\.avro;version=1\.9\.0[^]*"record"/,
  );
  assert.deepEqual(faults, []);
  await context.close();
});

test("the sidebar says what channels are spoken over, and search finds what a message says", async () => {
  const context = await site.browser.newContext({ viewport: { width: 1350, height: 900 }, reducedMotion: "reduce" });
  const { page, faults } = await watchedPage(context, origin);
  await page.goto(`${origin}/streams/live/pilots`);
  const marks = page.locator(".sidebar-link > .method");
  assert.deepEqual(await marks.allTextContents(), ["WSS", "WSS"]);
  const reply = await fetch(`${origin}/api/sites/harbor/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: "made fast" }),
  });
  const { results } = await reply.json();
  assert.equal(results[0].url, "/streams/live/berths");
  assert.deepEqual(faults, []);
  await context.close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`channels fit on every screen and are accessible, ${colorScheme}`, async () => {
    const found = [];
    for (const width of [320, 375, 768, 1350]) {
      const context = await site.browser.newContext({
        colorScheme,
        viewport: { width, height: 900 },
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      for (const path of pages) {
        await page.goto(origin + path);
        const over = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
        if (over > 0) found.push(`${path} is ${over} px wider than ${width}`);
        if (width !== 375 && width !== 1350) continue;
        await page.evaluate(axe);
        await page.evaluate(() => document.querySelectorAll("main details").forEach((at) => (at.open = true)));
        const { violations } = await page.evaluate(
          (tags) => axe.run(document, { runOnly: { type: "tag", values: tags } }),
          tags,
        );
        found.push(
          ...violations.flatMap(({ id, nodes }) =>
            nodes.map((node) => `${path} ${width} ${id}: ${node.html.slice(0, 160)}`),
          ),
        );
      }
      await context.close();
    }
    assert.deepEqual(found, []);
  });
}
