// What a program can tell of whether pages are accessible: WCAG 2.2 AA, in both themes, wide and narrow.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import { startBrowser, startPreview, withKinds } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const museum = ["/", "/quickstart", "/concepts/tickets", "/guides/webhooks", "/guides/faq", "/components", "/changelog", "/api/tickets"];
// One of each method: each has its color, on the ground of the entry that is chosen too.
const operations = ["list-tickets", "buy-a-ticket", "cancel-a-ticket", "move-a-visit"].map((name) => `/api/tickets/${name}`);

let preview, browser, kinds;
before(async () => {
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
  kinds = await withKinds(preview);
});
after(async () => {
  await browser?.close();
  await preview?.stop();
});

/** What is wrong with the page at `path`, a line for each element. */
async function violations(page, path) {
  await page.goto(preview.origin + path);
  await page.evaluate(axe);
  // What is folded is read too.
  await page.evaluate(() => document.querySelectorAll("main details").forEach((at) => (at.open = true)));
  const { violations } = await page.evaluate((tags) => axe.run(document, { runOnly: { type: "tag", values: tags } }), tags);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${path} ${id}: ${node.html.slice(0, 160)} ${[...node.any, ...node.all, ...node.none].map((one) => one.message).join("; ").slice(0, 200)}`),
  );
}

for (const colorScheme of ["light", "dark"]) {
  for (const [name, width] of [["wide", 1350], ["narrow", 375]]) {
    test(`pages are accessible, ${colorScheme} and ${name}`, async () => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, reducedMotion: "reduce" });
      const page = await context.newPage();
      const found = [];
      for (const path of [...museum, ...operations, "/api/visits/a-visit-started", ...kinds]) found.push(...(await violations(page, path)));
      assert.deepEqual(found, []);
      await context.close();
    });
  }
}
