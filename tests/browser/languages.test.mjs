// The form, the overlay and the panel of the assistant on pages in other languages: no word of English is left in what
// they show.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { startRecorder } from "./recorder.mjs";
import { previewOf, shows, startBrowser } from "./support.mjs";
import { read } from "./modules.mjs";

const codes = ["de", "ar", "ja", "fr"];
const english = [...read("queries/theme/src/words.rs").matchAll(/^ {4}[A-Z]\w+ ("(?:[^"\\]|\\.)*"),$/gm)].map(
  ([, text]) => JSON.parse(text),
);
const wordsOf = (code) =>
  Object.fromEntries(
    read(`queries/theme/words/${code}.txt`)
      .trim()
      .split("\n")
      .map((line) => line.split(/ = (.*)/s).slice(0, 2)),
  );

const spec = (origin) =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "T", version: "1" },
    servers: [{ url: `${origin}/v1` }, { url: `${origin}/v2` }],
    paths: {
      "/x/{id}": {
        post: {
          summary: "Make",
          security: [{ oauth: [] }, { key: [] }, {}],
          parameters: [
            { in: "path", name: "id", required: true, schema: { type: "string" } },
            { in: "query", name: "many", schema: { type: "array", items: { type: "integer" }, minItems: 2 } },
            { in: "header", name: "Cookie-Like", schema: { type: "string", format: "email" } },
            { in: "cookie", name: "c", schema: { type: "boolean" } },
          ],
          requestBody: {
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  additionalProperties: { type: "string" },
                  properties: {
                    n: { type: "integer", maximum: 5 },
                    u: { oneOf: [{ type: "string" }, { type: "object", properties: { z: { type: "string" } } }] },
                  },
                },
              },
              "text/plain": { schema: { type: "string" } },
            },
          },
          responses: { 200: { description: "ok" } },
        },
      },
    },
    components: {
      securitySchemes: {
        key: { type: "apiKey", in: "header", name: "X-Key" },
        oauth: {
          type: "oauth2",
          flows: {
            authorizationCode: { authorizationUrl: `${origin}/a`, tokenUrl: `${origin}/t`, scopes: { r: "" } },
            implicit: { authorizationUrl: `${origin}/a`, scopes: {} },
            clientCredentials: { tokenUrl: `${origin}/t`, scopes: {} },
          },
        },
      },
    },
  });

