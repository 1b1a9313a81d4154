// The samples of a page follow its form, in the language that is shown; language, base address and authorization that a
// reader chooses are those of the other pages.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { moduleOf } from "./modules.mjs";
import { shows, startBrowser, startPreview, watchedPage } from "./support.mjs";

const { languages } = await moduleOf("json", "request", "samples");

/** So many rows that a page leaves some of them to one that has all of them, and the colors of every sample. */
const tree = (depth) => ({
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 14 }, (_, i) => [
      `row_${depth}_${i}`,
      i < 2 && depth ? tree(depth - 1) : { type: "string", description: "About it." },
    ]),
  ),
});

const document = `openapi: 3.1.0
info: { title: Shop, version: "1" }
servers:
  - { url: "https://api.shop.example/v1", description: Live }
  - url: "https://{region}.shop.example/{version}/"
    description: Regions
    variables: { region: { default: eu, enum: [eu, us] }, version: { default: v1 } }
security: [{ token: [] }, { key: [], session: [] }, {}]
paths:
  /things/{id}:
    post:
      summary: Change a thing
      parameters:
        - { name: id, in: path, required: true, schema: { type: string }, example: first }
        - { name: word, in: query, schema: { type: string } }
        - { name: X-Trace, in: header, schema: { type: string } }
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { name: { type: string }, count: { type: integer, format: int64 } } }
            example: { name: Spoon, count: 2, isNew: true, note: null }
          application/x-www-form-urlencoded: { schema: { type: object, properties: { flat: { type: string } } }, example: { flat: a b } }
          multipart/form-data: { schema: { type: object, properties: { caption: { type: string }, picture: { type: string, format: binary } } } }
          application/xml: { schema: { type: string }, example: "<a>\\n  <b/>\\n</a>" }
          image/png: { schema: { type: string, format: binary } }
      responses: { "200": { description: Fine., content: { application/json: { schema: ${JSON.stringify(tree(4))} } } } }
  /orders:
    post:
      summary: Order
      security: []
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { name: { type: string }, count: { type: integer } } }
            examples: { one: { summary: One, value: { name: Spoon } }, many: { summary: Many, value: { name: Fork, count: 12 } } }
          text/plain: { schema: { type: string }, examples: { short: { value: a }, long: { value: b c } } }
      responses: { "200": { description: Fine. } }
  /others:
    get:
      summary: List others
      parameters: [{ name: limit, in: query, required: true, schema: { type: integer }, example: 5 }]
      x-codeSamples: [{ lang: Shell, label: CLI, source: "shop others" }, { lang: R, source: "others()" }]
      responses: { "200": { description: Fine. } }
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
    key: { type: apiKey, in: query, name: key }
    session: { type: apiKey, in: cookie, name: sid }
`;

let preview, browser;
before(async () => {
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
  writeFileSync(join(preview.folder, "openapi/shop.yaml"), document);
  mkdirSync(join(preview.folder, "shop"));
  const page = (path, entry) =>
    writeFileSync(join(preview.folder, `${path}.mdx`), `---\nopenapi: ${entry}\nhidden: true\n---\n`);
  page("shop/thing", "openapi/shop.yaml POST /things/{id}");
  page("shop/others", "openapi/shop.yaml GET /others");
  page("shop/orders", "openapi/shop.yaml POST /orders");
  await configured({ languages: languages.map(({ id }) => id) });
  await shows(preview, "/shop/thing", 'data-language="dart"');
  await shows(preview, "/shop/others", 'data-language="r"');
  await shows(preview, "/shop/orders", 'id="body-examples"');
});
after(async () => {
  await browser?.close();
  await preview?.stop();
});

async function configured(examples) {
  const path = join(preview.folder, "docs.json");
  const docs = JSON.parse(readFileSync(path, "utf8"));
  docs.api = { ...docs.api, examples };
  writeFileSync(path, JSON.stringify(docs));
}

