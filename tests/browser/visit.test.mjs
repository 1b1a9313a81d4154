// Going from page to page: what is exchanged and what stays, where a reader begins to read, the way back; sidebars that
// pages hold a branch of.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { previewOf, startSite, watchedPage } from "./support.mjs";

const paragraphs = (word) =>
  Array.from({ length: 60 }, (_, i) => `## ${word} ${i}\n\nText of ${word} ${i}.\n`).join("\n");

// Code of many shapes: long, wide, with tabs, with signs that take two columns, with an empty line at its end, with
// lines that something is said about, wrapped.
const shapes = [
  ["py", "def run(value):\n    return value\n\n\nfor i in range(9):\n    run(i)\n    print(i)"],
  ["js", `const wide = "${"w".repeat(180)}";\n${"go(1);\n".repeat(12)}`],
  ["make", "all:\n\tone\n\t\ttwo\n\tthree\n\tfour\nfive:\n\tsix"],
  ["text", "説明は日本語です\n一\n二\n三\n四\n五\n六\n七"],
  ["js {2}", "a();\nb();\nc();\nd();\ne();\nf();\ng();"],
  ["js lines", "a();\nb();\nc();\nd();\ne();\nf();\ng();"],
  ["text wrap", `${"words that are wrapped ".repeat(40)}\nb\nc\nd\ne\nf\ng`],
];
const listings = Array.from({ length: 5 }, (_, i) =>
  shapes.map(([info, text], at) => `## Listing ${i} ${at}\n\n\`\`\`${info}\n${text}\n\`\`\`\n`).join("\n"),
).join("\n");

/** A site of two tabs: one with groups in groups and 400 pages, one with three pages. */
function writeSite(folder) {
  const write = (path, text) => {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const many = (group, count) => Array.from({ length: count }, (_, i) => `${group}/page-${i}`);
  const groups = ["alpha", "beta", "gamma", "delta"].map((name) => ({
    group: name,
    pages: [
      `${name}/first`,
      { group: `${name} inner`, pages: many(`${name}/inner`, 90) },
      { group: `${name} few`, pages: many(`${name}/few`, 5) },
    ],
  }));
  const paths = groups.flatMap(({ pages: [first, inner, few] }) => [first, ...inner.pages, ...few.pages]);
  for (const path of paths)
    write(`${path}.mdx`, `---\ntitle: ${path}\ndescription: About ${path}\n---\nHere is ${path}.\n`);
  write(
    "small/one.mdx",
    `---\ntitle: One\n---\n[Two](/small/two), [a heading of two](/small/two#two-40), [nothing](/small/nothing), [alpha](/alpha/first)\n\n${paragraphs("one")}`,
  );
  write("small/two.mdx", `---\ntitle: Two\ndescription: The second\n---\n${paragraphs("two")}\n`);
  write("small/code.mdx", `---\ntitle: Code\n---\n${listings}`);
  write("small/deep.mdx", "---\ntitle: Deep\n---\nDeep.\n");
  write("small/beside.mdx", "---\ntitle: Beside\n---\nBeside.\n");
  write("own.js", "window.runs = (window.runs ?? 0) + 1;\n");
  write("icon.svg", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>');
  write("own.css", "main { --own: 1; }\n");
  const small = [
    {
      group: "Small",
      pages: ["small/one", "small/two", "small/code", { group: "Folded", pages: ["small/deep", "small/beside"] }],
    },
  ];
  // Of each kind of section there is one whose menu stands in the sidebar.
  const dropdowns = [
    { dropdown: "Guides", description: "To read", groups },
    { dropdown: "Reference", pages: ["other/first", "other/second"] },
  ];
  for (const name of ["first", "second"]) write(`other/${name}.mdx`, `---\ntitle: ${name}\n---\nHere is ${name}.\n`);
  const tabs = [
    { tab: "Small", groups: small },
    { tab: "Large", dropdowns },
  ];
  write(
    "docs.json",
    JSON.stringify({
      $schema: "x",
      theme: "mint",
      name: "Visits",
      favicon: "/icon.svg",
      colors: { primary: "#0a7" },
      navigation: { tabs },
    }),
  );
  return paths;
}

let folder, preview, browser, paths, stop;
before(async () => ({ folder, preview, browser, written: paths, stop } = await startSite("visit", writeSite)));
after(() => stop?.());

/** A page at `address` that is marked: the mark goes when the browser reads another document. */
async function opened(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1350, height: 800 }, ...options });
  const { page, faults } = await watchedPage(context, preview.origin);
  await page.goto(preview.origin + address);
  await page.evaluate(() => (window.mark = true));
  const isSame = () => page.evaluate(() => window.mark === true);
  const at = (path) =>
    page.waitForFunction(
      (path) => location.pathname + location.hash === path && !document.documentElement.hasAttribute("data-visiting"),
      path,
    );
  const titled = (title) =>
    page.waitForFunction((title) => document.querySelector("main h1")?.textContent.trim() === title, title);
  return { page, faults, isSame, at, titled, close: () => context.close() };
}

