// Real sites before axe-core: pages that between them show every kind of element that a site has, in both themes, at
// three widths.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { addressesOf, previewOf, realSites, startBrowser, violationsOf } from "./support.mjs";

const names = ["crewai", "fastmcp", "mintlify", "polar", "spree", "trigger"];
const sites = [...realSites("the audit of real sites")].filter(
  ([name]) => process.env.QUIRE_AUDIT_PAGES || names.includes(name),
);
/** Pages of each site that are audited; `all` of those that show what no other does. Few are chosen among few. */
const PAGES = process.env.QUIRE_AUDIT_PAGES === "all" ? Infinity : Number(process.env.QUIRE_AUDIT_PAGES || 1);
const CANDIDATES = 40 * PAGES;

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

/** The kinds of elements on a page: names with their classes, which is what stylesheets tell apart. */
const kindsOn = (html) =>
  new Set(
    [...html.matchAll(/<([a-z][a-z0-9-]*)\b[^>]*? class="([^"]*)"/g)].flatMap(([, name, classes]) =>
      classes.split(/\s+/).map((one) => `${name}.${one}`),
    ),
  );

/**
 * Pages that between them show every kind that any does, the one that adds most first; `[path, kinds that it adds]`.
 */
async function varied(origin) {
  const left = new Map();
  const all = await addressesOf(origin);
  const step = Math.ceil(all.length / CANDIDATES) || 1;
  for (const path of all.filter((_, i) => i % step === 0))
    left.set(path, kindsOn(await (await fetch(origin + path)).text()));
  const chosen = [];
  for (;;) {
    const [path, kinds] = [...left].reduce((best, one) => (one[1].size > best[1].size ? one : best), [null, new Set()]);
    if (!kinds.size || chosen.length >= PAGES) return chosen;
    chosen.push([path, kinds.size]);
    for (const others of left.values()) for (const kind of kinds) if (others !== kinds) others.delete(kind);
    left.delete(path);
  }
}

for (const [site, folder] of sites) {
  test(`pages of ${site} are accessible in both themes at 320, 768 and 1350 px`, async (t) => {
    const preview = await previewOf(folder, "--no-state");
    const found = new Set();
    try {
      const pages = await varied(preview.origin);
      t.diagnostic(
        `${pages.length} pages: ${pages
          .map(([path, kinds]) => `${path} +${kinds}`)
          .join(", ")
          .slice(0, 2000)}`,
      );
      for (const colorScheme of ["light", "dark"]) {
        const context = await browser.newContext({ colorScheme, reducedMotion: "reduce" });
        // Pictures of other hosts are not needed, and may never come.
        await context.route(
          (url) => !url.href.startsWith(preview.origin),
          (route) => route.abort(),
        );
        const page = await context.newPage();
        for (const [path] of [...pages, ["/nowhere"]]) {
          await page.goto(preview.origin + path, { waitUntil: "domcontentloaded" });
          for (const width of [320, 768, 1350]) {
            await page.setViewportSize({ width, height: 900 });
            for (const line of await violationsOf(page, { authored: true }))
              found.add(`${path} ${colorScheme} ${width} ${line}`);
            if (width === 320 && (await page.evaluate(() => document.scrollingElement.scrollWidth > innerWidth)))
              found.add(`${path} is wider than 320 px`);
          }
        }
        await context.close();
      }
      assert.deepEqual([...found], []);
    } finally {
      await preview.stop();
    }
  });
}
