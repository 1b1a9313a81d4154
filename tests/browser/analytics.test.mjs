// Counts of a daemon: a page is counted once however it is shown, a search when it has ended, and nobody who minds; the
// page that shows them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { daemonOf, patience, startBrowser, violationsOf } from "./support.mjs";

const userAgent =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

let folder, state, daemon, browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "quire-analytics-"));
  const write = (path, text) => writeFileSync(join(folder, path), text);
  write(
    "docs.json",
    JSON.stringify({
      theme: "mint",
      name: "Counts",
      colors: { primary: "#0a7" },
      search: { semantic: false },
      navigation: { pages: ["one", "two"] },
    }),
  );
  write("one.mdx", "---\ntitle: One\n---\n[Two](/two)\n\nWords about giraffes.\n");
  write("two.mdx", "---\ntitle: Two\n---\nTelescopes.\n");
  browser = await startBrowser();
});
beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), "quire-analytics-state-"));
  daemon = await daemonOf(state, `[sites.docs]\nroot = "${folder}"\nwatch = false\n`);
});
afterEach(async () => {
  await daemon?.stop();
  rmSync(state, { recursive: true, force: true });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function counted() {
  const reply = await fetch(`${daemon.admin}/_quire/analytics`);
  assert.equal(reply.status, 200);
  const [site] = (await reply.json()).sites;
  const { searches } = site.days.at(-1);
  return {
    views: Object.fromEntries(site.pages.map(({ path, views }) => [path, views])),
    searches,
    without: Object.fromEntries(site.without_result.map(({ query, count }) => [query, count])),
  };
}

/** Waits until it is counted as `expected`: a beacon is sent when the browser has nothing else to do. */
async function becomes(expected) {
  let is;
  for (const end = Date.now() + patience; Date.now() < end; ) {
    is = await counted();
    if (JSON.stringify(is) === JSON.stringify(expected)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual(is, expected);
}

const titled = (page, title) =>
  page.waitForFunction((title) => document.querySelector("main h1")?.textContent.trim() === title, title);
const search = async (page, text) => {
  await page.keyboard.press("Control+k");
  await page.fill(".search-field", text);
  await page.waitForFunction((text) => document.querySelector(".search-dialog").dataset.shown === text, text);
};

test("a page is counted once, loaded or exchanged, and not when it is read ahead", async () => {
  const context = await browser.newContext({ userAgent });
  const page = await context.newPage();
  await page.goto(`${daemon.origin}/one`);
  await becomes({ views: { "/one": 1 }, searches: 0, without: {} });
  const ahead = page.waitForResponse(`${daemon.origin}/two`);
  await page.hover("main a[href='/two']");
  await ahead;
  assert.deepEqual((await counted()).views, { "/one": 1 });
  await page.click("main a[href='/two']");
  await titled(page, "Two");
  await becomes({ views: { "/one": 1, "/two": 1 }, searches: 0, without: {} });
  await page.goBack();
  await titled(page, "One");
  await becomes({ views: { "/one": 2, "/two": 1 }, searches: 0, without: {} });
  await page.reload();
  await becomes({ views: { "/one": 3, "/two": 1 }, searches: 0, without: {} });
  assert.deepEqual(await context.cookies(), []);
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), []);
  await context.close();
});

test("a search is counted when it has ended, not with each key", async () => {
  const context = await browser.newContext({ userAgent });
  const page = await context.newPage();
  await page.goto(`${daemon.origin}/one`);
  // Words on the way are none.
  await search(page, "xylo");
  await search(page, "Xylophones");
  await page.keyboard.press("Escape");
  await becomes({ views: { "/one": 1 }, searches: 1, without: { xylophones: 1 } });
  // What is opened is one that found something, and a page that is read.
  await search(page, "telescopes");
  await page.keyboard.press("Enter");
  await titled(page, "Two");
  await becomes({ views: { "/one": 1, "/two": 1 }, searches: 2, without: { xylophones: 1 } });
  // One that rests has ended, and closing the dialog does not count it again.
  await search(page, "marmalades");
  await becomes({ views: { "/one": 1, "/two": 1 }, searches: 3, without: { marmalades: 1, xylophones: 1 } });
  await search(page, "giraffes");
  await page.keyboard.press("Escape");
  await becomes({ views: { "/one": 1, "/two": 1 }, searches: 4, without: { marmalades: 1, xylophones: 1 } });
  await context.close();
});

test("neither programs nor readers who mind are counted", async () => {
  for (const [agent, minds] of [
    [undefined, false],
    [userAgent, true],
  ]) {
    const context = await browser.newContext({
      ...(agent && { userAgent: agent }),
      ...(minds && { extraHTTPHeaders: { "sec-gpc": "1" } }),
    });
    const page = await context.newPage();
    const told = [];
    const isTold = (request) => request.method() === "POST" && request.url().endsWith("/_quire/analytics");
    page.on("request", (request) => isTold(request) && told.push(request.url()));
    // What a program tells has to be there before it can be seen that it is not counted.
    const heard = () => minds || page.waitForResponse((reply) => isTold(reply.request()));
    let reply = heard();
    if (minds)
      await page.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
    await page.goto(`${daemon.origin}/one`);
    await page.click("main a[href='/two']");
    await titled(page, "Two");
    await reply;
    await search(page, "xylophones");
    reply = heard();
    await page.keyboard.press("Escape");
    await page.waitForSelector(".search-dialog", { state: "hidden" });
    await reply;
    assert.equal(told.length, minds ? 0 : 2);
    await context.close();
  }
  assert.deepEqual(await counted(), { views: {}, searches: 0, without: {} });
});

test("the counts are shown in both themes, wide and narrow", async () => {
  // It has no place to break where it stands in a narrow table.
  const long = "xylophone".repeat(9);
  const context = await browser.newContext({ userAgent });
  const page = await context.newPage();
  await page.goto(`${daemon.origin}/one`);
  await search(page, long);
  await page.keyboard.press("Escape");
  await page.goto(`${daemon.origin}/two`);
  await becomes({ views: { "/one": 1, "/two": 1 }, searches: 1, without: { [long]: 1 } });
  await context.close();
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1350, 375]) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      await page.goto(`${daemon.admin}/_quire/analytics`);
      assert.equal(await page.textContent(".console-sums dd >> nth=0"), "2");
      await page.click(".console-days summary");
      assert.equal(await page.locator(".console-days tbody tr").count(), 30);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      assert.deepEqual(await violationsOf(page), []);
      await context.close();
    }
  }
});