let folder, preview, browser, api, docs;
before(async () => {
  [api, browser] = await Promise.all([startRecorder(), startBrowser()]);
  folder = mkdtempSync(join(tmpdir(), "quire-languages-"));
  const languages = ["en", ...codes].map((language) => ({
    language,
    groups: [
      { group: "G", pages: [`${language}/a`] },
      { group: "API", openapi: { source: "api.json", directory: `${language}/api` } },
    ],
  }));
  docs = {
    theme: "mint",
    name: "N",
    colors: { primary: "#0a7755" },
    navigation: { languages },
    api: { playground: { proxy: false } },
  };
  writeFileSync(join(folder, "docs.json"), JSON.stringify(docs));
  writeFileSync(join(folder, "api.json"), spec(api.origin));
  for (const code of ["en", ...codes]) {
    mkdirSync(join(folder, code));
    writeFileSync(join(folder, code, "a.mdx"), "---\ntitle: A\n---\n\n```js\nlet a;\n```\n");
  }
  preview = await previewOf(folder, "--no-state");
});
after(async () => {
  await browser?.close();
  await preview?.stop();
  await api?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What is seen or read out within `place`. */
const shownIn = (place) =>
  place.evaluate((root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    // Code is in no language of people.
    while (walker.nextNode())
      if (!walker.currentNode.parentElement.closest("code, script, style")) texts.push(walker.currentNode.data.trim());
    for (const at of [root, ...root.querySelectorAll("*")]) {
      for (const name of ["aria-label", "title", "placeholder", "alt"])
        if (at.hasAttribute(name)) texts.push(at.getAttribute(name).trim());
    }
    return texts.filter(Boolean);
  });

/** Nothing that `place` shows is a text of English which the language says otherwise. */
async function isWhole(place, code, what) {
  const own = new Set(Object.values(wordsOf(code)));
  const patterns = english
    .filter((text) => !own.has(text))
    .map((text) => {
      const escaped = text.split("{}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      return [text, new RegExp(`^${escaped.join(".+")}$`, "s")];
    });
  const texts = await shownIn(place);
  assert.ok(texts.length > 1, what);
  // A pattern of one letter and a blank would be met by names of the page.
  const left = texts.flatMap((text) =>
    patterns
      .filter(([word, pattern]) => word.replace("{}", "").trim().length > 3 && pattern.test(text))
      .map(([word]) => `${what} ${code}: ${word} (${text})`),
  );
  assert.deepEqual(left, []);
  return texts;
}

for (const code of codes) {
  test(`the form speaks ${code}, with what is wrong and what came back`, async () => {
    const words = wordsOf(code);
    const page = await browser.newPage({ viewport: { width: 1350, height: 900 } });
    const read = [];
    page.on("request", (request) => read.push(new URL(request.url()).pathname));
    await page.goto(`${preview.origin}/${code}/api/make`);
    assert.deepEqual(
      read.filter((path) => path.includes("-words.")),
      [],
      "words are read when they are wanted",
    );
    await isWhole(page.locator("body"), code, "page");
    await page.getByRole("button", { name: words.TryIt }).click();
    const dialog = page.getByRole("dialog", { name: words.SendRequest });
    await dialog.waitFor();
    assert.deepEqual(
      read.filter((path) => path.includes("-words.")).map((path) => path.split(".")[1]),
      [code],
      "of one language",
    );
    const closed = dialog.locator("details:not([open]) > summary");
    while (await closed.count()) await closed.first().click();
    await isWhole(dialog, code, "form");
    for (const add of await dialog.locator(".play-add").all()) await add.click();
    await dialog.getByLabel(/^n\b/).fill("7");
    await dialog.getByLabel(/^Cookie-Like\b/).fill("nobody");
    await dialog.locator(".play-send").click();
    await dialog.locator(".play-summary li").first().waitFor();
    const faults = await isWhole(dialog, code, "faults");
    for (const name of ["Required", "NotEmail"])
      assert.ok(
        faults.some((text) => text.includes(words[name])),
        name,
      );
    assert.ok(faults.some((text) => text.includes(words.GreaterThan.replace("{}", "5"))));
    const flows = dialog.getByLabel(words.Flow, { exact: true });
    for (const i of [1, 2]) {
      await flows.selectOption({ index: i });
      await isWhole(dialog, code, `flow ${i}`);
    }
    await dialog.getByLabel(/^id\b/).fill("1");
    await dialog.locator(".play-send").click();
    await dialog.locator(".play-reply-head .play-status", { hasText: "200" }).waitFor();
    await isWhole(dialog, code, "reply");
    for (const tab of await dialog.getByRole("tab").all()) {
      await tab.click();
      await isWhole(dialog, code, "tab");
    }
    await page.route(`${api.origin}/**`, (route) => route.abort());
    await dialog.locator(".play-send").click();
    await dialog.locator(".play-failure").waitFor();
    const failure = await isWhole(dialog, code, "failure");
    assert.ok(failure.includes(words.CauseCors));
    await page.close();
  });
}

const refusals = [
  [403, "relay-target", "https://a.example", "RelayTarget"],
  [502, "relay-unreachable", "DNS", "RelayUnreached"],
  [413, "body-too-large", "16", "RelayTooLong"],
  [400, "malformed-request", "no", "RelayMalformed"],
  [504, "relay-timeout", undefined, "RelayTimeout"],
  [429, "relay-limit", undefined, "RelayBusy"],
  [503, "stopping", undefined, "RelayStops"],
  [403, "cross-origin", undefined, "RelayForeign"],
];

test("what the site does not pass on is told in the language of the page", async () => {
  writeFileSync(join(folder, "docs.json"), JSON.stringify({ ...docs, api: { playground: { proxy: true } } }));
  await shows(preview, "/de/api/make", '"relay":true');
  for (const code of codes) {
    const words = wordsOf(code);
    const page = await browser.newPage({ viewport: { width: 1350, height: 900 } });
    await page.goto(`${preview.origin}/${code}/api/make`);
    await page.getByRole("button", { name: words.TryIt }).click();
    const dialog = page.getByRole("dialog", { name: words.SendRequest });
    await dialog.getByLabel(/^id\b/).fill("1");
    const fails = async (text) => {
      await dialog.locator(".play-send").click();
      await dialog.locator(".play-failure p", { hasText: text }).first().waitFor();
      await isWhole(dialog, code, text);
    };
    // The site itself: the API of the test is at no public address.
    await fails(words.RelayAddress.replace("{}", new URL(api.origin).hostname));
    for (const [status, refusal, about, word] of refusals) {
      const body = JSON.stringify({ error: { code: refusal, message: "Words of English.", about } });
      await page.route("**/_quire/relay", (route) => route.fulfill({ status, contentType: "application/json", body }));
      await fails(words[word].replace("{}", about));
      await page.unrouteAll({ behavior: "wait" });
    }
    await page.close();
  }
  writeFileSync(join(folder, "docs.json"), JSON.stringify(docs));
  await shows(preview, "/de/api/make", '"relay":false');
});

test("the form and the panel follow the reader to another language", async () => {
  const [german, arabic] = [wordsOf("de"), wordsOf("ar")];
  const page = await browser.newPage({ viewport: { width: 1350, height: 900 } });
  await page.goto(`${preview.origin}/de/api/make`);
  await page.evaluate(() => (globalThis.isSamePage = true));
  await page.getByRole("button", { name: german.TryIt }).click();
  const form = page.getByRole("dialog", { name: german.SendRequest });
  await form.waitFor();
  await page.keyboard.press("Escape");
  // It closes first and says so then, after which the focus is back.
  await page.waitForFunction(() => document.activeElement.matches("[data-playground]"));
  await page.keyboard.press("Control+i");
  const panel = page.locator(".ask");
  await panel.getByText(german.AskGreeting).waitFor();
  await isWhole(panel, "de", "panel");
  const visit = (to) =>
    page.evaluate((to) => document.dispatchEvent(new CustomEvent("quire:visit", { detail: to, cancelable: true })), to);
  await visit("/ar/api/make");
  await panel.getByText(arabic.AskGreeting).waitFor();
  assert.equal(await page.evaluate(() => globalThis.isSamePage), true, "without loading");
  assert.equal(await panel.count(), 1);
  await isWhole(panel, "ar", "panel");
  await page.getByRole("button", { name: arabic.TryIt }).click();
  const dialog = page.getByRole("dialog", { name: arabic.SendRequest });
  await dialog.waitFor();
  await isWhole(dialog, "ar", "form");
  await page.keyboard.press("Escape");
  await visit("/en/api/make");
  await panel.getByText("What would you like to know?").waitFor();
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByRole("dialog", { name: "Send a request" }).waitFor();
  await page.close();
});

test("what is wrong with a page is said in its language", async () => {
  const words = wordsOf("de");
  const path = join(folder, "de/a.mdx");
  const was = readFileSync(path, "utf8");
  const page = await browser.newPage();
  await page.goto(`${preview.origin}/de/a`);
  try {
    writeFileSync(path, `${was}\n<Card title="x">\n`);
    const overlay = page.locator(".overlay");
    await overlay.waitFor();
    const head = await overlay.locator(".overlay-head").innerText();
    assert.match(
      head,
      new RegExp(
        `${words.ManyWarnings.replace("{}", "\\d+")}|${words.OneWarning}|${words.OneError}|${words.ManyErrors.replace("{}", "\\d+")}`,
      ),
    );
    assert.ok(head.includes(`${words.Close} (Esc)`), head);
    assert.equal(await overlay.getAttribute("aria-label"), words.Problems);
    await isWhole(overlay.locator(".overlay-head"), "de", "overlay");
  } finally {
    writeFileSync(path, was);
    await page.close();
  }
});
