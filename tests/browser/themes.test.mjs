// Themes: each is accessible and another look, and what sites style by their own stylesheets takes effect.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { shows, startBrowser, startPreview } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const themes = ["mint", "maple", "palm", "willow", "linden", "almond", "aspen", "luma", "sequoia"];
const paths = ["/", "/components", "/api/tickets/buy-a-ticket", "/nowhere"];

let preview, browser, docs;
before(async () => {
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
  docs = JSON.parse(readFileSync(join(preview.folder, "docs.json"), "utf8"));
});
after(async () => {
  await browser?.close();
  await preview?.stop();
});

/** Gives the site `settings` besides its own. */
async function configured(settings, words) {
  writeFileSync(join(preview.folder, "docs.json"), JSON.stringify({ ...docs, ...settings }));
  await shows(preview, "/", words);
}

async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(
    (tags) => axe.run(document, { runOnly: { type: "tag", values: tags } }),
    tags,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      (node) =>
        `${id}: ${node.html.slice(0, 120)} ${node.any
          .map((one) => one.message)
          .join("; ")
          .slice(0, 160)}`,
    ),
  );
}

const looks = new Set();
for (const theme of themes) {
  test(`${theme} is accessible, and fits narrow screens`, async () => {
    await configured({ theme, background: { decoration: "gradient" } }, `data-theme-name="${theme}"`);
    const found = [];
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width: 1350, height: 900 },
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      for (const path of paths) {
        await page.setViewportSize({ width: 1350, height: 900 });
        await page.goto(preview.origin + path);
        found.push(...(await violations(page)).map((line) => `${colorScheme} ${path} ${line}`));
        if (path === "/" && colorScheme === "light") looks.add((await page.screenshot()).toString("base64"));
        await page.setViewportSize({ width: 320, height: 640 });
        const width = await page.evaluate(() => document.scrollingElement.scrollWidth);
        if (width > 320) found.push(`${path} is ${width} px wide`);
      }
      // The drawer, with all that it holds.
      await page.locator("[data-drawer-open]").click();
      found.push(...(await violations(page)).map((line) => `${colorScheme} drawer ${line}`));
      await context.close();
    }
    assert.deepEqual(found, []);
  });
}

test("no two themes look the same", () => {
  assert.equal(looks.size, themes.length);
});

test("a site styles by the ids of the reference", async () => {
  writeFileSync(
    join(preview.folder, "own.css"),
    `
    #content-area h2[id]::before { content: "§ "; }
    #navbar { background: rgb(1, 2, 3); }
    #sidebar { background: rgb(4, 5, 6); }
    #page-title { text-transform: uppercase; }
    #table-of-contents { outline: 1px solid rgb(7, 8, 9); }
    #pagination { display: none; }
    html[data-current-path^="/quick"] #footer { visibility: hidden; }
    .nav-tabs-item[data-active] { letter-spacing: 3px; }
    #sidebar-content li[data-active] { outline: 1px solid rgb(9, 8, 7); }
    .sidebar-group[data-active] .sidebar-title { text-indent: 1px; }
    .toc-item[data-active-deepest] { outline: 1px solid rgb(6, 5, 4); }
    #table-of-contents li[data-depth="0"] a::before { content: "1. "; }
  `,
  );
  await configured({ theme: "mint" }, "own.css");
  const page = await browser.newPage({ viewport: { width: 1350, height: 900 } });
  await page.goto(preview.origin);
  const style = (selector, name, pseudo) =>
    page.evaluate(
      ([selector, name, pseudo]) => getComputedStyle(document.querySelector(selector), pseudo)[name],
      [selector, name, pseudo],
    );
  const expected = async () => {
    assert.equal(await style(".site-header", "backgroundColor"), "rgb(1, 2, 3)");
    assert.equal(await style(".sidebar-body", "backgroundColor"), "rgb(4, 5, 6)");
    assert.equal(await style("h1", "textTransform"), "uppercase");
    assert.equal(await style(".pager", "display"), "none");
    assert.equal(await style(".tab-link[aria-current]", "letterSpacing"), "3px");
    // What is active is so by every name it has, and nothing else is.
    const active = await page.evaluate(() => {
      const all = (selector) => [...document.querySelectorAll(selector)];
      const outlined = all("li").filter((one) => getComputedStyle(one).outlineColor === "rgb(9, 8, 7)");
      return {
        links: outlined.map((one) => one.querySelector("a[aria-current='page']")?.pathname),
        groups: all(".sidebar-group").filter(
          (one) =>
            (getComputedStyle(one.querySelector(".sidebar-title")).textIndent === "1px") !==
            Boolean(one.querySelector("[aria-current]")),
        ).length,
      };
    });
    assert.deepEqual(active, { links: [new URL(page.url()).pathname], groups: 0 });
  };
  await expected();
  await page.waitForSelector(".toc [aria-current]");
  assert.equal(await style(".toc-item:has([aria-current])", "outlineColor"), "rgb(6, 5, 4)");
  assert.equal(await page.locator("[data-active-deepest]").count(), 1);
  assert.equal(await page.locator(".toc-item[data-active]").count(), 1);
  assert.equal(await style(".toc li[data-depth='0'] a", "content", "::before"), '"1. "');
  assert.equal(await style(".prose h2", "content", "::before"), '"§ "');
  assert.equal(await style(".toc [data-toc]", "outlineColor"), "rgb(7, 8, 9)");
  assert.equal(await style(".site-footer", "visibility"), "visible");
  // On the page that is gone to from here too, whose address they can tell.
  await page.click(".sidebar-scroll a[href='/quickstart']");
  await page.waitForFunction(() => document.documentElement.dataset.currentPath === "/quickstart");
  await expected();
  assert.equal(await style(".site-footer", "visibility"), "hidden");
  await page.close();
});