const current = (page) =>
  page.locator(".sidebar [aria-current=page]").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
const top = (page) => page.evaluate(() => Math.round(scrollY));

test("a click has the browser style what is exchanged anew, and no entry of the sidebar", async () => {
  const { page, faults, titled, close } = await opened("/beta/inner/page-7", { reducedMotion: "reduce" });
  const entries = () => page.evaluate(() => document.querySelectorAll(".sidebar *").length);
  await page.waitForFunction(() => document.querySelectorAll(".sidebar a").length > 300);
  // What is folded is styled by no browser.
  await page.evaluate(() => {
    for (const group of document.querySelectorAll(".sidebar details")) group.open = true;
  });
  const cdp = await page.context().newCDPSession(page);
  const events = [];
  cdp.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await cdp.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["devtools.timeline"] },
  });
  const ended = new Promise((resolve) => cdp.once("Tracing.tracingComplete", resolve));
  await page.evaluate(() => document.querySelector(".sidebar a[href='/beta/inner/page-8']").click());
  await titled("beta/inner/page-8");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await cdp.send("Tracing.end");
  await ended;
  const styled = events
    .filter((event) => event.name === "UpdateLayoutTree")
    .reduce((sum, event) => sum + (event.args.elementCount ?? 0), 0);
  assert.ok(styled > 10, `${styled} elements are styled: what was exchanged`);
  assert.ok(styled < (await entries()) / 2, `${styled} elements are styled beside a sidebar of ${await entries()}`);
  assert.deepEqual(faults, []);
  await close();
});

