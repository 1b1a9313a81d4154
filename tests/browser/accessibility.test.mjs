// What a program can tell of whether pages are accessible: WCAG 2.2 AA, in both themes, wide and narrow.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startBrowser, startPreview, violationsOf, withKinds } from "./support.mjs";

const museum = [
  "/",
  "/quickstart",
  "/concepts/tickets",
  "/guides/webhooks",
  "/guides/faq",
  "/components",
  "/changelog",
  "/api/tickets",
];
// One of each method: each has its color, on the ground of the entry that is chosen too.
const operations = ["list-tickets", "buy-a-ticket", "cancel-a-ticket", "move-a-visit"].map(
  (name) => `/api/tickets/${name}`,
);

let preview, browser, kinds;
before(async () => {
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
  kinds = await withKinds(preview);
});
after(async () => {
  await browser?.close();
  await preview?.stop();
});

for (const colorScheme of ["light", "dark"]) {
  for (const [name, width] of [
    ["wide", 1350],
    ["narrow", 375],
  ]) {
    test(`pages are accessible, ${colorScheme} and ${name}`, async () => {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width, height: 900 },
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      const found = [];
      for (const path of [...museum, ...operations, "/api/visits/a-visit-started", ...kinds]) {
        await page.goto(preview.origin + path);
        found.push(...(await violationsOf(page)).map((line) => `${path} ${line}`));
      }
      assert.deepEqual(found, []);
      await context.close();
    });
  }
}
