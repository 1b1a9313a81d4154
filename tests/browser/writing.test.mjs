// What an author does: write, and see it in place; break something, and be told where.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { startBrowser, startPreview, violationsOf, watchedPage } from "./support.mjs";

// Whatever editor the machine has.
process.env.QUIRE_EDITOR = "zed";
const editor = "zed://file";

let preview;
let browser;
before(async () => {
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
});
after(async () => {
  await browser?.close();
  assert.equal(await preview?.stop(), 0);
});

/** Edits `file` of the site with `change` while `look` looks; then puts it back. */
async function editing(file, change, look) {
  const path = join(preview.folder, file);
  const text = readFileSync(path, "utf8");
  const changed = change(text);
  assert.notEqual(changed, text, "the edit changes something");
  writeFileSync(path, changed);
  try {
    await look(() => writeFileSync(path, text));
  } finally {
    writeFileSync(path, text);
  }
}

/** A page that is listening for changes, and how often it was told of one. */
async function open(context, path) {
  const { page, faults } = await watchedPage(context, preview.origin);
  const listening = page.waitForResponse((response) => response.url().includes("/_quire/events"));
  await page.goto(preview.origin + path);
  await listening;
  await page.evaluate(() => {
    window.marker = "still here";
    window.updates = 0;
    document.addEventListener("quire:update", () => (window.updates += 1));
  });
  return { page, faults };
}

const updates = (page) => page.evaluate(() => [window.marker, window.updates]);
const waitForText = (page, selector, text) =>
  page.waitForFunction(([at, words]) => document.querySelector(at)?.textContent.includes(words), [selector, text]);

test("an edit is shown in place, without a reload, and the reader stays where they were", async () => {
  const context = await browser.newContext({ viewport: { width: 1200, height: 500 } });
  const { page, faults } = await open(context, "/guides/webhooks");
  await page.evaluate(() => scrollTo({ top: 600, behavior: "instant" }));
  const heading = () =>
    page.evaluate(() => {
      const all = [...document.querySelectorAll("main h2[id]")].map((h) => [h.id, h.getBoundingClientRect().top]);
      return all.filter(([, top]) => top < innerHeight * 0.4).at(-1);
    });
  const before = await heading();
  assert.ok(before && (await page.evaluate(() => scrollY)) > 300);
  const grow = (text) => text.replace(/\n---\n/, "\n---\n\nNew words at the top.\n\nAnd a second line of them.\n");
  await editing("guides/webhooks.mdx", grow, async () => {
    await waitForText(page, "main", "New words at the top.");
    await page.waitForFunction(() => window.updates > 0);
    const after = await heading();
    assert.equal(after[0], before[0]);
    assert.ok(Math.abs(after[1] - before[1]) <= 2, `${before} ${after}`);
    assert.equal((await updates(page))[0], "still here");
  });
  assert.deepEqual(faults, []);
  await context.close();
});

test("what was opened stays open over an edit", async () => {
  const context = await browser.newContext();
  const { page } = await open(context, "/guides/faq");
  const folds = () => page.locator("main details:not(.toc-inline)").evaluateAll((all) => all.map((fold) => fold.open));
  const before = await folds();
  const at = before.indexOf(false);
  await page.locator("main details:not(.toc-inline) > summary").nth(at).click();
  const chosen = before.map((open, i) => open || i === at);
  assert.deepEqual(await folds(), chosen);
  await editing(
    "guides/faq.mdx",
    (text) => `${text}\nOne more line at the end.\n`,
    async () => {
      await waitForText(page, "main", "One more line at the end.");
      assert.deepEqual(await folds(), chosen);
    },
  );
  await context.close();
});

test("only the page that changed is told", async () => {
  const context = await browser.newContext();
  const [one, other] = [await open(context, "/guides/errors"), await open(context, "/guides/pagination")];
  await editing(
    "guides/errors.mdx",
    (text) => `${text}\nA line for one page only.\n`,
    async () => {
      await waitForText(one.page, "main", "A line for one page only.");
    },
  );
  // The edit was undone: the page is told of that too, and then there is nothing left to be told.
  await one.page.waitForFunction(() => !document.querySelector("main").textContent.includes("A line for one page"));
  // The other page is told of its own edit, and that is the first it hears.
  await editing(
    "guides/pagination.mdx",
    (text) => `${text}\nA line for the other.\n`,
    async () => {
      await waitForText(other.page, "main", "A line for the other.");
      await other.page.waitForFunction(() => window.updates > 0);
      assert.deepEqual(await updates(other.page), ["still here", 1]);
    },
  );
  await context.close();
});

test("a new title is shown in the sidebar of the pages beside it", async () => {
  const context = await browser.newContext();
  const { page } = await open(context, "/quickstart");
  await editing(
    "authentication.mdx",
    (text) => text.replace(/title: .*/, "title: Proving who you are"),
    async () => {
      await waitForText(page, ".sidebar", "Proving who you are");
      assert.equal((await updates(page))[0], "still here");
    },
  );
  await context.close();
});

