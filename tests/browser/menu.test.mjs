// The menu of a page: by keys, without scripts, what is copied, below the list of headings, on narrow screens; and what
// stands at the head and the foot of an article.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { program, serveExport, startSite, violationsOf, watchedPage } from "./support.mjs";

function writeSite(folder) {
  const write = (path, text) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write(
    "start.mdx",
    "---\ntitle: Start of a title that takes more than one line on a telephone\ndescription: The first\n---\n## Part\n\nSome **words** of start.\n",
  );
  write("guides/second.mdx", "---\ntitle: Second\nlastUpdatedDate: 2026-11-21\n---\n## Part\n\nWords of second.\n");
  write(
    "guides/beside.mdx",
    "---\ntitle: Beside\ncontextual:\n  display: toc\n  options: [copy, view, chatgpt, mcp]\n---\n## Part\n\nWords of beside.\n",
  );
  write("plain.mdx", "---\ntitle: Plain\ncontextual: {options: []}\n---\nNothing.\n");
  write("icon.svg", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>');
  const options = [
    "copy",
    "view",
    "assistant",
    "download-pdf",
    "chatgpt",
    "claude",
    "mcp",
    "add-mcp",
    "cursor",
    "vscode",
    {
      title: "Share",
      description: "Tell others",
      icon: "star",
      href: { base: "https://share.example/new", query: [{ key: "text", value: "See: $page" }] },
    },
  ];
  const pages = ["start", { group: "Guides", root: "guides/second", pages: ["guides/beside"] }, "plain"];
  write(
    "docs.json",
    JSON.stringify({
      $schema: "x",
      theme: "mint",
      name: "Menus",
      favicon: "/icon.svg",
      colors: { primary: "#0a7" },
      styling: { eyebrows: "breadcrumbs" },
      metadata: { timestamp: true },
      feedback: { thumbs: true },
      contextual: { options },
      navigation: { groups: [{ group: "All", pages }] },
    }),
  );
}

let folder, preview, browser, stop;
before(async () => ({ folder, preview, browser, stop } = await startSite("menu", writeSite)));
after(() => stop?.());

async function opened(address, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1350, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  const { page, faults } = await watchedPage(context, preview.origin);
  await page.goto(preview.origin + address);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  const focused = () =>
    page.evaluate(
      () => document.activeElement.querySelector(".page-menu-title")?.textContent ?? document.activeElement.id,
    );
  return { page, faults, copied, focused, context, close: () => context.close() };
}

test("the button copies the page as Markdown and says so", async () => {
  const { page, faults, copied, close } = await opened("/start");
  const twin = await (await fetch(`${preview.origin}/start.md`)).text();
  await page.click(".page-menu > button");
  await page.waitForFunction(() => document.querySelector("[role=status].unseen").textContent === "Copied");
  assert.equal((await page.innerText(".page-menu > button")).trim(), "Copied");
  assert.equal(await copied(), twin);
  assert.match(twin, /Some \*\*words\*\* of start/);
  await page.waitForFunction(() => document.querySelector(".page-menu > button").innerText.trim() === "Copy page");
  assert.deepEqual(faults, []);
  await close();
});

test("the copy of another page is that of the page that is shown", async () => {
  const { page, copied, close } = await opened("/start");
  await page.click(".page-menu > button");
  await page.waitForFunction(() => document.querySelector("[role=status].unseen").textContent === "Copied");
  await page.evaluate(() => (window.mark = true));
  await page.click(".sidebar a[href='/guides/second']");
  await page.waitForFunction(() => document.querySelector("main h1").textContent.trim() === "Second");
  assert.ok(await page.evaluate(() => window.mark), "no document was read");
  await page.click(".page-menu > button");
  await page.waitForFunction(() => document.querySelector(".page-menu > [data-done]"));
  assert.match(await copied(), /Words of second/);
  await close();
});

test("keys open the menu, go through it and leave it", async () => {
  const { page, faults, focused, close } = await opened("/start");
  const isOpen = () => page.evaluate(() => document.querySelector(".page-menu-more").open);
  await page.focus("#page-context-menu-button");
  await page.keyboard.press("ArrowDown");
  assert.ok(await isOpen());
  assert.equal(await focused(), "View as Markdown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(), "Ask the assistant");
  await page.keyboard.press("End");
  assert.equal(await focused(), "Share");
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(), "View as Markdown", "it goes around");
  await page.keyboard.press("ArrowUp");
  assert.equal(await focused(), "Share");
  await page.keyboard.press("Home");
  assert.equal(await focused(), "View as Markdown");
  await page.keyboard.press("Escape");
  assert.ok(!(await isOpen()));
  assert.equal(await focused(), "page-context-menu-button");
  await page.keyboard.press("Enter");
  assert.ok(await isOpen());
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "View as Markdown");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  assert.ok(!(await isOpen()), "whoever leaves it closes it");
  assert.deepEqual(faults, []);
  await close();
});

