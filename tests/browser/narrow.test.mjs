// Real sites on the narrowest screens: nothing runs out of the window (WCAG 1.4.10), and what the bar has no room for
// is in the drawer.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { addressesOf, previewOf, realSites, shows, startBrowser, startPreview } from "./support.mjs";

const sites = realSites("pages of real sites at 320 px");
/** Pages of each site, spread over it. */
const PAGES = Number(process.env.QUIRE_NARROW_PAGES || 8);

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

/** Some of the pages of a preview, spread over it, and the one for what is not there. */
async function addresses(origin) {
  const all = await addressesOf(origin);
  const step = Math.max(1, Math.floor(all.length / PAGES));
  return ["/", "/nowhere", ...all.filter((_, i) => i % step === 0)];
}

/** What is wider than the window: how wide the page is, and the elements that begin to make it so. */
const overflow = () => {
  const wide = document.scrollingElement.scrollWidth;
  if (wide <= innerWidth) return null;
  const out = (at) => {
    const { left, right } = at.getBoundingClientRect();
    return right > innerWidth + 1 || left < -1;
  };
  const isShown = (at) =>
    at.checkVisibility({ visibilityProperty: true }) && !at.closest(".sidebar, .unseen, .skip-link");
  const clips = (at) => {
    for (let up = at.parentElement; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== "visible") return true;
    }
    return false;
  };
  const names = [...document.body.querySelectorAll("*")].filter((at) => isShown(at) && out(at) && !clips(at));
  return `${wide} px: ${names
    .slice(0, 4)
    .map((at) => at.cloneNode(false).outerHTML.slice(0, 120))
    .join(" ")}`;
};

for (const [site, folder] of sites) {
  test(`nothing of ${site} runs out of 320 px, and its drawer has all that its header has`, async () => {
    const preview = await previewOf(folder);
    const context = await browser.newContext({ viewport: { width: 320, height: 640 }, reducedMotion: "reduce" });
    // Pictures of other hosts are not needed, and may never come.
    await context.route(
      (url) => !url.href.startsWith(preview.origin),
      (route) => route.abort(),
    );
    try {
      const page = await context.newPage();
      const found = [];
      for (const path of await addresses(preview.origin)) {
        await page.goto(preview.origin + path, { waitUntil: "domcontentloaded" });
        const wide = await page.evaluate(overflow);
        if (wide) found.push(`${path}: ${wide}`);
      }
      assert.deepEqual(found, []);
      await page.locator("[data-drawer-open]").click();
      const links = (selector) =>
        page.locator(selector).evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      const held = new Set(await links(".drawer-top a"));
      const missing = (await links(":is(.tabs-row, .header-links, .header-start .menu) a, a.header-primary")).filter(
        (href) => !held.has(href),
      );
      assert.deepEqual(missing, []);
      const logo = await page.locator(".logo").boundingBox();
      assert.ok(logo.width >= 24 && logo.height >= 10, `the logo is ${logo.width} × ${logo.height} px`);
    } finally {
      await context.close();
      await preview.stop();
    }
  });
}

test("a tooltip widens no page, and is read as a whole, wherever its word stands", async () => {
  const preview = await startPreview();
  const tip = "What the word means, in a sentence that is longer than a line of a small screen.";
  const words = Array.from(
    { length: 12 },
    (_, i) => `${"a ".repeat(i)}<Tooltip tip="${tip}">word</Tooltip> and more words`,
  );
  writeFileSync(join(preview.folder, "tips.mdx"), `---\ntitle: Tips\n---\n\n${words.join("\n\n")}\n`);
  try {
    await shows(preview, "/tips", "longer than a line");
    for (const language of ["en", "ar"]) {
      const page = await browser.newPage({ viewport: { width: 320, height: 640 }, reducedMotion: "reduce" });
      await page.goto(`${preview.origin}/tips`, { waitUntil: "load" });
      if (language === "ar") await page.evaluate(() => (document.documentElement.dir = "rtl"));
      assert.equal(await page.evaluate(overflow), null, language);
      for (const word of await page.locator(".tooltip-word").all()) {
        await word.focus();
        const box = await word.locator("xpath=..").locator(".tooltip-box").boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= 320, `${language}: ${JSON.stringify(box)}`);
      }
      await page.close();
    }
  } finally {
    await preview.stop();
  }
});