test("a click exchanges text, contents list, head and place, and reads no document", async () => {
  const { page, faults, isSame, titled, close } = await opened("/small/one");
  await page.evaluate(() => scrollTo(0, 2000));
  await page.click(".sidebar-scroll a[href='/small/two']");
  await titled("Two");
  assert.ok(await isSame());
  assert.equal(new URL(page.url()).pathname, "/small/two");
  assert.equal(await page.title(), "Two - Visits");
  assert.equal(await page.getAttribute("meta[name=description]", "content"), "The second");
  assert.deepEqual(await current(page), ["/small/two"]);
  assert.match(await page.textContent(".toc"), /two 3/);
  assert.equal(await top(page), 0);
  assert.equal(await page.evaluate(() => document.activeElement.id), "quire-content");
  assert.equal(await page.textContent(".announcer"), "Two - Visits");
  // The site's script has run once, and its styles are there.
  assert.equal(await page.evaluate(() => window.runs), 1);
  assert.equal(
    await page.evaluate(() => getComputedStyle(document.querySelector("main")).getPropertyValue("--own").trim()),
    "1",
  );
  // The page before said what this one does not.
  await page.click(".sidebar-scroll a[href='/small/one']");
  await titled("One");
  assert.equal(await page.locator("meta[name=description]").count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

test("what a reader opened in the sidebar stays open", async () => {
  const { page, isSame, titled, close } = await opened("/small/one");
  await page.click(".sidebar-scroll summary:has-text('Folded')");
  await page.click(".sidebar-scroll a[href='/small/two']");
  await titled("Two");
  assert.ok(await isSame());
  assert.ok(await page.isVisible(".sidebar-scroll a[href='/small/deep']"));
  await page.click(".sidebar-scroll a[href='/small/deep']");
  await titled("Deep");
  assert.deepEqual(await current(page), ["/small/deep"]);
  await close();
});

test("a link to a heading leads there at once; back and forward restore where the reader was", async () => {
  const { page, isSame, at, titled, close } = await opened("/small/one");
  await page.evaluate(() => scrollTo(0, 3000));
  // In the text, above the window: the click must not scroll.
  await page.evaluate(() => document.querySelector("main a[href='/small/two#two-40']").click());
  await titled("Two");
  const [y, offset] = await page.evaluate(() => [
    scrollY,
    document.getElementById("two-40").getBoundingClientRect().top,
  ]);
  assert.ok(offset >= 0 && offset < 200, `${offset}`);
  assert.equal(
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(scrollY)))),
    ),
    y,
  );
  await page.evaluate(() => scrollBy(0, 500));
  const left = await top(page);
  await page.goBack();
  await titled("One");
  await at("/small/one");
  assert.equal(await top(page), 3000);
  await page.goForward();
  await titled("Two");
  assert.equal(await top(page), left);
  assert.ok(await isSame());
  // Within the page too. By script: a click of the pointer would bring its link into view first.
  await page.evaluate(() => document.querySelector(".toc a[href='#two-2']").click());
  await at("/small/two#two-2");
  const heading = await top(page);
  assert.notEqual(heading, left);
  await page.goBack();
  await page.waitForFunction((left) => Math.round(scrollY) === left, left);
  await page.goBack();
  await titled("One");
  assert.equal(await top(page), 3000);
  assert.ok(await isSame());
  await close();
});

test("a page that was left for another site stands where it was", async () => {
  const { page, titled, close } = await opened("/small/one");
  await page.click(".sidebar-scroll a[href='/small/two']");
  await titled("Two");
  await page.evaluate(() => scrollTo(0, 1500));
  await page.goto("about:blank");
  await page.goBack();
  await titled("Two");
  await page.waitForFunction(() => Math.round(scrollY) === 1500);
  // The page before it belonged to the document that is gone.
  await page.goBack();
  await titled("One");
  await close();
});

test("what is no page of the frame is left to the browser", async () => {
  const { page, isSame, close } = await opened("/small/one");
  await page.click("main a[href='/small/nothing']");
  await page.waitForFunction(() => /does not exist/.test(document.querySelector("main")?.textContent));
  assert.equal(await isSame(), false);
  await page.goto(`${preview.origin}/small/one`);
  const other = page.context().waitForEvent("page");
  await page.click("main a[href='/small/two']", { modifiers: ["ControlOrMeta"] });
  await (await other).close();
  assert.equal(new URL(page.url()).pathname, "/small/one");
  await close();
});

test("the link of the page that is shown leads to its beginning and reads nothing", async () => {
  const { page, faults, isSame, at, close } = await opened("/small/one#one-40");
  const requests = [];
  page.on("request", (request) => request.url().endsWith("/icon.svg") || requests.push(request.url()));
  await page.waitForFunction(() => scrollY > 1000);
  await page.click(".sidebar-scroll a[href='/small/one']");
  await page.waitForFunction(() => scrollY === 0);
  await at("/small/one");
  assert.deepEqual([await isSame(), requests], [true, []]);
  await page.goBack();
  await at("/small/one#one-40");
  await page.waitForFunction(() => scrollY > 1000);
  assert.deepEqual([await isSame(), faults], [true, []]);
  await close();
});

