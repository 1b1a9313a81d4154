// The search dialog: by keys and pointer, with whatever the site answers, and over the files of an export.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { program, serveExport, startBrowser, startPreview, watchedPage } from "./support.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

let preview, browser;
before(async () => {
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await preview?.stop();
});

/** Runs `read` on a fresh page; with `answer` that is what the site answers: results, all of an answer, or a status.
 * The page must have done nothing wrong. */
async function searching({ answer, at = "/", mayFail = false, ...options }, read) {
  const context = await browser.newContext(options);
  const { page, faults } = await watchedPage(context, preview.origin);
  const asked = [];
  if (answer) {
    await page.route("**/api/sites/*/search", async (route) => {
      const question = route.request().postDataJSON();
      asked.push(question);
      const given = await answer(question);
      const reply = Array.isArray(given) ? { results: given } : given;
      await route.fulfill(
        typeof given === "number" ? { status: given, json: {} } : { json: { mode: "keyword", ...reply } },
      );
    });
  }
  await page.goto(preview.origin + at);
  await read(page, asked, context);
  if (!mayFail) assert.deepEqual(faults, []);
  await context.close();
}

const tickets = [
  {
    title: "Tickets",
    url: "/concepts/tickets",
    snippet: "A ticket for a day.",
    score: 1,
    sections: [
      { title: "The life of a ticket", anchor: "the-life-of-a-ticket", snippet: "Bought, used, cancelled.", score: 1 },
    ],
  },
  { title: "Quickstart", url: "/quickstart", snippet: "Buy one.", score: 0.5, sections: [] },
];

const dialog = (page) => page.locator("dialog.search-dialog");
const field = (page) => page.locator(".search-field");
const options = (page) => page.locator(".search-dialog [role=option]");
const chosen = (page) => page.locator(".search-dialog [aria-selected=true]");

async function open(page, text) {
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  if (text !== undefined) await field(page).fill(text);
}

test("it opens by its shortcuts and its button, and gives the focus back", () =>
  searching({ answer: () => tickets }, async (page) => {
    const link = page.locator(".sidebar a", { hasText: "Quickstart" });
    for (const key of ["Control+k", "Meta+k", "/"]) {
      await link.focus();
      await page.keyboard.press(key);
      await field(page).waitFor();
      assert.equal(await field(page).evaluate((at) => at === document.activeElement), true, key);
      await page.keyboard.press("Escape");
      await dialog(page).waitFor({ state: "hidden" });
      assert.equal(await link.evaluate((at) => at === document.activeElement), true, key);
    }
    const button = page.locator("[data-search-open]");
    await button.click();
    await field(page).waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "hidden" });
    assert.equal(await button.evaluate((at) => at === document.activeElement), true);
  }));

test("on a phone a magnifier opens it over the whole screen", () =>
  searching({ answer: () => tickets, viewport: { width: 375, height: 700 }, hasTouch: true }, async (page) => {
    await page.locator("[data-search-open]").tap();
    await field(page).fill("ticket");
    await options(page).first().waitFor();
    // It grows into its place when it opens.
    await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {}))));
    const box = await page.locator(".search-box").boundingBox();
    assert.deepEqual([box.x, box.y, box.height], [0, 0, 700]);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    await page.locator(".search-close").tap();
    await dialog(page).waitFor({ state: "hidden" });
  }));

test("the script of the dialog is read when it is wanted", () =>
  searching({ answer: () => tickets }, async (page) => {
    const has = () =>
      page.evaluate(() =>
        performance.getEntriesByType("resource").some(({ name }) => name.includes("/_theme/search.")),
      );
    assert.equal(await has(), false);
    await open(page);
    assert.equal(await has(), true);
  }));

test("typing finds pages of this site, and Enter opens a section at its anchor", () =>
  searching({}, async (page) => {
    await open(page);
    await field(page).pressSequentially("life of a tick", { delay: 20 });
    await page.waitForFunction(() => document.querySelector(".search-dialog").dataset.shown === "life of a tick");
    const section = page.locator(".search-section[href$='/concepts/tickets#the-life-of-a-ticket']");
    await section.waitFor();
    assert.match(await page.locator(".search-said").innerText(), /^\d+ pages? found$/);
    for (let i = 0; i < 20 && !(await section.getAttribute("aria-selected").then((is) => is === "true")); i += 1) {
      await page.keyboard.press("ArrowDown");
    }
    assert.equal(await field(page).getAttribute("aria-activedescendant"), await section.getAttribute("id"));
    await page.keyboard.press("Enter");
    await page.waitForURL(`${preview.origin}/concepts/tickets#the-life-of-a-ticket`);
    await open(page);
    assert.deepEqual(await page.locator(".search-again").allInnerTexts(), ["life of a tick"]);
  }));

