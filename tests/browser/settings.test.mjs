// Settings of `api` on a page that an author wrote (`api:`): what a reader sees of each.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { header, startRecorder } from "./recorder.mjs";
import { patience, startBrowser, startPreview } from "./support.mjs";

const seed = `---
title: Sow a seed
api: POST /seeds/{seed_id}
hidden: true
---

<ParamField path="seed_id" type="string" required>The seed.</ParamField>
<ParamField query="color" type="string" default="green">Its color.</ParamField>
<ParamField query="shape" type="string" post={["rare"]}>Its shape.</ParamField>
<ParamField body="name" type="string" required default="Moss">Its name.</ParamField>
<ResponseField name="plant" type="object">
  What grows.
  <Expandable title="plant">
    <ResponseField name="height" type="number">How high it is.</ResponseField>
  </Expandable>
</ResponseField>
`;
const plants = (origin) => `openapi: 3.0.3
info: { title: Plants, version: "1" }
servers: [{ url: "${origin}/v1" }]
paths:
  /plants:
    get:
      summary: List
      parameters: [{ name: color, in: query, schema: { type: string, x-internal: true, nullable: true }, example: red }]
      responses: { "200": { description: Fine., content: { application/json: { schema: { type: object, properties: { bed: { type: object, properties: { x: { type: number } } } } } } } } }
`;

let api, preview, browser, docs;
let written = 0;
before(async () => {
  api = await startRecorder();
  [preview, browser] = await Promise.all([startPreview("--no-state", "--relay-allow", api.origin), startBrowser()]);
  docs = JSON.parse(readFileSync(join(preview.folder, "docs.json"), "utf8"));
  mkdirSync(join(preview.folder, "set"));
  writeFileSync(join(preview.folder, "set/seed.mdx"), seed);
  writeFileSync(join(preview.folder, "openapi/plants.yaml"), plants(api.origin));
  writeFileSync(
    join(preview.folder, "set/plants.mdx"),
    "---\nopenapi: openapi/plants.yaml GET /plants\nhidden: true\n---\n",
  );
});
after(async () => {
  await browser?.close();
  await preview?.stop();
  await api?.stop();
});

/** Sets these members of `api`, and waits until pages are drawn with them. */
async function configure(members) {
  written += 1;
  const name = `Configured ${written}`;
  const mdx = { server: `${api.origin}/v1`, ...members.mdx };
  writeFileSync(join(preview.folder, "docs.json"), JSON.stringify({ ...docs, name, api: { ...members, mdx } }));
  for (const end = Date.now() + patience; ; ) {
    const reply = await fetch(`${preview.origin}/set/seed`);
    if (reply.ok && (await reply.text()).includes(name)) return;
    assert.ok(Date.now() < end, `${name} was never shown`);
  }
}
/** Runs `act` on a page. */
async function on(address, act, before = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 1350, height: 900 } });
  await before(context);
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  await page.goto(`${preview.origin}/${address}`);
  await act(page, page.getByRole("dialog", { name: "Send a request" }));
  await context.close();
}
const curl = (page) => page.locator(".samples pre code").first().textContent();
const open = (page) => page.getByRole("button", { name: "Try it" }).click();
/** Sends the form of the page; what arrived. */
async function sends(page, dialog) {
  await open(page);
  await dialog.getByLabel(/^seed_id/).fill("1");
  const count = api.requests.length;
  await dialog.locator(".play-send").click();
  return api.request(count);
}

test("api.examples.languages are the languages of the samples, in their order", async () => {
  await configure({ examples: { languages: ["go", "bash", "klingon", "python"] } });
  await on("set/seed", async (page) => {
    const titles = await page
      .locator(".samples .tab-panel[data-tab]")
      .evaluateAll((all) => all.map(({ dataset }) => dataset.tab));
    assert.equal(titles.length, 3);
    for (const [i, word] of [/^Go/, /^cURL/, /^Python/].entries()) assert.match(titles[i], word);
  });
});

test("api.examples.autogenerate: false leaves no samples of ours", async () => {
  await configure({ examples: { autogenerate: false } });
  await on("set/seed", async (page) => {
    assert.equal(await page.locator(".samples").count(), 0);
    // The form is there all the same.
    assert.equal((await sends(page, page.getByRole("dialog"))).target, "/v1/seeds/1?color=green");
  });
});