test("the page that was come to is kept current", async () => {
  const { page, isSame, titled, close } = await opened("/small/one");
  await page.click(".sidebar-scroll a[href='/small/beside'], .sidebar-scroll summary:has-text('Folded')");
  await page.click(".sidebar-scroll a[href='/small/beside']");
  await titled("Beside");
  appendFileSync(join(folder, "small/beside.mdx"), "\nAdded now.\n");
  await page.waitForFunction(() => document.querySelector("main").textContent.includes("Added now."));
  assert.ok(await isSame());
  await close();
});

test("what stands below the window is laid out a frame after what stands in it", async () => {
  const { page, at, close } = await opened("/small/one");
  await page.evaluate(() => {
    window.seen = [];
    const look = (sign) =>
      document.addEventListener(sign, () => {
        const main = document.querySelector("main");
        const last = main.querySelector(".prose > h2:last-of-type > *");
        window.seen.push([
          sign,
          main.hasAttribute("data-arriving"),
          last.checkVisibility({ contentVisibilityAuto: true }),
        ]);
      });
    look("quire:visited");
    look("quire:arrived");
  });
  const arrived = (count) =>
    page.waitForFunction((count) => window.seen.filter(([sign]) => sign === "quire:arrived").length === count, count);
  await page.locator("main").getByRole("link", { name: "Two", exact: true }).click();
  await at("/small/two");
  await arrived(1);
  assert.deepEqual(await page.evaluate(() => window.seen.map(([sign, waits]) => [sign, waits])), [
    ["quire:visited", true],
    ["quire:arrived", false],
  ]);
  assert.equal(await page.evaluate(() => window.seen[0][2]), false);
  await page.waitForFunction(() =>
    document.querySelector(".prose > h2:last-of-type > *").checkVisibility({ contentVisibilityAuto: true }),
  );
  await page.waitForFunction(() => document.querySelector(".toc [aria-current]")?.hash === "#two-0");
  // Who is led further down, or comes back, needs everything above it in its size.
  await page.goBack();
  await at("/small/one");
  await arrived(2);
  await page.evaluate(() => (window.seen = []));
  await page.locator("main").getByRole("link", { name: "a heading of two" }).click();
  await at("/small/two#two-40");
  assert.deepEqual(await page.evaluate(() => window.seen.map(([sign, waits]) => [sign, waits])), [
    ["quire:arrived", false],
    ["quire:visited", false],
  ]);
  await close();
});

test("code that waits out of sight is as large as code that is laid out", async () => {
  for (const width of [1350, 375]) {
    const { page, faults, close } = await opened("/small/code", { viewport: { width, height: 800 } });
    const sizes = (shown) =>
      page.evaluate((shown) => {
        const sheet = new CSSStyleSheet();
        // What is in sight is laid out: nothing is, here.
        sheet.replaceSync(`code[data-lines] { content-visibility: ${shown ? "visible" : "hidden"} !important; }`);
        document.adoptedStyleSheets = [sheet];
        const boxes = [...document.querySelectorAll("main code[data-lines]")].map((code) => code.parentElement);
        return {
          boxes: boxes.map((pre) => [pre.clientHeight, pre.scrollWidth > pre.clientWidth]),
          whole: document.documentElement.scrollHeight,
        };
      }, shown);
    const [waiting, drawn] = [await sizes(false), await sizes(true)];
    // Four of the seven are of a size that is known: the others have lines with elements of their own, or are wrapped.
    assert.equal(drawn.boxes.length, 20);
    assert.deepEqual(waiting, drawn);
    assert.ok(drawn.boxes.some(([, isWide]) => isWide));
    assert.deepEqual(faults, []);
    await close();
  }
});