test("the question says what is wanted, and arrows, Home and End walk over the answers", () =>
  searching({ answer: () => tickets }, async (page, asked) => {
    await open(page, "ticket");
    await options(page).first().waitFor();
    assert.deepEqual(asked, [{ query: "ticket", semantic: true, sections: true, limit: 10 }]);
    const at = async () => options(page).evaluateAll((all) => all.findIndex((one) => one.ariaSelected === "true"));
    const walk = [
      ["ArrowDown", 1],
      ["ArrowDown", 2],
      ["ArrowDown", 0],
      ["ArrowUp", 2],
      ["End", 2],
      ["Home", 2],
    ];
    for (const [key, place] of walk) {
      await page.keyboard.press(key);
      assert.equal(await at(), place, key);
    }
    // The caret is at the beginning now, so there is nowhere for it to go.
    await page.keyboard.press("Home");
    await page.keyboard.press("Home");
    assert.equal(await at(), 0);
    assert.equal(await field(page).getAttribute("aria-activedescendant"), await chosen(page).getAttribute("id"));
    assert.deepEqual(await page.locator(".search-title mark").allInnerTexts(), ["Ticket", "ticket"]);
  }));

test("words in quotes that nobody has are offered without them, and a quote alone asks for nothing", () =>
  searching(
    { answer: ({ query }) => (query.includes('"') ? { results: [], suggestions: ["day ticket gift"] } : tickets) },
    async (page, asked) => {
      await open(page, '"');
      await page.getByText("What are you looking for?").waitFor();
      assert.deepEqual(asked, []);
      await field(page).fill('"day ticket" gift');
      await page.getByText("No page has these words next to each other.").waitFor();
      assert.equal(await page.locator(".search-note-title strong").innerText(), '"day ticket" gift');
      await page.getByRole("button", { name: "day ticket gift" }).click();
      await options(page).first().waitFor();
      assert.equal(await field(page).inputValue(), "day ticket gift");
    },
  ));

test("with a question the box keeps its height, whatever is found", () =>
  searching({ answer: ({ query }) => (query === "zz" ? [] : tickets) }, async (page) => {
    await open(page, "");
    const height = () => page.locator(".search-box").evaluate((box) => box.offsetHeight);
    const empty = await height();
    await field(page).fill("ticket");
    await options(page).first().waitFor();
    const full = await height();
    await field(page).fill("zz");
    await page.locator(".search-note strong").waitFor();
    assert.equal(await height(), full);
    await field(page).fill("");
    await page.getByText("What are you looking for?").waitFor();
    assert.equal(await height(), empty);
    assert.ok(empty < full);
  }));

test("typing within an open quote never empties the list", () =>
  searching({}, async (page) => {
    await open(page, "");
    let fewest = Infinity;
    for (const letter of '"life of a ticket"') {
      await page.keyboard.type(letter);
      const text = await field(page).inputValue();
      if (text === '"') continue;
      await page.waitForFunction(
        (text) => document.querySelector(".search-dialog").dataset.shown === text.trim(),
        text,
      );
      if (text.length > 3) fewest = Math.min(fewest, await options(page).count());
    }
    assert.ok(fewest > 0);
    assert.ok((await page.locator(".search-page").count()) >= 1);
  }));

test("Ctrl and Enter open a result beside this page", () =>
  searching({ answer: () => tickets }, async (page, _, context) => {
    await open(page, "ticket");
    await options(page).first().waitFor();
    const other = context.waitForEvent("page");
    await page.keyboard.press("Control+Enter");
    await (await other).waitForURL(`${preview.origin}/concepts/tickets`);
    assert.equal(new URL(page.url()).pathname, "/");
    assert.equal(await dialog(page).getAttribute("open"), "");
  }));