/** The style of every element outside the text, but for sizes, which follow the text. */
const frame = () => {
  const isOfText = (one) => one.closest(".mdx-content > *, .article-header h1, .lead");
  const sizes =
    /^(block-size|inline-size|height|width|bottom|top|left|right|inset.*|grid-template-.*|perspective-origin|transform-origin)$/;
  return [...document.body.querySelectorAll("*")]
    .filter((one) => !isOfText(one) && !["SCRIPT", "STYLE", "TEMPLATE"].includes(one.tagName))
    .map((one) => {
      const style = getComputedStyle(one);
      const names = [...style].filter((name) => !sizes.test(name));
      return `${one.tagName} ${one.className} ${one.id}: ${names.map((name) => `${name}:${style.getPropertyValue(name)}`)}`;
    });
};

test("rules for plain elements reach the text and nothing of the frame", async () => {
  const elements =
    "h1,h2,h3,h4,h5,h6,p,a,ul,ol,li,button,table,tr,td,th,span,div,svg,path,img,input,details,summary,label,code,pre,kbd,section";
  const rules = `{
    color: rgb(1, 2, 3) !important; background: rgb(4, 5, 6) !important; font: 700 40px/2 serif !important;
    margin: 9px !important; padding: 7px !important; border: 3px solid !important; letter-spacing: 5px;
    text-transform: uppercase; list-style: square; box-shadow: 0 0 9px; opacity: 0.5;
  }`;
  const hostile = `
    ${elements} ${rules}
    :root.light :is(h2, a, button) ${rules}
    body a:hover, a::before, ul > li + li, table td:first-child ${rules}
    @media screen { html button[type="button"] ${rules} }`;
  await configured({ theme: "mint" }, 'data-theme-name="mint"');
  const page = await browser.newPage({ colorScheme: "light", reducedMotion: "reduce" });
  for (const path of ["/", "/components", "/api/tickets/buy-a-ticket"]) {
    for (const width of [1350, 375]) {
      await page.setViewportSize({ width, height: 900 });
      writeFileSync(join(preview.folder, "own.css"), "");
      await shows(preview, path, "own.css");
      await page.goto(preview.origin + path);
      const calm = await page.evaluate(frame);
      assert.ok(calm.length > 50);
      const headings = await page.evaluate(() =>
        [...document.querySelectorAll("h1,h2,h3,h4,h5,h6")].map((one) => one.tagName),
      );
      assert.equal(headings[0], "H1", `${path} begins with its title`);
      const address = () => page.evaluate(() => document.querySelector('link[href*="own.css"]').href);
      const before = await address();
      writeFileSync(join(preview.folder, "own.css"), hostile);
      await page.waitForFunction((before) => document.querySelector('link[href*="own.css"]').href !== before, before);
      await page.reload();
      const rough = await page.evaluate(frame);
      assert.deepEqual(
        rough.filter((line, at) => line !== calm[at]).map((line) => line.slice(0, 80)),
        [],
        `${path} at ${width}`,
      );
      const color = (selector) =>
        page
          .locator(selector)
          .first()
          .evaluate((one) => getComputedStyle(one).color);
      assert.equal(await color("#page-title"), "rgb(1, 2, 3)");
      if (path === "/components") assert.equal(await color(".mdx-content h2"), "rgb(1, 2, 3)");
    }
  }
  await page.close();
});