test("the way back leads to where the reader was, past code that was never in sight", async () => {
  const { page, titled, isSame, close } = await opened("/small/code");
  await page.evaluate(() => document.getElementById("listing-4-0").scrollIntoView({ behavior: "instant" }));
  const left = await top(page);
  const stood = await page.evaluate(() =>
    Math.round(document.getElementById("listing-4-0").getBoundingClientRect().top),
  );
  await page.evaluate(() => document.querySelector(".sidebar-scroll a[href='/small/two']").click());
  await titled("Two");
  await page.goBack();
  await titled("Code");
  assert.equal(await top(page), left);
  assert.equal(
    await page.evaluate(() => Math.round(document.getElementById("listing-4-0").getBoundingClientRect().top)),
    stood,
  );
  assert.ok(await isSame());
  await close();
});

test("a page that was prepared and shown is shown again when it is come back to", async () => {
  const { page, faults, titled, isSame, close } = await opened("/small/one");
  for (const [path, title] of [
    ["two", "Two"],
    ["one", "One"],
    ["two", "Two"],
    ["code", "Code"],
    ["two", "Two"],
  ]) {
    const link = page.locator(`.sidebar-scroll a[href='/small/${path}']`);
    await link.dispatchEvent("pointerdown");
    // It is taken apart in the first idle moment after it was read.
    await page.evaluate(
      (path) => fetch(`/small/${path}`).then(() => new Promise((done) => requestIdleCallback(done))),
      path,
    );
    await link.click();
    await titled(title);
    assert.equal(await page.locator("main").count(), 1);
  }
  assert.ok(await isSame());
  assert.deepEqual(faults, []);
  await close();
});

test("where a link is rested on, its page is read before the click", async () => {
  const { page, titled, close } = await opened("/small/one");
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const reply = page.waitForResponse((reply) => reply.url().endsWith("/small/two"));
  await page.hover(".sidebar-scroll a[href='/small/two']");
  await reply;
  await page.click(".sidebar-scroll a[href='/small/two']");
  await titled("Two");
  assert.equal(asked.filter((path) => path === "/small/two").length, 1);
  await close();
});

test("a search leads to its result in the same way", async () => {
  const { page, isSame, titled, close } = await opened("/small/one");
  await page.keyboard.press("Control+k");
  await page.fill("dialog input", "Deep");
  await page.locator("dialog [role=option]").first().waitFor();
  await page.waitForFunction(() =>
    document.querySelector("dialog [role=option]").getAttribute("href").startsWith("/small/deep"),
  );
  await page.keyboard.press("Enter");
  await titled("Deep");
  assert.ok(await isSame());
  assert.equal(await page.locator("dialog[open]").count(), 0);
  await close();
});

test("a page of a large section holds its branch, and a script the rest", async () => {
  const html = async (path) => await (await fetch(preview.origin + path)).text();
  const page = await html("/alpha/inner/page-70");
  const [, address] = /<script src="(\/_sidebar\/[^"]+)"/.exec(page);
  const reply = await fetch(preview.origin + address);
  assert.match(reply.headers.get("cache-control"), /immutable/);
  const script = await reply.text();
  const links = (text) =>
    new Set([...text.matchAll(/class=\\?"sidebar-link\\?" href=\\?"([^"\\]+)/g)].map(([, href]) => href));
  assert.equal(links(script).size, paths.length);
  assert.ok(links(page).size < 130 && links(page).has("/alpha/inner/page-70"), `${links(page).size}`);
  // After an edit an old address answers with what is true now, and says that it may change.
  const old = await fetch(preview.origin + address.replace(/\.[0-9a-f]+\.js/, ".0123456789abcdef.js"));
  assert.equal(old.status, 200);
  assert.doesNotMatch(old.headers.get("cache-control"), /immutable/);
  assert.equal((await fetch(`${preview.origin}/_sidebar/77.0123456789abcdef.js`)).status, 404);
});