test("api.examples.defaults: required leaves optional parameters out of samples", async () => {
  await configure({ examples: { defaults: "all" } });
  await on("set/seed", async (page) => assert.match(await curl(page), /\?color=green'/));
  await configure({ examples: { defaults: "required" } });
  await on("set/seed", async (page) => assert.match(await curl(page), /\/seeds\/\{seed_id\}'/));
});

test("api.examples.prefill lets the form begin with the examples", async () => {
  for (const [prefill, expected] of [
    [false, ""],
    [true, "red"],
  ]) {
    await configure({ examples: { prefill } });
    await on("set/plants", async (page, dialog) => {
      await open(page);
      assert.equal(await dialog.getByLabel(/^color/).inputValue(), expected);
    });
    await on("set/seed", async (page, dialog) => {
      await open(page);
      assert.equal(await dialog.getByLabel(/^name/).inputValue(), "Moss");
    });
  }
});

test("api.playground.proxy says whether requests go through the site", async () => {
  for (const proxy of [true, false]) {
    await configure({ playground: { proxy } });
    await on("set/seed", async (page, dialog) => {
      const request = await sends(page, dialog);
      assert.equal(header(request, "Origin"), proxy ? undefined : preview.origin);
      assert.deepEqual(JSON.parse(request.body), { name: "Moss" });
    });
  }
});

test("api.playground.credentials sends the cookies that the browser has for the API", async () => {
  const withCookie = (context) => context.addCookies([{ name: "known", value: "yes", url: api.origin }]);
  for (const credentials of [true, false]) {
    await configure({ playground: { proxy: false, credentials } });
    // A preflight would have to allow credentials; a simple request is sent, whatever its answer allows.
    await on(
      "set/plants",
      async (page, dialog) => {
        await open(page);
        const count = api.requests.length;
        await dialog.locator(".play-send").click();
        assert.equal(header(await api.request(count), "Cookie"), credentials ? "known=yes" : undefined);
      },
      withCookie,
    );
  }
});

test("api.params.expanded: all opens what is folded, also in fields of authors", async () => {
  for (const [expanded, isOpen] of [
    ["closed", false],
    ["all", true],
  ]) {
    await configure({ params: { expanded } });
    await on("set/seed", async (page) =>
      assert.equal(await page.getByText("How high it is.").isVisible(), isOpen, expanded),
    );
    await on("set/plants", async (page) =>
      assert.equal(await page.locator("#response-200-bed-x").isVisible(), isOpen, expanded),
    );
  }
});

test("api.params.post stands behind the names of parameters, before their own", async () => {
  await configure({ params: { post: ["nullable", "x-internal"] } });
  await on("set/plants", async (page) =>
    assert.match(await page.locator("#query-color .row-head").innerText(), /color[\s\S]*nullable[\s\S]*x-internal/),
  );
  await on("set/seed", async (page) => assert.match(await page.locator("main").innerText(), /shape[\s\S]*rare/));
});

test("api.playground.display: auth has a form for readers who are logged in, which nobody is here", async () => {
  await configure({ playground: { display: "auth" } });
  await on("set/seed", async (page) => {
    assert.equal(await page.getByRole("button", { name: "Try it" }).count(), 0);
    assert.equal(await page.getByRole("button", { name: "Copy address" }).count(), 1);
  });
});

test("api.url: full shows the base address, as pages always do", async () => {
  for (const url of ["full", "auto"]) {
    await configure({ url });
    await on("set/seed", async (page) =>
      assert.equal((await page.locator(".endpoint-path").textContent()).trim(), `${api.origin}/v1/seeds/{seed_id}`),
    );
  }
});

test("api.mdx.auth.name is the header of a key", async () => {
  await configure({ mdx: { auth: { method: "key", name: "X-Seed-Key" } } });
  await on("set/seed", async (page, dialog) => {
    assert.match(await curl(page), /X-Seed-Key: <api-key>/);
    await open(page);
    await dialog.getByLabel(/^X-Seed-Key/).fill("k");
    await dialog.getByLabel(/^seed_id/).fill("1");
    const count = api.requests.length;
    await dialog.locator(".play-send").click();
    assert.equal(header(await api.request(count), "X-Seed-Key"), "k");
  });
});
