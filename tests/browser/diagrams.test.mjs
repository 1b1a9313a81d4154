// Diagrams: drawn by a script of the site's own, which only pages with one load; the source for everybody else.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { startBrowser, startPreview, watchedPage } from "./support.mjs";

let preview;
let browser;
before(async () => {
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
});
after(async () => {
  await browser?.close();
  assert.equal(await preview?.stop(), 0);
});

const PAGE = "/concepts/visits";
const svg = (page) => page.locator(".diagram-view svg");

/** Runs `look` with a page at `path`, and the theme scripts that it asked for. */
async function looking(options, path, look) {
  const context = await browser.newContext(options);
  const { page, faults } = await watchedPage(context, preview.origin);
  const scripts = [];
  page.on("request", (request) => {
    if (request.url().includes("/_theme/mermaid")) scripts.push(request.url());
  });
  await page.goto(preview.origin + path);
  await look(page, scripts);
  assert.deepEqual(faults, []);
  await context.close();
}

test("a diagram near the window is drawn, once the script is there", async () => {
  await looking({}, PAGE, async (page, scripts) => {
    await page.locator(".diagram").scrollIntoViewIfNeeded();
    await svg(page).waitFor();
    assert.match(await svg(page).textContent(), /Visit planned/);
    assert.equal(await page.locator(".diagram-source").isVisible(), false);
    assert.equal(scripts.length, 1);
  });
});

test("a diagram takes the colors of the theme that the reader chooses", async () => {
  await looking({ colorScheme: "light" }, PAGE, async (page) => {
    await page.locator(".diagram").scrollIntoViewIfNeeded();
    await svg(page).waitFor();
    const light = await svg(page).evaluate((drawing) => drawing.outerHTML);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction((before) => document.querySelector(".diagram-view svg").outerHTML !== before, light);
    const ink = await page
      .locator(".diagram-view .nodeLabel")
      .first()
      .evaluate((label) => getComputedStyle(label).color);
    assert.equal(ink, "rgb(238, 240, 243)");
  });
});

test("without scripts the source is there to read", async () => {
  await looking({ javaScriptEnabled: false }, PAGE, async (page, scripts) => {
    assert.match(await page.locator(".diagram-source").innerText(), /flowchart LR/);
    assert.deepEqual(scripts, []);
  });
});

test("a page without diagrams does not ask for the script", async () => {
  await looking({}, "/concepts/tickets", async (page, scripts) => {
    // To the end and two frames on, an observer has said what it sees.
    await page.evaluate(() => {
      scrollTo(0, document.body.scrollHeight);
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    });
    assert.deepEqual(scripts, []);
  });
});

test("an edited diagram is drawn anew, a broken one shows its source and why", async () => {
  const path = join(preview.folder, "concepts/visits.mdx");
  const text = readFileSync(path, "utf8");
  await looking({}, PAGE, async (page, scripts) => {
    await page.locator(".diagram").scrollIntoViewIfNeeded();
    await svg(page).waitFor();
    writeFileSync(path, text.replace("[Visit planned]", "[Visit foreseen]"));
    await page.waitForFunction(() => document.querySelector(".diagram-view")?.textContent.includes("Visit foreseen"));
    writeFileSync(path, text.replace("[Visit planned]", "[Visit (("));
    await page.locator(".diagram-note").waitFor();
    assert.match(await page.locator(".diagram-note").innerText(), /could not be drawn/);
    assert.equal(await page.locator(".diagram-source").isVisible(), true);
    writeFileSync(path, text);
    await page.waitForFunction(() => document.querySelector(".diagram-view")?.textContent.includes("Visit planned"));
    assert.equal(scripts.length, 1);
  });
});
