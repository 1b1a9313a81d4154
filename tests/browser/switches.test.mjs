// The switches of languages and versions: from a page to the same one there, or to the first one where it is missing,
// by clicks that exchange the page and by links alone.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import { startSite, watchedPage } from "./support.mjs";

const languages = ["en", "de"];
const versions = ["v1", "v2"];
// `only-en` has no page in German, `only-v2` none in the first version.
const isThere = (name, language, version) =>
  (name !== "only-en" || language === "en") && (name !== "only-v2" || version === "v2");
const names = ["first", "middle", "only-en", "only-v2", "last"];

/** A site of two languages with two versions each; the segment of the version stands in the middle of an address. */
function writeSite(folder) {
  const group = (language, version) => {
    const pages = names
      .filter((name) => isThere(name, language, version))
      .map((name) => `${language}/guides/${version}/${name}`);
    for (const path of pages) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, `${path}.mdx`), `---\ntitle: ${path}\n---\nHere is ${path}.\n`);
    }
    return { version, groups: [{ group: "Guides", pages }] };
  };
  const navigation = {
    languages: languages.map((language) => ({
      language,
      versions: versions.map((version) => group(language, version)),
    })),
  };
  writeFileSync(
    join(folder, "docs.json"),
    JSON.stringify({
      $schema: "x",
      theme: "mint",
      name: "Switches",
      colors: { primary: "#0a7" },
      favicon: "/icon.svg",
      navigation,
    }),
  );
  writeFileSync(join(folder, "icon.svg"), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>');
}

let preview, browser, stop;
before(async () => ({ preview, browser, stop } = await startSite("switches", writeSite)));
after(() => stop?.());

const switches = [
  ["language", "/en/guides/v1/middle", "Deutsch", "/de/guides/v1/middle", "de"],
  ["language", "/de/guides/v2/last", "English", "/en/guides/v2/last", "en"],
  ["language", "/en/guides/v2/only-en", "Deutsch", "/de/guides/v2/first", "de"],
  ["version", "/en/guides/v1/middle", "v2", "/en/guides/v2/middle", "en"],
  ["version", "/de/guides/v2/last", "v1", "/de/guides/v1/last", "de"],
  ["version", "/de/guides/v2/only-v2", "v1", "/de/guides/v1/first", "de"],
];

for (const javaScriptEnabled of [true, false]) {
  test(`${javaScriptEnabled ? "with instant navigation" : "by links alone"} a switch leads to the same page, or to the first where it is missing`, async () => {
    const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1350, height: 900 } });
    for (const [kind, from, label, to, language] of switches) {
      const { page, faults } = await watchedPage(context, preview.origin);
      let loads = 0;
      page.on("request", (request) => (loads += request.isNavigationRequest() ? 1 : 0));
      await page.goto(preview.origin + from);
      const menu = page.locator(`.site-header .switcher[data-kind="${kind}"]`);
      await menu.locator("summary").click();
      await menu.getByRole("link", { name: label }).click();
      await page.waitForURL(preview.origin + to);
      await page.getByText(`Here is ${to.slice(1)}.`).waitFor();
      assert.equal(await page.locator("html").getAttribute("lang"), language, `${from}: ${label}`);
      assert.equal(loads, javaScriptEnabled ? 1 : 2, `${from}: ${label}`);
      // There it is what is shown, and the way back leads to where one came from, or to the first page.
      assert.equal(
        (await page.locator(`.site-header .switcher[data-kind="${kind}"] [aria-current]`).textContent()).trim(),
        label,
      );
      assert.equal(await page.locator("#sidebar-content [aria-current='page']").getAttribute("href"), to);
      assert.deepEqual(faults, []);
      await page.close();
    }
    await context.close();
  });
}

test("on a phone the switches of the drawer lead to the same places", async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
  const { page, faults } = await watchedPage(context, preview.origin);
  for (const [kind, from, label, to] of switches) {
    await page.goto(preview.origin + from);
    await page.locator("[data-drawer-open]").click();
    const menu = page.locator(`.drawer-switchers .switcher[data-kind="${kind}"]`);
    await menu.locator("summary").click();
    await menu.getByRole("link", { name: label }).click();
    await page.waitForURL(preview.origin + to);
    await page.getByText(`Here is ${to.slice(1)}.`).waitFor();
  }
  assert.deepEqual(faults, []);
  await context.close();
});