test("a new page appears in the navigation when it is listed, and its address answers", async () => {
  const context = await browser.newContext();
  const { page } = await open(context, "/quickstart");
  writeFileSync(join(preview.folder, "fresh.mdx"), "---\ntitle: A fresh page\n---\n\nFresh words.\n");
  const list = (text) => text.replace('"quickstart", ', '"quickstart", "fresh", ');
  await editing("docs.json", list, async () => {
    await waitForText(page, ".sidebar", "A fresh page");
    await page.locator(".sidebar a", { hasText: "A fresh page" }).click();
    await waitForText(page, "main", "Fresh words.");
  });
  await context.close();
});

async function brokenAndMended(change, expected) {
  const context = await browser.newContext();
  const { page, faults } = await open(context, "/concepts/visits");
  const overlay = page.locator(".overlay");
  assert.equal(await overlay.count(), 0);
  await editing("concepts/visits.mdx", change, async (mend) => {
    await overlay.waitFor({ state: "visible" });
    assert.equal(await overlay.locator(".problem-place").first().innerText(), expected.place);
    const frame = await overlay.locator(".code-frame").first().textContent();
    const lines = frame.split("\n");
    assert.equal(lines[0], expected.line);
    // The carets stand below what they are about.
    assert.equal(lines[1].indexOf("^"), expected.caret);
    assert.equal(await page.locator("main h1").innerText(), expected.title);
    // Narrow enough that the line of the file is wider than the window: it is scrolled to its end by keys too.
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width: 320, height: 700 });
      assert.deepEqual(await violationsOf(page), []);
    }
    mend();
    await overlay.waitFor({ state: "detached" });
    await waitForText(page, "main", "Entrance hours");
    assert.equal((await updates(page))[0], "still here");
  });
  assert.deepEqual(faults, []);
  await context.close();
}

test("broken frontmatter is shown over the page with its place, until it is mended", async () => {
  await brokenAndMended((text) => text.replace("title: Visits", "title: Visits: and more"), {
    place: "concepts/visits.mdx:2:14",
    line: "2 │ title: Visits: and more",
    caret: 17,
    title: "Visits",
  });
});

test("broken JSX is shown over the page with its place, until it is mended", async () => {
  await brokenAndMended((text) => text.replace("</Info>", "</Inof>"), {
    place: "concepts/visits.mdx:14:1",
    line: "14 │ </Inof>",
    caret: 5,
    title: "Visits",
  });
});

test("the card with what is wrong can be put away", async () => {
  const context = await browser.newContext();
  const { page } = await open(context, "/concepts/visits");
  await editing(
    "concepts/visits.mdx",
    (text) => text.replace(/description: .*/, 'description: "no end'),
    async () => {
      const overlay = page.locator(".overlay");
      await overlay.waitFor({ state: "visible" });
      await page.keyboard.press("Escape");
      await overlay.waitFor({ state: "detached" });
    },
  );
  await context.close();
});

test("a click on a place opens the file in the editor", async () => {
  const context = await browser.newContext();
  const { page } = await open(context, "/concepts/visits");
  await editing(
    "concepts/visits.mdx",
    (text) => text.replace("</Info>", "</Inof>"),
    async () => {
      const link = page.locator(".overlay .problem-place a").first();
      await link.waitFor({ state: "visible" });
      assert.equal(
        await link.getAttribute("href"),
        `${editor}/${join(preview.folder, "concepts/visits.mdx").slice(1)}:14:1`,
      );
    },
  );
  await context.close();
});

test("what is wrong with the whole site is a badge beside every page, and stays put away", async () => {
  const context = await browser.newContext();
  const { page, faults } = await open(context, "/concepts/visits");
  const [badge, overlay] = [page.locator(".problem-badge"), page.locator(".overlay")];
  const unknown = (text) => text.replace('"theme": "mint"', '"theme": "no-theme"');
  await editing("docs.json", unknown, async () => {
    await badge.waitFor({ state: "visible" });
    assert.equal(await overlay.count(), 0);
    await badge.click();
    assert.match(await overlay.locator(".problem-message").first().innerText(), /no-theme/);
    await page.keyboard.press("Escape");
    assert.deepEqual([await overlay.count(), await badge.count()], [0, 0]);
    // Neither the next page nor a page that is read anew brings it back.
    await page.locator(".sidebar a[href='/quickstart']").click();
    await page.waitForFunction(() => location.pathname === "/quickstart");
    await page.reload();
    await waitForText(page, "main", "Quickstart");
    await editing(
      "quickstart.mdx",
      (text) => `${text}\nA line more.\n`,
      () => waitForText(page, "main", "A line more."),
    );
    assert.deepEqual([await overlay.count(), await badge.count()], [0, 0]);
    // Another problem does.
    const docs = join(preview.folder, "docs.json");
    writeFileSync(docs, readFileSync(docs, "utf8").replace("no-theme", "no-other-theme"));
    await badge.waitFor({ state: "visible" });
  });
  await badge.waitFor({ state: "detached" });
  assert.deepEqual(faults, []);
  await context.close();
});