/** Runs `act` on a page, which must do nothing wrong. */
async function on(address, act, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1350, height: 900 }, ...options });
  const { page, faults } = await watchedPage(context, preview.origin);
  await page.goto(preview.origin + address);
  const code = () => page.locator(".samples pre:visible code").textContent();
  const language = (label) => page.locator(".samples .language-select select").selectOption({ label });
  const dialog = page.getByRole("dialog", { name: "Send a request" });
  const open = async () => {
    await page.getByRole("button", { name: "Try it" }).click();
    await dialog.waitFor();
  };
  const close = async () => {
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "hidden" });
  };
  /** Waits until the code that is shown has `words`. */
  const says = (words) =>
    page.waitForFunction(
      (text) =>
        [...document.querySelectorAll(".samples pre code")].some(
          (one) => one.offsetParent && one.textContent.includes(text),
        ),
      words,
    );
  await act({
    page,
    code,
    language,
    dialog,
    open,
    close,
    says,
    field: (name) => dialog.getByLabel(new RegExp(`^${name}\\b`)).first(),
  });
  assert.deepEqual(faults, []);
  await context.close();
}

test("what is written for the form has the colors of what was built, in every language", async () => {
  await on("/shop/thing", async ({ page }) => {
    // The page itself colors the sample that is shown, the others when they are.
    const built = await page.evaluate(async () => {
      const whole = new DOMParser().parseFromString(await (await fetch("/_whole/shop/thing/")).text(), "text/html");
      return Object.fromEntries(
        [...whole.querySelectorAll(".samples [data-language]")].map((panel) => [
          panel.dataset.language,
          panel.querySelector(".sample-variants > .tab-panel code").innerHTML,
        ]),
      );
    });
    assert.equal(Object.keys(built).length, languages.length);
    const made = await page.evaluate(
      async ([built, languages]) => {
        const { colored } = await import(document.querySelector("[data-playground]").dataset.playground);
        const shown = {};
        for (const { id, highlight } of languages) {
          const code = document.createElement("code");
          code.innerHTML = built[id];
          const text = code.textContent;
          code.replaceChildren(colored(highlight, text));
          shown[id] = code.innerHTML;
        }
        return shown;
      },
      [built, languages],
    );
    for (const { id } of languages) assert.equal(made[id], built[id], id);
  });
});

test("code sends the example of the body that is chosen", async () => {
  await on("/shop/orders", async ({ page, code, language, says, open, close }) => {
    const choose = (label) => page.locator("#body-examples select[data-examples]:visible").selectOption({ label });
    const built = await code();
    assert.match(built, /"name": "Spoon"/);
    await choose("Many");
    await says('"count": 12');
    assert.equal(await code(), built.replace('"name": "Spoon"', '"name": "Fork",\n  "count": 12'));
    await language("Python");
    await says('"name": "Fork",');
    // The other form of the body has its own.
    await page.locator("#body-examples").getByRole("combobox").first().selectOption("text/plain");
    await language("cURL");
    await says("--data 'a'");
    await choose("long");
    await says("--data 'b c'");
    // The first one is what was built.
    await page.locator("#body-examples").getByRole("combobox").first().selectOption("application/json");
    await choose("One");
    await says('"name": "Spoon"');
    assert.equal(await code(), built);
    // Whoever looked into the form chooses all the same.
    await open();
    await close();
    await choose("Many");
    await says('"count": 12');
  });
});