test("an answer that was overtaken is not shown", () => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const answer = async ({ query }) => {
    if (query === "slow") await held;
    return [{ title: `Page of ${query}`, url: "/quickstart", snippet: "", score: 1, sections: [] }];
  };
  return searching({ answer, mayFail: true }, async (page, asked) => {
    await open(page, "slow");
    while (!asked.length) await page.waitForTimeout(10);
    await field(page).fill("quick");
    await page.locator(".search-title", { hasText: "Page of quick" }).waitFor();
    release();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    assert.deepEqual(await page.locator(".search-title").allInnerTexts(), ["Page of quick"]);
  });
});

test("nothing found says for what, and offers what finds something", () =>
  searching(
    { answer: ({ query }) => (query === "zebra" ? tickets : { results: [], suggestions: ["zebra"] }) },
    async (page) => {
      await open(page, "zebra crossings");
      await page.getByText("No results for “zebra crossings”").waitFor();
      assert.equal(await page.locator(".search-said").textContent(), "No results for zebra crossings");
      assert.deepEqual(await page.locator(".search-offer").allInnerTexts(), ["zebra"]);
      await page.locator(".search-offer").click();
      await options(page).first().waitFor();
      assert.equal(await field(page).inputValue(), "zebra");
    },
  ));

test("without a suggestion nothing is offered that finds nothing", () =>
  searching({ answer: () => [] }, async (page) => {
    await open(page, "zebra crossings");
    await page.getByText("Another word may find it.").waitFor();
    assert.equal(await page.locator(".search-offer").count(), 0);
  }));

const explained = [
  {
    title: "The `--dry-run` flag",
    url: "/a",
    snippet: "Configures rate_limit and 設定ファイル.",
    score: 1,
    kind: "reference",
    version: "v2",
    breadcrumb: ["Guides", "Payments"],
    matches: {
      title: [[5, 10]],
      snippet: [
        [0, 10],
        [16, 21],
        [26, 28],
      ],
    },
    sections: [
      {
        title: "`limit` of `rate`",
        anchor: "b",
        snippet: "Limits.",
        score: 1,
        matches: { title: [[1, 6]], snippet: [[0, 6]] },
      },
    ],
  },
  {
    title: "Create a ticket",
    url: "/c",
    snippet: "",
    score: 0.5,
    kind: "operation",
    method: "POST",
    path: "/tickets/{id}",
    breadcrumb: ["API reference"],
    matches: { title: [], snippet: [] },
    sections: [],
  },
];

test("what was found is marked where the answer says so, and not where words look alike", () =>
  searching({ answer: () => explained }, async (page) => {
    await open(page, "configuring ticket 設定");
    await options(page).first().waitFor();
    const marks = (at) => options(page).nth(at).locator("mark").allInnerTexts();
    assert.deepEqual(await marks(0), ["--dry", "Configures", "limit", "設定"]);
    assert.deepEqual(await marks(1), ["limit", "Limits"]);
    assert.deepEqual(await marks(2), []);
  }));

test("code in titles and headings is shown as code, without its signs", () =>
  searching({ answer: () => explained }, async (page) => {
    await open(page, "flag");
    await options(page).first().waitFor();
    assert.deepEqual(await page.locator(".search-title").allInnerTexts(), [
      "The --dry-run flag",
      "limit of rate",
      "Create a ticket",
    ]);
    assert.deepEqual(await page.locator(".search-title code").allInnerTexts(), ["--dry-run", "limit", "rate"]);
    assert.equal(await page.locator(".search-group").first().getAttribute("aria-label"), "The --dry-run flag");
  }));

test("a result says where it is, of which version, and what it is for; an operation its path", () =>
  searching({ answer: () => explained }, async (page) => {
    await open(page, "flag");
    await options(page).first().waitFor();
    const place = (at) => page.locator(".search-page").nth(at).locator(".search-place");
    assert.equal(await place(0).innerText(), "Guides › Payments · Reference · v2");
    const [title, below] = await Promise.all([
      page.locator(".search-title").first().boundingBox(),
      place(0).boundingBox(),
    ]);
    assert.ok(below.y >= title.y + title.height - 1, "it stands below the title");
    const operation = page.locator(".search-page").nth(1);
    assert.equal(await operation.locator(".method").innerText(), "POST");
    assert.equal(await operation.locator(".search-path").innerText(), "/tickets/{id}");
    // That it is looked up is said by its method.
    assert.equal(await place(1).locator("span").innerText(), "API reference");
  }));