test("the whole sidebar stands there before anything is drawn, and stays from page to page", async () => {
  const { page, faults, isSame, titled, close } = await opened("/alpha/inner/page-70");
  assert.equal(await page.locator(".sidebar a.sidebar-link").count(), paths.length);
  assert.deepEqual(await current(page), ["/alpha/inner/page-70"]);
  assert.ok(await page.isVisible(".sidebar-scroll a[href='/alpha/inner/page-70']"));
  // A list out of sight is laid out when it comes into it; until then it takes about as much room.
  const rooms = await page
    .locator(".sidebar-list:has(> li > a[href='/delta/inner/page-7'])")
    .evaluateAll(async (lists) => {
      document.querySelector(".sidebar-scroll").scrollTop = 0;
      for (const list of lists) list.closest("details").open = true;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const isLaidOut = (list) => list.firstElementChild.checkVisibility({ contentVisibilityAuto: true });
      return lists.map((list) => {
        const [wasLaidOut, room] = [isLaidOut(list), list.getBoundingClientRect().height];
        list.style.contentVisibility = "visible";
        return wasLaidOut ? 0 : room / list.getBoundingClientRect().height;
      });
    });
  assert.ok(rooms.length === 1 && rooms[0] > 0.8 && rooms[0] < 1.25, `${rooms}`);
  const scripts = [];
  page.on("request", (request) => request.url().includes("/_sidebar/") && scripts.push(request.url()));
  await page.click(".sidebar-scroll a[href='/gamma/first']");
  await titled("gamma/first");
  assert.equal(await page.locator(".sidebar a.sidebar-link").count(), paths.length);
  assert.deepEqual(await current(page), ["/gamma/first"]);
  assert.deepEqual(scripts, []);
  // Into the other section and back.
  await page.click(".tabs-row a:has-text('Small')");
  await titled("One");
  assert.deepEqual(await current(page), ["/small/one"]);
  assert.equal(await page.getAttribute(".tabs-row [aria-current]", "href"), "/small/one");
  // The drawer of narrow screens says the same.
  assert.deepEqual(
    await page.locator(".drawer-top [aria-current]").evaluateAll((all) => all.map((at) => at.getAttribute("href"))),
    ["/small/one"],
  );
  await page.click("main a[href='/alpha/first']");
  await titled("alpha/first");
  await page.waitForFunction(
    (count) => document.querySelectorAll(".sidebar a.sidebar-link").length === count,
    paths.length,
  );
  assert.deepEqual(await current(page), ["/alpha/first"]);
  assert.ok(await isSame());
  assert.deepEqual(faults, []);
  await close();
});

test("a menu in the sidebar stays shut, and says which of its entries is shown", async () => {
  const { page, titled, close } = await opened("/alpha/first");
  const menu = page.locator(".sidebar .switcher");
  const check = async (path) => {
    await page.waitForFunction(() => document.querySelector(".sidebar[data-holds]"));
    assert.deepEqual(await menu.evaluateAll((all) => all.map((one) => one.open)), [false]);
    assert.deepEqual(
      await menu
        .locator("a[aria-current]")
        .evaluateAll((all) =>
          all.map((link) => [link.textContent.trim().slice(0, 6), link.getAttribute("aria-current")]),
        ),
      [["Guides", "true"]],
    );
    assert.deepEqual(
      await page
        .locator(".sidebar [aria-current=page]")
        .evaluateAll((all) => all.map((link) => link.getAttribute("href"))),
      [path],
    );
  };
  await check("/alpha/first");
  await page.evaluate(() => document.querySelector(".sidebar a[href='/alpha/inner/page-3']").click());
  await titled("alpha/inner/page-3");
  await check("/alpha/inner/page-3");
  await page.reload();
  await check("/alpha/inner/page-3");
  assert.ok(
    await page
      .locator(".sidebar details:has([aria-current=page])")
      .evaluateAll((all) => all.length && all.every((one) => one.open)),
  );
  // Where the menu leads is the first page.
  await page.evaluate(() => document.querySelector(".sidebar a.sidebar-link[href='/alpha/first']").click());
  await titled("alpha/first");
  await check("/alpha/first");
  await close();
});

