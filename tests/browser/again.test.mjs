// What an open page does when more changes than its text: the server is started again, or a picture is another one.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { patience, previewOf, startBrowser, watchedPage } from "./support.mjs";

const picture = (color, width) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="9"><rect width="99" height="9" fill="${color}"/></svg>`;

let folder, preview, browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "quire-again-"));
  mkdirSync(join(folder, "images"));
  writeFileSync(
    join(folder, "docs.json"),
    JSON.stringify({
      name: "T",
      theme: "mint",
      colors: { primary: "#000000" },
      navigation: { pages: ["first", "second"] },
    }),
  );
  writeFileSync(join(folder, "first.mdx"), '---\ntitle: First\n---\n\n<img id="shown" src="/images/a.svg" />\n');
  writeFileSync(join(folder, "second.mdx"), "---\ntitle: Second\n---\n\nWords.\n");
  writeFileSync(join(folder, "images/a.svg"), picture("#ff0000", 9));
  [preview, browser] = await Promise.all([previewOf(folder), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await preview?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A page that listens, with a mark that goes when it is loaded again. */
async function open(context, path) {
  const { page, faults } = await watchedPage(context, preview.origin);
  const listening = page.waitForResponse((response) => response.url().includes("/_quire/events"));
  await page.goto(preview.origin + path);
  await listening;
  await page.evaluate(() => (window.marker = "still here"));
  return { page, faults };
}

/** Waits until the picture that the page shows has `color`. */
const shows = (page, color) =>
  page.waitForFunction(
    (expected) => {
      const image = document.getElementById("shown");
      if (!image?.complete || !image.naturalWidth) return false;
      const canvas = document.createElement("canvas");
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return [...context.getImageData(2, 2, 1, 1).data].join() === expected;
    },
    color,
    { timeout: patience },
  );

test("a picture that changes is shown anew in place, of any size", async () => {
  const context = await browser.newContext();
  const { page, faults } = await open(context, "/first");
  await shows(page, "255,0,0,255");
  for (const [color, width, expected] of [
    ["#0000ff", 9, "0,0,255,255"],
    ["#00ff00", 9, "0,255,0,255"],
    ["#ff00ff", 18, "255,0,255,255"],
    ["#0000ff", 18, "0,0,255,255"],
  ]) {
    writeFileSync(join(folder, "images/a.svg"), picture(color, width));
    await shows(page, expected);
  }
  assert.equal(await page.evaluate(() => window.marker), "still here");
  assert.deepEqual(faults, []);
  await context.close();
});

test("a page of the run before loads itself once when the server is back at its port", async () => {
  const context = await browser.newContext();
  const { page } = await open(context, "/second");
  const port = new URL(preview.origin).port;
  const { origin } = preview;
  await preview.stop();
  preview = await previewOf(folder, "--port", port);
  assert.equal(preview.origin, origin);
  await page.waitForFunction(() => window.marker === undefined, null, { timeout: patience });
  // From then on it is told what changes, and stays.
  await page.evaluate(() => (window.marker = "still here"));
  writeFileSync(join(folder, "second.mdx"), "---\ntitle: Second\n---\n\nOther words.\n");
  await page.waitForFunction(() => document.querySelector("main")?.textContent.includes("Other words."), null, {
    timeout: patience,
  });
  assert.equal(await page.evaluate(() => window.marker), "still here");
  await context.close();
});