test("titles of an export are there before its texts, and the one that was chosen stays chosen", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quire-early-"));
  execFileSync(program, ["build", preview.folder, "--out", folder, "--base-path", "/docs"], { stdio: "ignore" });
  const server = await serveExport(folder);
  const context = await browser.newContext();
  const { page, faults } = await watchedPage(context, server.origin);
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const read = [];
  await page.route("**/_search/texts-*", async (route) => {
    read.push(route.request().url());
    await held;
    await route.continue();
  });
  await page.goto(`${server.origin}/docs/quickstart`);
  await open(page, "");
  // What is chosen of an older question, of fewer letters, need not be among what the whole one finds.
  const whole = page.waitForRequest("**/_search/texts-*");
  await field(page).pressSequentially("ticket", { delay: 20 });
  await whole;
  await options(page).first().waitFor();
  assert.equal(await page.locator(".search-snippet").count(), 0);
  await page.keyboard.press("ArrowDown");
  const href = await chosen(page).getAttribute("href");
  release();
  await page.waitForFunction(() => document.querySelector(".search-dialog").dataset.shown === "ticket");
  assert.ok((await page.locator(".search-snippet mark").count()) > 0);
  assert.equal(await chosen(page).getAttribute("href"), href);
  // Texts are read once, for the question as a whole, and only of what is in view.
  assert.equal(new Set(read).size, read.length);
  assert.ok(read.length <= 5, `${read.length} pieces`);
  const bare = page.locator(".search-group:not(:has(.search-snippet))");
  assert.ok((await bare.count()) > 0);
  await page.keyboard.press("End");
  const last = await chosen(page).getAttribute("href");
  await page.waitForFunction(() => document.querySelector(".search-group:last-child .search-snippet"));
  assert.equal(await chosen(page).getAttribute("href"), last);
  while (await bare.count()) {
    await bare.first().scrollIntoViewIfNeeded();
    await bare
      .first()
      .waitFor({ state: "detached" })
      .catch(() => assert.fail("a result in view has no text"));
  }
  assert.equal(new Set(read).size, read.length);
  assert.deepEqual(faults, []);
  await context.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("a search that fails says so, and can be tried again", () => {
  let isBroken = true;
  return searching({ answer: () => (isBroken ? 500 : tickets), mayFail: true }, async (page) => {
    await open(page, "ticket");
    await page.getByText("The search did not answer").first().waitFor();
    isBroken = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await options(page).first().waitFor();
  });
});

test("titles, excerpts and questions are texts", () => {
  const bad = `<img src=x onerror="window.bad=1">`;
  const results = [
    {
      title: bad,
      url: "/quickstart",
      snippet: `a ${bad} ticket`,
      score: 1,
      sections: [{ title: bad, anchor: `"><b>`, snippet: bad, score: 1 }],
    },
    { title: "Script", url: "javascript:window.bad=2", snippet: "", score: 1, sections: [] },
  ];
  return searching({ answer: ({ query }) => (query.includes("none") ? [] : results) }, async (page) => {
    await open(page, `ticket ${bad}`);
    await options(page).first().waitFor();
    assert.equal(await page.locator(".search-dialog img").count(), 0);
    assert.equal(await page.locator(".search-dialog [href^='javascript']").count(), 0);
    assert.match(await page.locator(".search-title").first().innerText(), /<img src=x/);
    await field(page).fill(`none ${bad}`);
    await page.getByText("No results for").first().waitFor();
    // What was opened is remembered, and shown again as it was typed.
    await page.evaluate((bad) => localStorage.setItem("quire-searches", JSON.stringify([bad, 7])), bad);
    await field(page).fill("");
    await page.locator(".search-again").waitFor();
    assert.equal(await page.locator(".search-again").innerText(), bad);
    assert.equal(await page.locator(".search-dialog img").count(), 0);
    assert.equal(await page.evaluate(() => window.bad), undefined);
  });
});

test("the last five searches are kept, and each can be forgotten", () =>
  searching({ answer: () => tickets }, async (page) => {
    for (const word of ["one", "two", "three", "four", "five", "six", "Six"]) {
      await open(page, word);
      await options(page).first().waitFor();
      await options(page).last().click();
      await page.waitForURL(`${preview.origin}/quickstart`);
    }
    await open(page);
    const kept = () => page.locator(".search-again").allInnerTexts();
    await page.locator(".search-again").first().waitFor();
    assert.deepEqual(await kept(), ["Six", "five", "four", "three", "two"]);
    await page.getByRole("button", { name: "Forget “four”" }).click();
    assert.deepEqual(await kept(), ["Six", "five", "three", "two"]);
    await page.locator(".search-again", { hasText: "three" }).click();
    await options(page).first().waitFor();
    assert.equal(await field(page).inputValue(), "three");
  }));

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1350, 375]) {
    test(`the open dialog is accessible, ${colorScheme} at ${width}`, () =>
      searching(
        {
          answer: ({ query }) => (query === "zz" ? [] : tickets),
          colorScheme,
          viewport: { width, height: 800 },
          reducedMotion: "reduce",
        },
        async (page) => {
          await page.evaluate(() => localStorage.setItem("quire-searches", '["a visit"]'));
          await page.evaluate(axe);
          for (const [text, sign] of [
            ["", ".search-again"],
            ["ticket", ".search-option"],
            ["zz", ".search-note"],
          ]) {
            await open(page, text);
            await page.locator(sign).first().waitFor();
            const { violations } = await page.evaluate(
              (tags) => axe.run(".search-dialog", { runOnly: { type: "tag", values: tags } }),
              tags,
            );
            const found = violations.flatMap(({ id, nodes }) =>
              nodes.map((node) => `${text}: ${id} ${node.html.slice(0, 160)}`),
            );
            assert.deepEqual(found, []);
          }
        },
      ));
  }
}