test("while the configuration cannot be read, the last one is shown, and the page says so", async () => {
  const context = await browser.newContext();
  const { page, faults } = await open(context, "/concepts/visits");
  const name = await page.locator(".logo").first().getAttribute("aria-label");
  await editing(
    "docs.json",
    (text) => text.replace('"name":', '"name"'),
    async () => {
      const message = page.locator(".overlay .problem-message");
      await message.waitFor({ state: "visible" });
      assert.match(await message.innerText(), /not valid JSON.*its last whole version stays in use/);
      assert.equal(await page.locator(".logo").first().getAttribute("aria-label"), name);
      assert.ok((await page.locator(".sidebar a.sidebar-link").count()) > 3);
    },
  );
  await page.locator(".overlay").waitFor({ state: "detached" });
  assert.deepEqual(faults, []);
  await context.close();
});

test("while a specification cannot be read, the page of an operation stays, with what is wrong over it", async () => {
  const context = await browser.newContext();
  const { page } = await open(context, "/api/tickets/list-tickets");
  const title = await page.locator("h1").textContent();
  assert.match(title, /List tickets/);
  await editing(
    "openapi/museum.yaml",
    (text) => text.replace("      summary: List tickets", '      summary: "List tickets'),
    async (mend) => {
      await page.locator(".overlay").waitFor();
      const told = await page.locator(".overlay").textContent();
      assert.match(told, /openapi\/museum\.yaml:\d+:\d+/);
      assert.match(told, /its last whole version stays in use/);
      assert.equal(await page.locator("h1").textContent(), title);
      mend();
      await page.locator(".overlay").waitFor({ state: "detached" });
    },
  );
  assert.equal(await page.evaluate(() => window.marker), "still here");
  await context.close();
});

test("an operation that moves with its summary takes the open page along", async () => {
  const context = await browser.newContext();
  const { page } = await open(context, "/api/tickets/list-tickets");
  const summary = (words) => (text) => text.replace("      summary: List tickets", `      summary: ${words}`);
  await editing("openapi/museum.yaml", summary("List tickets sold"), async (back) => {
    await page.waitForFunction(() => document.querySelector("h1").textContent.includes("List tickets sold"));
    assert.equal(new URL(page.url()).pathname, "/api/tickets/list-tickets-sold");
    back();
    await page.waitForFunction(() => !document.querySelector("h1").textContent.includes("sold"));
    assert.equal(new URL(page.url()).pathname, "/api/tickets/list-tickets");
  });
  assert.equal(await page.evaluate(() => window.marker), "still here");
  await context.close();
});

test("the rules of a new class arrive with the edit, before the site's own stylesheets", async () => {
  const context = await browser.newContext();
  const { page, faults } = await open(context, "/guides/webhooks");
  const box = '<div id="box" className="flex p-4 dark:hidden">x</div>';
  await editing(
    "guides/webhooks.mdx",
    (text) => `${text}\n${box}\n`,
    async (undo) => {
      await page.waitForFunction(() => {
        const element = document.getElementById("box");
        return element && getComputedStyle(element).paddingTop === "16px";
      });
      assert.equal((await updates(page))[0], "still here");
      // `dark:` follows the reader's choice, whatever the system says.
      const display = () => page.evaluate(() => getComputedStyle(document.getElementById("box")).display);
      assert.equal(await display(), "flex");
      await page.locator("[data-theme-toggle]").first().click();
      await page.locator("[data-theme-toggle]").first().click();
      assert.equal(await display(), "none");
      undo();
      await page.waitForFunction(() => !document.querySelector("style[data-live='styles']"));
    },
  );
  assert.deepEqual(faults, []);
  await context.close();
});

test("a stylesheet of the site is exchanged in place, and a script makes the page load again", async () => {
  const context = await browser.newContext();
  const style = join(preview.folder, "style.css");
  const script = join(preview.folder, "script.js");
  writeFileSync(style, "main { outline: 1px solid red }");
  try {
    const { page, faults } = await open(context, "/guides/webhooks");
    const width = (wanted) =>
      page.waitForFunction((width) => getComputedStyle(document.querySelector("main")).outlineWidth === width, wanted);
    await width("1px");
    writeFileSync(style, "main { outline: 3px solid red }");
    await width("3px");
    await page.waitForFunction(() => document.querySelectorAll("link[href*='/style.css']").length === 1);
    assert.equal((await updates(page))[0], "still here");
    rmSync(style);
    await page.waitForFunction(() => !document.querySelector("link[href*='/style.css']"));
    assert.equal((await updates(page))[0], "still here");
    writeFileSync(script, "window.ran = 'once'");
    await page.waitForFunction(() => window.ran === "once" && !window.marker);
    assert.deepEqual(faults, []);
  } finally {
    rmSync(style, { force: true });
    rmSync(script, { force: true });
  }
  await context.close();
});