test("the sample that is shown follows the form, and another language when it is chosen", async () => {
  await on("/shop/thing", async ({ page, code, language, open, close, field, says, dialog }) => {
    const built = await code();
    assert.match(built, /^curl --request POST/);
    await open();
    assert.equal(await code(), built, "nothing was typed");
    await field("id").fill("it's");
    await says("/things/it%27s");
    await field("X-Trace").fill('a"b');
    await field("count").fill("9007199254740993");
    await says("9007199254740993");
    assert.match(await code(), /--header 'X-Trace: a"b'/);
    assert.match(await code(), /Bearer <token>/);
    const python = () => page.locator(".samples [data-language='python'] .tab-panel[data-active] code").textContent();
    assert.doesNotMatch(await python(), /it%27s/);
    await close();
    await language("Python");
    await says("import requests");
    assert.match(await python(), /things\/it%27s"/);
    assert.match(await python(), /"X-Trace": "a\\"b"/);
    assert.match(await python(), /data = .*9007199254740993/);
    await open();
    await field("token").fill("secret-1");
    await says("Bearer secret-1");
    assert.equal(await dialog.getByRole("tab", { name: "Code" }).isVisible(), true);
  });
});

test("each form of a body is followed, and is the one that is shown", async () => {
  await on("/shop/thing", async ({ page, code, language, open, close, dialog, field, says }) => {
    await language("Node.js");
    await open();
    const media = (name) => dialog.getByLabel("Media type of the body").selectOption({ label: name });
    await field("id").fill("x");
    await media("application/x-www-form-urlencoded");
    await field("flat").fill("a&b c");
    await says("flat=a%26b+c");
    await media("multipart/form-data");
    await field("caption").fill('it\'s "that"');
    await dialog
      .locator("input[type=file]")
      .setInputFiles({ name: "a b.png", mimeType: "image/png", buffer: Buffer.from("x") });
    await says('openAsBlob("a b.png")');
    assert.match(await code(), /form\.append\("caption", "it's \\"that\\""\);/);
    assert.match(await code(), /new Blob\(\[file\], \{ type: "image\/png" \}\), "a b\.png"/);
    await media("application/xml");
    await dialog.getByLabel("Body as text").fill("<a b='c'>\n</a>");
    await says("<a b='c'>\\n</a>");
    await media("image/png");
    await dialog
      .locator("input[type=file]")
      .setInputFiles({ name: "it.png", mimeType: "image/png", buffer: Buffer.from("x") });
    await says('openAsBlob("it.png")');
    await media("application/json");
    await dialog.getByRole("button", { name: "Use the example" }).click();
    await says("JSON.stringify({");
    assert.match(await code(), /"isNew": true/);
    assert.equal(await page.locator(".samples pre:visible").count(), 1);
    // What is chosen on the page stays, whatever is typed.
    await close();
    await page.locator(".forms").getByLabel("Media type").selectOption("application/xml");
    await says("<a b='c'>\\n</a>");
    await open();
    await field("word").fill("t");
    await page.waitForFunction(() => document.querySelector(".play-address").textContent.endsWith("?word=t"));
    assert.match(await code(), /<a b='c'>/);
  });
});

test("the form has the code in the language of the site, and choosing another there chooses it everywhere", async () => {
  await on("/shop/thing", async ({ page, language, open, close, dialog, field }) => {
    await language("Go");
    await open();
    await dialog.getByRole("tab", { name: "Code" }).click();
    const shown = () => dialog.locator(".play-sample").textContent();
    assert.match(await shown(), /^package main/);
    const list = dialog.getByLabel("Language");
    await list.selectOption({ label: "Java" });
    assert.match(await shown(), /^import java\.net\.URI;/);
    await field("id").fill("seven");
    await page.waitForFunction(() => document.querySelector(".play-sample").textContent.includes("/things/seven"));
    await close();
    assert.equal(await page.locator(".samples .language-select select").inputValue(), "Java");
    await page.goto(`${preview.origin}/shop/others`);
    assert.equal(await page.locator(".samples .language-select select").inputValue(), "Java");
  });
});

test("a language is chosen from a list by the keyboard, and the author's sample stands for its language", async () => {
  await on("/shop/thing", async ({ page, code }) => {
    const list = page.getByLabel("Language");
    assert.equal(await list.inputValue(), "cURL");
    await list.focus();
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await list.inputValue(), "cURL");
    await list.selectOption({ label: "cURL" });
    await page.goto(`${preview.origin}/shop/others`);
    assert.equal(await code(), "shop others");
    const labels = await page.locator(".samples .language-select option").allTextContents();
    assert.deepEqual(labels.slice(0, 3), ["CLI", "R", "Wget"]);
    assert.ok(!labels.includes("cURL") && !labels.some((label) => label.includes("generated")));
    await page.getByLabel("Language").selectOption({ label: "R" });
    await page.getByLabel("Language").selectOption({ label: "CLI" });
    await page.goto(`${preview.origin}/shop/thing`);
    assert.equal(await page.getByLabel("Language").inputValue(), "cURL");
  });
});

test("a base address and its variables are those of the other pages of the specification, in every language", async () => {
  await on("/shop/thing", async ({ page, open, close, dialog, says }) => {
    await page.getByLabel("Base URL").selectOption({ index: 1 });
    await page.getByRole("combobox", { name: "region" }).selectOption("us");
    await page.getByRole("textbox", { name: "version" }).fill("v2");
    await page.goto(`${preview.origin}/shop/others`);
    assert.match(await page.locator(".endpoint-path").innerText(), /^https:\/\/us\.shop\.example\/v2\/others/);
    const sources = await page.evaluate(() =>
      [...document.querySelectorAll(".samples [data-sample]")].map((panel) => [
        panel.dataset.language,
        panel.querySelector("code").textContent,
      ]),
    );
    assert.equal(sources.length, languages.length - 1);
    for (const [id, source] of sources) {
      if (id === "http") assert.match(source, /^GET \/v2\/others\?limit=5 HTTP\/1\.1\nHost: us\.shop\.example\n/);
      else assert.ok(source.includes("https://us.shop.example/v2/others?limit=5"), `${id}: ${source}`);
      assert.ok(!source.includes("api.shop"), id);
    }
    // The form begins with it, and what is chosen there is that of the page.
    await open();
    assert.match(await dialog.locator(".play-address").textContent(), /^https:\/\/us\.shop\.example\/v2\//);
    await dialog.getByLabel("Base URL").selectOption({ index: 0 });
    await page.waitForFunction(() =>
      document.querySelector(".endpoint-path").textContent.startsWith("https://api.shop.example/v1"),
    );
    await close();
    await page.locator(".endpoint [data-server]").selectOption({ index: 1 });
    await page.locator(".samples").getByLabel("Language").selectOption({ label: "Python" });
    await says("https://us.shop.example/v2/others");
    await page.goto(`${preview.origin}/shop/thing`);
    await page.getByLabel("Language").selectOption({ label: "Rust" });
    await says("https://us.shop.example/v2/things/first");
  });
});

test("an authorization that is chosen in a form is that of the samples of the other pages", async () => {
  await on("/shop/thing", async ({ page, open, close, dialog, says, code, language }) => {
    await open();
    await dialog.getByLabel("Authorization", { exact: true }).selectOption({ label: "key + session" });
    await close();
    await says("key=%3Capi-key%3E");
    await page.goto(`${preview.origin}/shop/others`);
    await page.getByLabel("Language").selectOption({ label: "Python" });
    await says("/others?limit=5&key=%3Capi-key%3E");
    assert.match(await code(), /"Cookie": "sid=<api-key>"/);
    assert.doesNotMatch(await code(), /Bearer/);
    await page.goto(`${preview.origin}/shop/thing`);
    await language("HTTP");
    await says("POST /v1/things/first?key=%3Capi-key%3E HTTP/1.1");
    await page.locator(".forms").getByLabel("Media type").selectOption("application/x-www-form-urlencoded");
    await says("flat=a+b");
    assert.match(await code(), /Cookie: sid=<api-key>\nContent-Type: application\/x-www-form-urlencoded\n\nflat=a\+b$/);
    await page.locator(".forms").getByLabel("Media type").selectOption("multipart/form-data");
    await says("boundary-of-parts");
    await page.getByLabel("Base URL").selectOption({ index: 1 });
    await says("Host: eu.shop.example");
    await open();
    assert.equal(
      await dialog.getByLabel("Authorization", { exact: true }).evaluate((list) => list.selectedOptions[0].textContent),
      "key + session",
    );
    await dialog.getByLabel("Authorization", { exact: true }).selectOption({ label: "No authorization" });
    await close();
    await page.goto(`${preview.origin}/shop/others`);
    await page.getByLabel("Language").selectOption({ label: "Go" });
    await page.waitForFunction(
      () => !document.querySelector(".samples [data-language='go'] code").textContent.includes("Bearer"),
    );
    assert.doesNotMatch(await code(), /Cookie|key/);
  });
});

test("without scripts the sample of one language is shown", async () => {
  await on(
    "/shop/thing",
    async ({ page, code }) => {
      assert.equal(await page.locator(".samples .language-select").isVisible(), false);
      assert.equal(await page.locator(".samples .tab-title:visible").first().innerText(), "cURL");
      assert.match(await code(), /^curl/);
    },
    { javaScriptEnabled: false },
  );
});

test("as few languages as the site says are tabs", async () => {
  await configured({ languages: ["py", "bash", "golang"] });
  await shows(preview, "/shop/thing", 'role="tab" data-tab="Python"');
  await on("/shop/thing", async ({ page, open, field, says }) => {
    const tabs = page.locator(".samples [role=tab]");
    assert.deepEqual(await tabs.allTextContents(), ["Python", "cURL", "Go"]);
    await tabs.last().click();
    await open();
    await field("id").fill("nine");
    await says("/things/nine");
    assert.match(await page.locator(".samples pre:visible code").textContent(), /^package main/);
  });
});