test("an export below a base path is searched without a service", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quire-export-"));
  const build = () =>
    execFileSync(program, ["build", preview.folder, "--out", folder, "--base-path", "/docs"], { stdio: "ignore" });
  const errors = join(preview.folder, "guides/errors.mdx");
  // Marks are a part of letters that are not Latin.
  writeFileSync(errors, `${readFileSync(errors, "utf8")}\nНастройки, á la carte.\n`);
  build();
  const server = await serveExport(folder);
  const context = await browser.newContext();
  const { page, faults } = await watchedPage(context, server.origin);
  await page.goto(`${server.origin}/docs/quickstart`);
  const titles = async (text) => {
    await field(page).fill(text);
    await page.waitForFunction((text) => document.querySelector(".search-dialog")?.dataset.shown === text, text);
    return page.locator(".search-page .search-title").allInnerTexts();
  };
  await open(page);
  assert.ok((await titles("life of a ticket")).includes("Tickets"));
  assert.equal((await titles("tickets"))[0], "Tickets");
  // The end of a word, a slip, another form, a name in another spelling.
  assert.ok((await titles("webho")).includes("Webhooks"));
  assert.ok((await titles("tikcets")).includes("Tickets"));
  assert.ok((await titles("exhibitId")).some((title) => /exhibit/i.test(title)));
  assert.deepEqual(await titles("qqqqqq"), []);
  assert.deepEqual(await titles("настройки"), ["Errors"]);
  assert.ok((await titles("à lá càrte")).includes("Errors"));
  // In quotes words stand next to each other, in prose, headings and code; what is still open is as if it were not.
  const all = await titles("life of a ticket");
  const together = await titles('"life of a ticket"');
  assert.ok(together.includes("Tickets") && together.length < all.length, together);
  assert.deepEqual(await titles('"life of a tick'), await titles("life of a tick"));
  assert.deepEqual(await titles('"ticket of a life"'), []);
  await page.getByText("No page has these words next to each other.").waitFor();
  assert.equal((await titles('"import hashlib, hmac"'))[0], "Webhooks");
  await titles("life of a ticket");
  await page.locator(".search-section[href$='#the-life-of-a-ticket']").click();
  await page.waitForURL(`${server.origin}/docs/concepts/tickets/#the-life-of-a-ticket`);
  await page.locator("h1").waitFor();
  assert.deepEqual(faults, []);

  // Whoever has an old table of contents finds what is new, though the files that it names are gone.
  const old = readFileSync(join(folder, "_search/index.json"));
  const text = readFileSync(join(preview.folder, "guides/errors.mdx"), "utf8");
  writeFileSync(join(preview.folder, "guides/errors.mdx"), `${text}\nThe wombatry is closed.\n`);
  build();
  let isFirst = true;
  await page.route("**/_search/index.json", (route) => {
    if (!isFirst) return route.continue();
    isFirst = false;
    return route.fulfill({ body: old, contentType: "application/json" });
  });
  await page.goto(`${server.origin}/docs/quickstart`);
  await open(page);
  assert.equal((await titles("wombatry"))[0], "Errors");
  assert.equal(isFirst, false);
  await context.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
