// What a reader does: look around, choose a theme, read on a small screen, print, and do without scripts.
import assert from "node:assert/strict";
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

/** Runs `read` with a fresh page; the page must have done nothing wrong in the end. */
async function reading(options, read) {
  const context = await browser.newContext(options);
  const { page, faults } = await watchedPage(context, preview.origin);
  await page.goto(`${preview.origin}/`);
  await read(page, context);
  assert.deepEqual(faults, []);
  await context.close();
}

const heading = (page) => page.locator("main h1");

async function assertAt(page, path, title) {
  await page.waitForURL(`${preview.origin}${path}`);
  assert.equal(await heading(page).innerText(), title);
}

async function walkThroughTheSite(page) {
  await assertAt(page, "/", "Introduction");
  assert.match(await page.title(), /^Introduction - Museum/);
  await page.locator(".sidebar a", { hasText: "Quickstart" }).click();
  await assertAt(page, "/quickstart", "Quickstart");
  const active = page.locator(".sidebar [aria-current='page']");
  assert.equal(await active.innerText(), "Quickstart");
  await page.locator("a[rel='next']").click();
  await assertAt(page, "/authentication", "Authentication");
  await page.locator("a[rel='prev']").click();
  await assertAt(page, "/quickstart", "Quickstart");
  await page.locator(".tabs-row a", { hasText: "API reference" }).click();
  await assertAt(page, "/api/introduction", "API reference");
  assert.equal(await page.locator(".sidebar a", { hasText: "Quickstart" }).count(), 0);
  await page.locator(".sidebar").getByRole("link", { name: "POST Tickets" }).click();
  await assertAt(page, "/api/tickets", "Buy a ticket");
  // What the author wrote comes first, then a page for each operation, in the order of the specification.
  await page.locator("a[rel='next']").click();
  await assertAt(page, "/api/exhibits", "Search exhibits");
  await page.locator("a[rel='next']").click();
  await assertAt(page, "/api/tickets/list-tickets", "List tickets");
  assert.equal(await active.innerText(), "GET\nList tickets");
  await page.locator(".sidebar a", { hasText: "A visit was moved" }).click();
  await assertAt(page, "/api/visits/a-visit-was-moved", "A visit was moved");
  await page.locator("a[rel='prev']").click();
  await assertAt(page, "/api/visits/a-visit-started", "A visit started");
  await page.locator("a.logo").click();
  await assertAt(page, "/", "Introduction");
  await page.locator("main a.card-link", { hasText: "Visits" }).click();
  await assertAt(page, "/concepts/visits", "Visits");
}

test("a reader finds the way by sidebar, tabs, neighbors and cards", async () => {
  await reading({}, walkThroughTheSite);
});

test("without scripts the way is the same", async () => {
  await reading({ javaScriptEnabled: false }, async (page) => {
    await walkThroughTheSite(page);
    // What scripts would fold or switch is readable.
    await page.goto(`${preview.origin}/quickstart`);
    for (const text of ['curl "https', "import os, requests", "const answer"]) {
      assert.ok(await page.locator("main", { hasText: text }).isVisible(), text);
      assert.ok(await page.locator("main pre", { hasText: text }).first().isVisible(), text);
    }
  });
});

test("no page of the site does anything wrong", async () => {
  await reading({}, async (page) => {
    const seen = new Set(["/"]);
    const pending = ["/"];
    while (pending.length) {
      const path = pending.pop();
      await page.goto(preview.origin + path);
      assert.ok(await heading(page).count(), path);
      const links = await page
        .locator(".sidebar-scroll a[href^='/'], .tabs-row a[href^='/']")
        .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      for (const link of links) {
        if (seen.has(link)) continue;
        seen.add(link);
        pending.push(link);
      }
    }
    assert.ok(seen.size > 15, [...seen].join(" "));
  });
});

test("the list of contents leads to headings and follows the reader", async () => {
  await reading({ viewport: { width: 1400, height: 500 } }, async (page) => {
    await page.goto(`${preview.origin}/guides/webhooks`);
    const links = page.locator(".toc a");
    const headings = await page.locator("main h2[id], main h3[id]").evaluateAll((all) => all.map((h) => `#${h.id}`));
    const listed = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    assert.ok(headings.length > 1);
    assert.deepEqual(listed, headings);
    const last = listed.at(-1);
    await links.last().click();
    await page.waitForURL(`**${last}`);
    await page.waitForFunction(
      (hash) => document.querySelector(".toc [aria-current='location']")?.getAttribute("href") === hash,
      last,
    );
    const top = await page.locator(last).evaluate((element) => element.getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 500, `${top}`);
  });
});