test("addresses get the place of the site when they are about to be followed", async () => {
  const { page, copied, close } = await opened("/start");
  await page.click("#page-context-menu-button");
  const entry = (title) => page.locator(".page-menu .menu .page-menu-entry", { hasText: title });
  const href = async (title) => {
    await entry(title).focus();
    return entry(title).getAttribute("href");
  };
  const prompt = new URL(await href("Open in ChatGPT")).searchParams.get("q");
  assert.equal(prompt, `Read ${preview.origin}/start.md and answer questions about it.`);
  const cursor = new URL(await href("Connect to Cursor"));
  assert.equal(cursor.protocol, "cursor:");
  assert.deepEqual(JSON.parse(atob(cursor.searchParams.get("config"))), { url: `${preview.origin}/mcp` });
  const code = decodeURIComponent((await href("Connect to VS Code")).split("?")[1]);
  assert.deepEqual(JSON.parse(code), { name: "menus", type: "http", url: `${preview.origin}/mcp` });
  await entry("Copy MCP install command").click();
  await page.waitForFunction(() => document.querySelector(".menu [data-done]"));
  assert.equal(await copied(), `npx add-mcp ${preview.origin}/mcp`);
  // The text of the page stands in the address once it was read.
  await entry("Share").hover();
  await page.waitForFunction(() => !document.querySelector(".page-menu [data-content]"));
  const text = new URL(await entry("Share").getAttribute("href")).searchParams.get("text");
  assert.match(text, /^See: # Start[^]*Some \*\*words\*\*/);
  await close();
});

test("the assistant opens beside the page", async () => {
  const { page, close } = await opened("/start");
  await page.click("#page-context-menu-button");
  await page.click(".page-menu [data-ask-open]");
  await page.waitForSelector(".ask textarea");
  await close();
});

test("the dialog for printing opens, and the menu is not on paper", async () => {
  const { page, close } = await opened("/start");
  await page.evaluate(() => (window.print = () => (window.printed = true)));
  await page.click("#page-context-menu-button");
  await page.click(".page-menu [data-page-print]");
  assert.ok(await page.evaluate(() => window.printed));
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.isVisible(".page-menu")));
  await close();
});

test("without scripts the menu is a list of links that opens", async () => {
  const { page, close } = await opened("/start", { javaScriptEnabled: false, permissions: [] });
  assert.ok(!(await page.isVisible(".page-menu > button")));
  const summary = page.locator("#page-context-menu-button");
  assert.equal((await summary.innerText()).trim(), "Page actions");
  await summary.click();
  const shown = page.locator(".page-menu .menu a:visible, .page-menu .menu button:visible");
  const titles = (await shown.allInnerTexts()).map((text) => text.split("\n")[0].trim());
  assert.deepEqual(titles, [
    "View as Markdown",
    "Open in ChatGPT",
    "Open in Claude",
    "Connect to Cursor",
    "Connect to VS Code",
    "Share",
  ]);
  await page.click(".page-menu a[href='/start.md']");
  assert.equal(new URL(page.url()).pathname, "/start.md");
  await close();
});

test("below the list of headings every entry has a line; a narrow screen has the menu", async () => {
  const { page, copied, close } = await opened("/guides/beside");
  assert.ok(!(await page.isVisible(".page-menu")));
  const lines = await page.locator(".toc .page-menu-list .page-menu-entry").allInnerTexts();
  assert.deepEqual(
    lines.map((line) => line.trim()),
    ["Copy page", "View as Markdown", "Open in ChatGPT", "Copy MCP server URL"],
  );
  await page.click(".toc [data-copy-text-of]");
  await page.waitForFunction(() => document.querySelector(".toc [data-done]"));
  assert.equal(await copied(), `${preview.origin}/mcp`);
  await page.setViewportSize({ width: 700, height: 800 });
  assert.ok(await page.isVisible(".page-menu"));
  assert.ok(!(await page.isVisible(".toc .page-menu-list")));
  await page.goto(`${preview.origin}/plain`);
  assert.equal(await page.locator(".page-menu").count(), 0);
  await close();
});

const said = async () =>
  (await (await fetch(`${preview.admin}/_quire/feedback`)).json()).feedback.map(({ at, id, site, ...rest }) => rest);

test("a thumb is sent at once, and what is written afterwards stands in its place", async () => {
  const { page, faults, close } = await opened("/guides/second");
  assert.ok(!(await page.isVisible("#feedback-form")));
  const posted = page.waitForResponse((reply) => reply.request().method() === "POST");
  await page.click("#feedback-thumbs-down");
  assert.equal((await posted).status(), 204);
  assert.deepEqual((await said())[0], { kind: "page", path: "/guides/second", helpful: false });
  assert.equal(await page.getAttribute("#feedback-thumbs-down", "aria-pressed"), "true");
  assert.equal(await page.evaluate(() => document.activeElement.id), "feedback-form-input");
  const count = (await said()).length;
  await page.keyboard.type("Say <more>");
  await page.click("#feedback-form-submit");
  await page.waitForSelector("#feedback-thanks:visible");
  assert.equal(await page.evaluate(() => document.activeElement.id), "feedback-thanks");
  assert.ok(!(await page.isVisible("#feedback-form")));
  const list = await said();
  assert.equal(list.length, count);
  assert.deepEqual(list[0], { kind: "page", path: "/guides/second", helpful: false, text: "Say <more>" });
  assert.deepEqual(faults, []);
  await close();
});

