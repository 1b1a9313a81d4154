// A picture that is replaced is shown in open pages, wherever they name it.
import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { patience, startSite } from "./support.mjs";

const NAMES = ["image", "set", "half", "source", "poster", "inline", "sheet", "wide", "class"];

const drawing = (color) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="${color}"/></svg>`;

const PAGE = `---
title: Pictures
---

<img src="/images/image.svg" alt="" width="40" height="40" />
<img src="/images/image.svg" srcSet="/images/half.svg 0.5x, /images/set.svg 1x" alt="" width="40" height="40" />
<picture><source srcSet="/images/source.svg" /><img src="/images/image.svg" alt="" width="40" height="40" /></picture>
<video poster="/images/poster.svg" width="40" height="40" />
<div style={{ width: "40px", height: "40px", backgroundImage: "url(/images/inline.svg)" }}>a</div>
<div className="drawn">b</div>
<div className="w-10 h-10 bg-[url(/images/class.svg)]">c</div>
`;

const SHEET = `.drawn { background: no-repeat url("images/sheet.svg"); width: 40px; height: 40px }
@media (min-width: 600px) { .drawn { border-image-source: url(/images/wide.svg); } }
`;

test("pictures that are replaced are asked for again wherever a page names them", async () => {
  const { folder, preview, browser, stop } = await startSite("pictures", (folder) => {
    const config = {
      name: "Pictures",
      theme: "mint",
      colors: { primary: "#336699" },
      navigation: { pages: ["index"] },
    };
    writeFileSync(join(folder, "docs.json"), JSON.stringify(config));
    writeFileSync(join(folder, "index.mdx"), PAGE);
    writeFileSync(join(folder, "style.css"), SHEET);
    mkdirSync(join(folder, "images"));
    for (const name of NAMES) writeFileSync(join(folder, `images/${name}.svg`), drawing("red"));
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(preview.origin);
    await page.waitForTimeout(1000);
    const shown = NAMES.filter((name) => asked.some((url) => url.includes(`/images/${name}.svg`)));
    assert.ok(shown.length >= NAMES.length - 1, `${shown}`);
    asked.length = 0;
    writeFileSync(join(folder, "images/image.svg"), drawing("blue"));
    const missing = () =>
      shown.filter((name) => !asked.some((url) => url.includes(`/images/${name}.svg`) && url.includes("quire-at=")));
    for (const end = Date.now() + patience / 3; missing().length > 0 && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.deepEqual(missing(), []);
    // Another change is another address, not one more part of it.
    asked.length = 0;
    writeFileSync(join(folder, "images/sheet.svg"), drawing("green"));
    for (const end = Date.now() + patience / 3; missing().length > 0 && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.deepEqual(missing(), []);
    assert.ok(
      asked.every((url) => url.split("quire-at=").length <= 2),
      `${asked}`,
    );
  } finally {
    await stop();
  }
});