test("names of elements and variables of the reference take effect", async () => {
  writeFileSync(
    join(preview.folder, "own.css"),
    `
    toc-item { outline: 1px solid rgb(1, 1, 1); }
    .dark toc-item, sidebar-title { text-indent: 2px; }
    li.navbar-link { border-block-start: 1px solid rgb(2, 2, 2); }
    #content-side-layout { outline: 1px solid rgb(3, 3, 3); }
    #content-container { outline: 1px solid rgb(4, 4, 4); }
    #page-title { color: rgb(var(--primary) / 50%); background: rgb(var(--gray-950)); font-family: var(--font-inter); }
    .mdx-content p { font-family: var(--font-jetbrains-mono); }
    #navbar { background: rgb(var(--background-light)); border-color: rgb(var(--primary-dark)); }
    :root { --mint-color-background: rgb(5, 5, 5); --mint-token-keyword: rgb(6, 6, 6); }
  `,
  );
  const links = [{ label: "Blog", href: "https://shop.example" }];
  await configured(
    { theme: "mint", navbar: { links }, colors: { primary: "#102030", dark: "#405060" }, fonts: undefined },
    "16 32 48",
  );
  const page = await browser.newPage({ colorScheme: "light", viewport: { width: 1350, height: 900 } });
  await page.goto(preview.origin);
  const style = (selector, name) =>
    page
      .locator(selector)
      .first()
      .evaluate((one, name) => getComputedStyle(one)[name], name);
  assert.equal(await style(".toc-item", "outlineColor"), "rgb(1, 1, 1)");
  assert.equal(await style(".sidebar-title", "textIndent"), "2px");
  assert.equal(await style(".navbar-link", "borderTopColor"), "rgb(2, 2, 2)");
  assert.equal(await style(".toc-inner", "outlineColor"), "rgb(3, 3, 3)");
  assert.equal(await style("#content-area", "outlineColor"), "rgb(4, 4, 4)");
  assert.equal(await style("#page-title", "color"), "rgba(16, 32, 48, 0.5)");
  assert.equal(await style("#page-title", "backgroundColor"), "rgb(3, 7, 18)");
  assert.match(await style("#page-title", "fontFamily"), /sans-serif/);
  assert.match(await style(".mdx-content p", "fontFamily"), /monospace/);
  assert.equal(await style("#navbar", "backgroundColor"), "rgb(255, 255, 255)");
  const code = await page.evaluate(() => {
    const block = document.createElement("div");
    block.style.cssText = "background: var(--code-ground); color: var(--t-keyword)";
    document.body.append(block);
    return [getComputedStyle(block).backgroundColor, getComputedStyle(block).color];
  });
  assert.deepEqual(code, ["rgb(5, 5, 5)", "rgb(6, 6, 6)"]);
  await page.close();
});

test("the search field stands in one place on every page", async () => {
  await configured({ theme: "mint" }, 'data-theme-name="mint"');
  const page = await browser.newPage({ viewport: { width: 1350, height: 900 } });
  const places = new Set();
  for (const path of ["/", "/api/tickets", "/api/tickets/buy-a-ticket", "/changelog", "/nowhere"]) {
    await page.goto(preview.origin + path);
    const { x, width } = await page.locator(".search-button").boundingBox();
    places.add(`${x} ${width}`);
  }
  assert.equal(places.size, 1, [...places].join(", "));
  await page.close();
});

test("seven links in the header are whole wherever they are shown, in every theme", async () => {
  const icons = ["discord", "github", "x-twitter", "telegram"].map((icon) => ({
    icon,
    label: "",
    href: `https://${icon}.example`,
  }));
  const links = [
    ...["Products", "Status page", "Blog"].map((label) => ({ label, href: "https://shop.example" })),
    ...icons,
  ];
  const found = [];
  for (const theme of themes) {
    await configured({ theme, navbar: { links } }, `data-theme-name="${theme}"`);
    const page = await browser.newPage();
    for (const width of [1030, 1350]) {
      await page.setViewportSize({ width, height: 700 });
      await page.goto(`${preview.origin}/`);
      const cut = await page
        .locator(".header-links")
        .evaluateAll((all) => all.map((at) => at.scrollWidth - at.clientWidth));
      const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
      const search = await page.locator(".header-search").boundingBox();
      if (cut[0] !== 0 || wide > 0 || search.width < 112)
        found.push(`${theme} ${width}: ${cut} cut, ${wide} too wide, search ${search.width}`);
    }
    await page.close();
  }
  assert.deepEqual(found, []);
});

test("a black button is seen on a dark page", async () => {
  await configured(
    {
      theme: "mint",
      colors: { primary: "#000", light: "#fff", dark: "#000" },
      background: { color: { dark: "#131316" } },
    },
    "--primary:0 0 0",
  );
  const page = await browser.newPage({ colorScheme: "dark" });
  await page.goto(`${preview.origin}/nowhere`);
  const colors = await page
    .locator(".not-found .button")
    .evaluate((at) => [getComputedStyle(at).backgroundColor, getComputedStyle(at).color]);
  assert.deepEqual(colors, ["rgb(255, 255, 255)", "rgb(16, 18, 22)"]);
  await page.close();
});

test("a group that is opened shows its first page, where the site wants that", async () => {
  for (const drilldown of [false, true]) {
    await configured({ interaction: { drilldown } }, drilldown ? "data-drilldown" : "<html");
    const page = await browser.newPage({ viewport: { width: 1350, height: 900 } });
    await page.goto(preview.origin);
    const group = page.locator(".sidebar-nested").first();
    const first = await group.locator(".sidebar-link").first().getAttribute("href");
    await group.locator("summary").click();
    if (drilldown) await page.waitForURL(preview.origin + first);
    assert.equal(await group.getAttribute("open"), "");
    assert.equal(new URL(page.url()).pathname, drilldown ? first : "/");
    await page.close();
  }
});