test("what cannot be sent is said, and can be sent again", async () => {
  const { page, context, close } = await opened("/guides/second");
  await context.route("**/_quire/feedback", (route) => route.abort());
  await page.click("#feedback-thumbs-up");
  await page.waitForSelector(".page-feedback-failed:visible");
  await context.unroute("**/_quire/feedback");
  await page.fill("#feedback-form-input", "Again");
  await page.click("#feedback-form-submit");
  await page.waitForSelector("#feedback-thanks:visible");
  assert.equal((await said())[0].text, "Again");
  await close();
});

test("without scripts the question is a form that leads back to its page", async () => {
  const { page, close } = await opened("/guides/second", { javaScriptEnabled: false, permissions: [] });
  await page.fill("#feedback-form-input", "Plain words");
  await page.click("#feedback-thumbs-up");
  await page.waitForURL("**/guides/second#feedback-thanks");
  assert.ok(await page.isVisible("#feedback-thanks"));
  assert.deepEqual((await said())[0], { kind: "page", path: "/guides/second", helpful: true, text: "Plain words" });
  await close();
});

test("the head and the foot say where a page is and when it was changed", async () => {
  const { page, close } = await opened("/guides/beside");
  const crumbs = page.locator(".breadcrumbs li");
  assert.deepEqual(
    (await crumbs.allInnerTexts()).map((text) => text.trim()),
    ["All", "Guides"],
  );
  await page.click(".breadcrumbs a");
  await page.waitForFunction(() => document.querySelector("main h1").textContent.trim() === "Second");
  assert.equal(await page.innerText(".last-modified"), "Last modified 21 November 2026");
  assert.equal(await page.getAttribute(".last-modified time", "datetime"), "2026-11-21");
  await close();
});

test("nothing moves sideways on narrow screens, and axe finds nothing in either theme", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const [width, address] of [
      [320, "/start"],
      [768, "/start"],
      [1350, "/start"],
      [1350, "/guides/beside"],
      [320, "/guides/second"],
      [1350, "/guides/second"],
    ]) {
      const { page, faults, close } = await opened(address, {
        viewport: { width, height: 800 },
        colorScheme,
        reducedMotion: "reduce",
      });
      if (await page.isVisible("#page-context-menu-button")) await page.click("#page-context-menu-button");
      const box = page.locator(".page-menu .menu");
      if (await box.isVisible()) {
        const { x, width: wide } = await box.boundingBox();
        assert.ok(x >= 0 && x + wide <= width, `${width}: ${x} ${wide}`);
      }
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} ${address}`);
      if (await page.isVisible(".page-feedback"))
        await page.evaluate(() => (document.querySelector(".page-feedback").dataset.state = "more"));
      assert.deepEqual(await violationsOf(page), [], `${width} ${colorScheme} ${address}`);
      assert.deepEqual(faults, []);
      await close();
    }
  }
});

test("an export has what needs no server, below its path", async () => {
  const out = join(folder, "..", `${folder.split("/").at(-1)}-out`);
  const built = spawnSync(program, [
    "build",
    folder,
    "--out",
    out,
    "--base-path",
    "/docs",
    "--base-url",
    "https://docs.example",
  ]);
  assert.equal(built.status, 0, String(built.stderr));
  const server = await serveExport(out);
  try {
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page, faults } = await watchedPage(context, server.origin);
    await page.goto(`${server.origin}/docs/start/`);
    const titles = await page.locator(".page-menu .page-menu-title").allTextContents();
    assert.deepEqual(titles, [
      "Copy page",
      "View as Markdown",
      "Save as PDF",
      "Open in ChatGPT",
      "Open in Claude",
      "Share",
    ]);
    assert.equal(await page.locator("[data-page-feedback]").count(), 0);
    await page.click(".page-menu > button");
    await page.waitForFunction(() => document.querySelector(".page-menu > [data-done]"));
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /Some \*\*words\*\* of start/);
    const prompt = new URL(await page.getAttribute(".page-menu a[href*=chatgpt]", "href")).searchParams.get("q");
    assert.equal(prompt, "Read https://docs.example/docs/start.md and answer questions about it.");
    const twin = await page.getAttribute(".page-menu a >> nth=0", "href");
    assert.equal(twin, "/docs/start.md");
    assert.equal((await fetch(server.origin + twin)).status, 200);
    assert.deepEqual(faults, []);
    await context.close();
  } finally {
    await server.stop();
    rmSync(out, { recursive: true, force: true });
  }
});