test("an edit of a large section's title comes into the sidebar that is shown", async () => {
  const { page, isSame, close } = await opened("/delta/first");
  writeFileSync(join(folder, "beta/first.mdx"), "---\ntitle: Beta anew\n---\nText.\n");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".sidebar-scroll a[href='/beta/first']")].some((link) =>
      link.textContent.includes("Beta anew"),
    ),
  );
  await page.waitForFunction(
    (count) => document.querySelectorAll(".sidebar a.sidebar-link").length === count,
    paths.length,
  );
  assert.deepEqual(await current(page), ["/delta/first"]);
  assert.ok(await isSame());
  await close();
});

test("without JavaScript every page is reached from every other by links", async () => {
  const seen = new Set(["/small/one"]);
  const waiting = [...seen];
  while (waiting.length) {
    const html = await (await fetch(preview.origin + waiting.pop())).text();
    const nav = html.slice(html.indexOf("<header"), html.indexOf("<main"));
    for (const [, href] of nav.matchAll(/href="(\/[^"#]*)"/g)) {
      if (href.startsWith("/_") || seen.has(href)) continue;
      seen.add(href);
      waiting.push(href);
    }
  }
  assert.deepEqual(
    paths.filter((path) => !seen.has(`/${path}`)),
    [],
  );
});

test("a number beside a link is asked for once a day, and what answers without one changes nothing", async () => {
  const place = mkdtempSync(join(tmpdir(), "quire-counts-"));
  const [github, discord] = ["https://github.com/museum/tickets", "https://discord.gg/aB1"];
  const navbar = {
    links: [{ label: "Talk", href: discord, type: "discord" }],
    primary: { type: "github", href: github },
  };
  const names = ["one", "two"];
  for (const name of names) writeFileSync(join(place, `${name}.mdx`), `---\ntitle: ${name}\n---\nText.\n`);
  writeFileSync(
    join(place, "docs.json"),
    JSON.stringify({
      theme: "mint",
      name: "Counts",
      colors: { primary: "#0a7" },
      navbar,
      navigation: { pages: names },
    }),
  );
  const counts = await previewOf(place);
  const context = await browser.newContext({ viewport: { width: 1350, height: 800 } });
  const asked = [];
  await context.route(/github\.com|discord/, (route) => {
    asked.push([route.request().url(), route.request().headers().referer]);
    const body = route.request().url().includes("github")
      ? { stargazers_count: 12345 }
      : { approximate_presence_count: "<b>" };
    return route.fulfill({ json: body, headers: { "access-control-allow-origin": "*" } });
  });
  const page = await context.newPage();
  const shown = () => page.locator("#topbar-cta-button .link-count").textContent();
  await page.goto(`${counts.origin}/one`);
  await page.waitForFunction(() => document.querySelector("#topbar-cta-button .link-count").textContent !== "");
  assert.equal(await shown(), "12.3K");
  assert.equal(await page.locator(".header-links .link-count").textContent(), "");
  await page.click(".sidebar a[href='/two']");
  await page.waitForFunction(() => location.pathname === "/two");
  assert.equal(await shown(), "12.3K");
  await page.goto(`${counts.origin}/two`);
  await page.waitForFunction(() => document.querySelector("#topbar-cta-button .link-count").textContent !== "");
  const stars = asked.filter(([address]) => address.includes("github"));
  assert.deepEqual(stars, [["https://api.github.com/repos/museum/tickets", undefined]]);
  assert.ok(
    asked.every(
      ([address, referer]) =>
        referer === undefined && /^https:\/\/(?:api\.github\.com|discord\.com)\/[\w/?=]+$/.test(address),
    ),
    JSON.stringify(asked),
  );
  await context.close();
  await counts.stop();
  rmSync(place, { recursive: true, force: true });
});