test("the theme that was chosen stays", async () => {
  await reading({ colorScheme: "light" }, async (page) => {
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains("dark"));
    const light = await ground();
    const toggle = page.locator(".header-end [data-theme-toggle]");
    while ((await toggle.getAttribute("aria-label")) !== "Theme: dark") await toggle.click();
    const dark = await ground();
    assert.notEqual(dark, light);
    assert.ok(await isDark());
    await page.reload();
    assert.equal(await ground(), dark);
    await page.goto(`${preview.origin}/quickstart`);
    assert.ok(await isDark());
    assert.equal(await ground(), dark);
  });
});

test("the theme of the system is followed until one is chosen", async () => {
  await reading({ colorScheme: "dark" }, async (page) => {
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains("dark"));
    assert.ok(await isDark());
    await page.emulateMedia({ colorScheme: "light" });
    await page.waitForFunction(() => !document.documentElement.classList.contains("dark"));
  });
});

test("on a small screen the navigation is a drawer", async () => {
  await reading({ viewport: { width: 375, height: 700 } }, async (page) => {
    const sidebar = page.locator(".sidebar");
    const inView = async () => {
      const box = await sidebar.boundingBox();
      return box !== null && (await sidebar.isVisible()) && box.x + box.width > 0 && box.x < 375;
    };
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(await inView(), false);
    assert.ok((await overflow()) <= 0, "nothing is wider than the screen");
    await page.locator("[data-drawer-open]").click();
    await sidebar.locator("a", { hasText: "Quickstart" }).waitFor({ state: "visible" });
    // It slides in: visible before it is in view.
    await page.waitForFunction(() => {
      const { left, right } = document.querySelector(".sidebar").getBoundingClientRect();
      return right > 0 && left < innerWidth;
    });
    assert.equal(await inView(), true);
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.documentElement.hasAttribute("data-drawer"));
    await page.locator("[data-drawer-open]").click();
    await sidebar.locator("a", { hasText: "Quickstart" }).click();
    await assertAt(page, "/quickstart", "Quickstart");
    assert.equal(await inView(), false);
    assert.ok((await overflow()) <= 0, "nothing is wider than the screen");
  });
});

test("on a small screen the drawer opens without scripts", async () => {
  // At rest at once: whether something has come to rest is hard to ask of a page without scripts.
  const phone = { viewport: { width: 375, height: 700 }, javaScriptEnabled: false, reducedMotion: "reduce" };
  await reading(phone, async (page) => {
    await page.locator("[data-drawer-open]").click();
    const link = page.locator(".sidebar a", { hasText: "Quickstart" });
    await link.waitFor({ state: "visible" });
    await link.click();
    await assertAt(page, "/quickstart", "Quickstart");
  });
});

test("on paper there is the text and nothing around it", async () => {
  await reading({}, async (page) => {
    await page.goto(`${preview.origin}/quickstart`);
    await page.emulateMedia({ media: "print" });
    for (const selector of [".site-header", ".sidebar", ".toc", ".pager"]) {
      assert.equal(await page.locator(selector).isVisible(), false, selector);
    }
    assert.ok(await heading(page).isVisible());
    // Of the languages of a sample, the one that was chosen.
    await page.goto(`${preview.origin}/api/tickets/buy-a-ticket`);
    const samples = page.locator(".samples .tab-panel");
    assert.ok((await samples.count()) > 2);
    assert.equal(await samples.filter({ visible: true }).count(), 1);
    const paper = await page.pdf();
    assert.equal(paper.subarray(0, 5).toString(), "%PDF-");
  });
});

test("tabs are switched by pointer and keys, and remembered", async () => {
  await reading({}, async (page) => {
    await page.goto(`${preview.origin}/quickstart`);
    const set = page.locator("[data-tabs]").first();
    // Code that has just come into sight has no rendered text before the next frame (`content-visibility`).
    const shown = () => set.locator(".tab-panel:visible").textContent();
    assert.match(await shown(), /curl/);
    await set.getByRole("tab", { name: "Python" }).click();
    assert.match(await shown(), /import os/);
    await page.keyboard.press("ArrowRight");
    assert.match(await shown(), /const answer/);
    await page.reload();
    assert.match(await shown(), /const answer/);
  });
});

test("an unknown address offers the nearest page", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const answer = await page.goto(`${preview.origin}/quickstrat`);
  assert.equal(answer.status(), 404);
  await page.locator("main a[href='/quickstart']").first().click();
  await assertAt(page, "/quickstart", "Quickstart");
  await context.close();
});
