// A row and the line of a sample that speaks of it are marked together.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startBrowser, startPreview, watchedPage } from "./support.mjs";

let preview;
let browser;
before(async () => {
  [preview, browser] = await Promise.all([startPreview("--no-state"), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await preview?.stop();
});

async function reading(act) {
  const context = await browser.newContext({ viewport: { width: 1350, height: 900 } });
  const { page, faults } = await watchedPage(context, preview.origin);
  await page.goto(`${preview.origin}/api/tickets/buy-a-ticket`);
  // Rows of rows are folded.
  await page.evaluate(() => {
    for (const folded of document.querySelectorAll(".reference-main details")) folded.open = true;
  });
  const marked = () => page.evaluate(() => [...(CSS.highlights.get("quire-row") ?? [])].map(String));
  const pointAt = (id) => page.locator(`[id="${id}"] > .row-head .row-name`).hover();
  await act({ page, marked, pointAt });
  assert.deepEqual(faults, []);
  await context.close();
}

test("a row marks its line in each language, in the response too", async () => {
  await reading(async ({ page, marked, pointAt }) => {
    for (const tab of ["cURL", "Python", "JavaScript", "PHP", "Go", "Java", "Ruby"]) {
      await page.locator(".samples .language-select select").selectOption({ label: tab });
      await pointAt("body-kind");
      assert.match((await marked()).join(), /^\\?["']?kind.{1,8}adult/, tab);
      await pointAt("body-holder-name");
      assert.match((await marked()).join(), /^\\?["']?name.{1,8}Ada Lind/, tab);
      await pointAt("auth-key");
      assert.match((await marked()).join(), /Authorization.*Bearer <token>$/, tab);
      // What the sample does not say is nowhere in it.
      await pointAt("header-Idempotency-Key");
      assert.deepEqual(await marked(), [], tab);
    }
    await pointAt("response-201-price-amount");
    assert.deepEqual(await marked(), ['"amount": 1400,']);
    await page.locator("h1").hover();
    assert.deepEqual(await marked(), []);
  });
});

test("a line of a sample marks its row", async () => {
  await reading(async ({ page, marked }) => {
    const code = page.locator(".reference-panel[aria-label='Response'] pre code:visible");
    const at = await code.evaluate((code) => {
      // Where the pointer can be.
      code.scrollIntoView({ block: "center", behavior: "instant" });
      const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        if (!walker.currentNode.data.includes("holder")) continue;
        const range = new Range();
        range.selectNodeContents(walker.currentNode);
        const { x, y, width, height } = range.getBoundingClientRect();
        return [x + width / 2, y + height / 2];
      }
    });
    const row = () => page.evaluate(() => document.querySelector("[data-marked]")?.id);
    await page.mouse.move(...at);
    assert.equal(await row(), "response-201-holder");
    assert.match((await marked()).join(), /^"holder": \{/);
    await page.mouse.move(10, 10);
    assert.equal(await row(), undefined);
  });
});
