// An author types into a specification while its page is open: the page is never gone, what is broken is told over it,
// and it goes when it is whole again.
import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { test } from "node:test";

import { startSite } from "./support.mjs";

/** Keystrokes into each of the two documents. */
const KEYSTROKES = Number(process.env.QUIRE_KEYSTROKES || 60);

const yaml = `openapi: 3.1.0
info: {title: Things, version: "1"}
servers: [{url: https://things.example}]
paths:
  /things:
    get:
      summary: List things
      operationId: listThings
      responses:
        "200": {description: OK}
    post:
      summary: Make a thing
      responses:
        "201": {description: Made}
`;
const json = JSON.stringify(
  {
    openapi: "3.1.0",
    info: { title: "Things", version: "1" },
    servers: [{ url: "https://things.example" }],
    paths: {
      "/things": {
        get: { summary: "List things", operationId: "listThings", responses: { 200: { description: "OK" } } },
        post: { summary: "Make a thing", responses: { 201: { description: "Made" } } },
      },
    },
  },
  null,
  2,
);

// What is typed into a new line behind the summary of the operation, and what tells whether the document is broken
// meanwhile: of JSON its own parser, of YAML that a key without a colon, or a quote or bracket without its other half,
// is no YAML 1.2.
const documents = {
  "api.json": {
    text: json,
    after: '"summary": "List things",\n',
    lines: [
      '          "description": "All of \\"them\\", at once: {none} is left out.",',
      '          "x-words": ["first", "second"],',
      '          "deprecated": true,',
    ],
    isBroken: (text) => {
      try {
        JSON.parse(text);
        return false;
      } catch {
        return true;
      }
    },
  },
  "api.yaml": {
    text: yaml,
    after: "summary: List things\n",
    lines: [
      '      description: "All of them, at once: none is left out."',
      "      x-words: [first, second]",
      "      deprecated: true",
    ],
    isBroken: (_, line) => {
      const odd = (sign) => line.split(sign).length % 2 === 0;
      return (
        Boolean(line.trim()) && (!/:(\s|$)/.test(line) || odd('"') || line.split("[").length !== line.split("]").length)
      );
    },
  },
};

for (const [name, { text, after, lines, isBroken }] of Object.entries(documents)) {
  test(`the page of an operation stays while ${name} is typed, and what is broken is told until it is mended`, async (t) => {
    const site = await startSite("typing", (folder) => {
      const docs = {
        name: "T",
        theme: "mint",
        colors: { primary: "#0a7" },
        navigation: { pages: ["start", "GET /things"] },
        api: { openapi: name },
      };
      writeFileSync(join(folder, "docs.json"), JSON.stringify(docs));
      writeFileSync(join(folder, "start.mdx"), "---\ntitle: Start\n---\n\nWords.\n");
      writeFileSync(join(folder, name), text);
    });
    try {
      const page = await site.browser.newPage({ viewport: { width: 1350, height: 900 } });
      const start = await (await fetch(`${site.preview.origin}/start`)).text();
      const address = /href="([^"]*list-things[^"]*)"/.exec(start)?.[1];
      assert.ok(address, "the operation has a page");
      let shown = () => {};
      await page.exposeFunction("overlayIs", (isThere) => shown(isThere));
      await page.goto(site.preview.origin + address);
      await page.evaluate(() => {
        let was = false;
        new MutationObserver(() => {
          const is = document.querySelector(".overlay") !== null;
          if (is !== was) window.overlayIs(is);
          was = is;
        }).observe(document.body, { childList: true });
        window.isSamePage = true;
      });
      const path = join(site.folder, name);
      const at = text.indexOf(after) + after.length;
      const overlay = page.locator(".overlay");
      const told = [];
      let wasBroken = false;
      const type = async (line) => {
        const now = `${text.slice(0, at)}${line}\n${text.slice(at)}`;
        const broken = isBroken(now, line);
        const began = performance.now();
        const seen = new Promise((resolve) => (shown = (isThere) => isThere && resolve(performance.now() - began)));
        writeFileSync(`${path}.tmp`, now);
        renameSync(`${path}.tmp`, path);
        if (broken && !wasBroken) told.push(await seen);
        const reply = await fetch(site.preview.origin + address);
        assert.equal(reply.status, 200, JSON.stringify(line));
        assert.ok((await reply.text()).includes("List things"), JSON.stringify(line));
        if (broken) await overlay.waitFor({ state: "visible" });
        wasBroken = broken;
      };
      let keys = 0;
      for (let n = 0; keys < KEYSTROKES; n += 1) {
        const line = lines[n % lines.length];
        for (let end = 1; end <= line.length; end += 1, keys += 1) await type(line.slice(0, end));
        // The line is whole.
        await overlay.waitFor({ state: "detached" });
        for (let end = line.length - 1; end >= 0; end -= 1, keys += 1) await type(line.slice(0, end));
        await overlay.waitFor({ state: "detached" });
      }
      assert.equal(await page.evaluate(() => window.isSamePage), true, "the page was not loaded again");
      assert.equal(new URL(page.url()).pathname, address);
      told.sort((a, b) => a - b);
      const percentile = (part) => told[Math.min(told.length - 1, Math.floor(told.length * part))].toFixed(1);
      t.diagnostic(
        `${keys} keystrokes; ${told.length} times broken, told after ${percentile(0.5)} ms (p50), ${percentile(0.9)} (p90), ${percentile(1)} (longest)`,
      );
    } finally {
      await site.stop();
    }
  });
}
