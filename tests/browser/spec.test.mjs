// Lines of the specification of this product that are about API pages, each over the interface that a reader has: a
// page in a browser, and an API that writes down what arrives.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { header, startRecorder } from "./recorder.mjs";
import { patience, startBrowser, startPreview, watchedPage } from "./support.mjs";

const document = (origin) => `openapi: 3.1.0
info: { title: Plants, version: "1" }
servers:
  - { url: "${origin}/v1", description: Live }
  - { url: "${origin}/test", description: Test }
security: [{ token: [] }]
paths:
  /plants:
    get:
      summary: List
      parameters:
        - { name: limit, in: query, schema: { type: integer, default: 20, x-default: 5 } }
        - { name: color, in: query, schema: { type: string, x-default: green } }
      responses: { "200": { description: Fine. } }
    post:
      summary: Plant
      security: []
      requestBody: { content: { application/json: { schema: { type: object, properties: { name: { type: string, x-default: Moss } } } } } }
      responses: { "201": { description: Planted. } }
  /beds:
    servers: [{ url: "${origin}/beds-of-path" }]
    get: { summary: Beds, security: [], responses: { "200": { description: Fine. } } }
    put: { summary: Dig, security: [], servers: [{ url: "${origin}/beds-of-operation" }], responses: { "200": { description: Fine. } } }
  /nowhere: { get: { summary: Nowhere, servers: [], responses: { "200": { description: Fine. } } } }
  /header: { get: { summary: Header, security: [{ inHeader: [] }], responses: { "200": { description: Fine. } } } }
  /query: { get: { summary: Query, security: [{ inQuery: [] }], responses: { "200": { description: Fine. } } } }
  /cookie: { get: { summary: Cookie, security: [{ inCookie: [] }], responses: { "200": { description: Fine. } } } }
  /basic: { get: { summary: Basic, security: [{ login: [] }], responses: { "200": { description: Fine. } } } }
components:
  securitySchemes:
    token: { type: http, scheme: bearer, x-default: told-token }
    inHeader: { type: apiKey, in: header, name: X-Key, x-default: told-key }
    inQuery: { type: apiKey, in: query, name: api_key }
    inCookie: { type: apiKey, in: cookie, name: session }
    login: { type: http, scheme: basic }
`;
const none = `openapi: 3.1.0
info: { title: Homeless, version: "1" }
paths: { /homeless: { get: { summary: Homeless, responses: { "200": { description: Fine. } } } } }
`;
const operations = [
  "GET /plants",
  "POST /plants",
  "GET /beds",
  "PUT /beds",
  "GET /header",
  "GET /query",
  "GET /cookie",
  "GET /basic",
];

let api, preview, browser, docs;
let written = 0;
before(async () => {
  api = await startRecorder();
  [preview, browser] = await Promise.all([startPreview("--no-state", "--relay-allow", api.origin), startBrowser()]);
  docs = JSON.parse(readFileSync(join(preview.folder, "docs.json"), "utf8"));
  writeFileSync(join(preview.folder, "openapi/plants.yaml"), document(api.origin));
  writeFileSync(join(preview.folder, "openapi/none.yaml"), none);
  mkdirSync(join(preview.folder, "spec"));
  for (const operation of operations) page(addressOf(operation), `openapi: openapi/plants.yaml ${operation}`);
  page("spec/homeless", "openapi: openapi/none.yaml GET /homeless");
  page("spec/simple", "title: Simple\nopenapi: openapi/plants.yaml GET /plants\nplayground: simple");
  page("spec/none", "title: None\nopenapi: openapi/plants.yaml GET /plants\nplayground: none");
  page("spec/interactive", "title: Interactive\nopenapi: openapi/plants.yaml GET /plants\nplayground: interactive");
  page("spec/relative", "title: Relative\napi: GET /seeds/{seed_id}");
  page("spec/whole", `title: Whole\napi: POST ${api.origin}/whole/seeds/{seed_id}`);
  for (const method of ["none", "bearer", "basic", "key"])
    page(`spec/auth-${method}`, `title: Auth ${method}\napi: GET /seeds\nauthMethod: ${method}`);
  await configure({});
});
after(async () => {
  await browser?.close();
  await preview?.stop();
  await api?.stop();
});

const addressOf = (operation) => `spec/${operation.toLowerCase().replace(" /", "-")}`;
function page(path, front, text = "") {
  writeFileSync(join(preview.folder, `${path}.mdx`), `---\n${front}\nhidden: true\n---\n\n${text}\n`);
}
/** Writes the configuration with these members, and waits until pages are drawn with it. */
async function configure(members) {
  written += 1;
  const name = `Configured ${written}`;
  writeFileSync(join(preview.folder, "docs.json"), JSON.stringify({ ...docs, name, ...members }));
  for (const end = Date.now() + patience; ; ) {
    const reply = await fetch(`${preview.origin}/spec/interactive`);
    if (reply.ok && (await reply.text()).includes(name)) return;
    assert.ok(Date.now() < end, `${name} was never shown`);
  }
}

/** Runs `act` on a page, which must log nothing and ask no other site. */
async function on(address, act, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1350, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  const { page: shown, faults } = await watchedPage(context, preview.origin);
  await shown.goto(`${preview.origin}/${address}`);
  await act(shown, shown.getByRole("dialog", { name: "Send a request" }));
  assert.deepEqual(faults, []);
  await context.close();
}
const tryIt = (shown) => shown.getByRole("button", { name: "Try it" });
/** Opens the form of a page, fills it in and sends it; what arrived. */
async function sends(address, fill = async () => {}) {
  let record;
  await on(address, async (shown, dialog) => {
    await tryIt(shown).click();
    await fill(dialog);
    const count = api.requests.length;
    await dialog.locator(".play-send").click();
    await dialog.locator(".play-response .play-status", { hasText: "200 OK" }).waitFor();
    record = await api.request(count);
  });
  return record;
}
const line = (shown) => shown.locator(".endpoint-line").innerText();
const curl = (shown) => shown.locator(".samples pre code").first().textContent();

test("S5: a playground is interactive, simple and copyable, or not there", async () => {
  await configure({});
  assert.equal((await sends("spec/interactive")).target.split("?")[0], "/v1/plants");
  await on("spec/simple", async (shown) => {
    assert.equal(await tryIt(shown).count(), 0);
    await shown.getByRole("button", { name: "Copy address" }).click();
    await shown.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await shown.evaluate(() => navigator.clipboard.readText()), `${api.origin}/v1/plants`);
  });
  await on("spec/none", async (shown) => {
    assert.equal(await tryIt(shown).count(), 0);
    // What is documented stays, method and path among it.
    assert.equal(await shown.locator(".endpoint").count(), 1);
    assert.equal(await shown.locator("#query-limit").count(), 1);
  });
  for (const [display, has] of [
    ["interactive", [1, 1]],
    ["simple", [0, 1]],
    ["none", [0, 1]],
  ]) {
    await configure({ api: { playground: { display } } });
    await on("spec/get-plants", async (shown) =>
      assert.deepEqual([await tryIt(shown).count(), await shown.locator(".endpoint").count()], has, display),
    );
  }
});

test("S14: the server of the configuration stands before relative addresses of pages", async () => {
  for (const members of [{ api: { mdx: { server: `${api.origin}/base` } } }, { server: `${api.origin}/base` }]) {
    await configure(members);
    await on("spec/relative", async (shown) =>
      assert.match(await curl(shown), new RegExp(`${api.origin}/base/seeds/\\{seed_id\\}'`)),
    );
    const request = await sends("spec/relative", (dialog) => dialog.getByLabel(/^seed_id/).fill("s 1"));
    assert.equal(request.target, "/base/seeds/s%201");
  }
  await configure({ api: { mdx: { server: [`${api.origin}/one`, `${api.origin}/two`] } } });
  const request = await sends("spec/relative", async (dialog) => {
    await dialog.getByLabel("Base URL").selectOption({ index: 1 });
    await dialog.getByLabel(/^seed_id/).fill("1");
  });
  assert.equal(request.target, "/two/seeds/1");
});

test("S15: display none hides the playground, and no authentication is asked for", async () => {
  for (const members of [{ api: { playground: { display: "none" } } }, { display: "none" }]) {
    await configure(members);
    await on("spec/get-plants", async (shown) => {
      assert.equal(await tryIt(shown).count(), 0);
      assert.equal(await shown.locator(".endpoint").count(), 1);
      assert.equal(await shown.locator("#authorizations, #auth-token").count(), 0);
      assert.equal(await shown.getByRole("heading", { name: "Authorizations" }).count(), 0);
    });
  }
});

test("S16: the authentication method of the site is bearer, basic, a key or none", async () => {
  const server = `${api.origin}/v1`;
  const cases = [
    [
      { method: "bearer" },
      (dialog) => dialog.getByPlaceholder("Paste a token").fill("t0ken"),
      { Authorization: "Bearer t0ken" },
    ],
    [
      { method: "basic" },
      async (dialog) => {
        await dialog.getByLabel(/^User name/).fill("ada");
        await dialog.getByLabel(/^Password/).fill("pw");
      },
      { Authorization: `Basic ${Buffer.from("ada:pw").toString("base64")}` },
    ],
    [
      { method: "key", name: "X-Plant-Key" },
      (dialog) => dialog.getByLabel(/^X-Plant-Key/).fill("k3y"),
      { "X-Plant-Key": "k3y" },
    ],
    [
      { method: "none" },
      async (dialog) => assert.equal(await dialog.getByRole("heading", { name: "Authorization" }).count(), 0),
      {},
    ],
  ];
  for (const [auth, fill, expected] of cases) {
    await configure({ api: { mdx: { server, auth } } });
    await on("spec/relative", async (shown) =>
      assert.equal(
        await shown.getByRole("heading", { name: "Authorizations" }).count(),
        auth.method === "none" ? 0 : 1,
      ),
    );
    const request = await sends("spec/relative", async (dialog) => {
      await dialog.getByLabel(/^seed_id/).fill("1");
      await fill(dialog);
    });
    for (const name of ["Authorization", "X-Plant-Key"])
      assert.equal(header(request, name), expected[name], `${auth.method}: ${name}`);
  }
});

test("S26: a whole address of a page ignores the server, a relative one needs it, and braces are parameters of the path", async () => {
  await configure({ api: { mdx: { server: `${api.origin}/base` } } });
  const request = await sends("spec/whole", (dialog) => dialog.getByLabel(/^seed_id/).fill("a/b"));
  assert.equal(request.method, "POST");
  assert.equal(request.target, "/whole/seeds/a%2Fb");
  await on("spec/whole", async (shown) => {
    assert.match(await shown.locator("#path-seed_id").innerText(), /seed_id[\s\S]*string[\s\S]*required/);
    assert.match(await line(shown), /POST[\s\S]*\{seed_id\}/);
  });
  await configure({});
  await on("spec/relative", async (shown) => {
    assert.equal(await tryIt(shown).count(), 0);
    assert.match(await shown.locator("main").innerText(), /server/);
  });
  await on("spec/whole", async (shown) => assert.equal(await tryIt(shown).count(), 1));
});

test("S27: what a page says of its playground wins over the site", async () => {
  await configure({ api: { playground: { display: "none" } } });
  await on("spec/interactive", async (shown) => assert.equal(await tryIt(shown).count(), 1));
  await on("spec/simple", async (shown) => assert.equal(await shown.locator(".endpoint").count(), 1));
  await configure({ api: { playground: { display: "interactive" } } });
  await on("spec/none", async (shown) => assert.equal(await tryIt(shown).count(), 0));
  await on("spec/simple", async (shown) => assert.equal(await tryIt(shown).count(), 0));
});

test("S28: the authentication method of a page wins over that of the site, and none disables it", async () => {
  const server = `${api.origin}/v1`;
  for (const method of ["bearer", "none"]) {
    await configure({ api: { mdx: { server, auth: { method } } } });
    await on("spec/auth-none", async (shown) =>
      assert.equal(await shown.getByRole("heading", { name: "Authorizations" }).count(), 0),
    );
    assert.equal(header(await sends("spec/auth-none"), "Authorization"), undefined);
    const basic = await sends("spec/auth-basic", async (dialog) => {
      await dialog.getByLabel(/^User name/).fill("a");
      await dialog.getByLabel(/^Password/).fill("b");
    });
    assert.equal(header(basic, "Authorization"), `Basic ${Buffer.from("a:b").toString("base64")}`);
    const bearer = await sends("spec/auth-bearer", (dialog) => dialog.getByPlaceholder("Paste a token").fill("t"));
    assert.equal(header(bearer, "Authorization"), "Bearer t");
  }
  await configure({ api: { mdx: { server, auth: { method: "bearer", name: "X-Own" } } } });
  const key = await sends("spec/auth-key", (dialog) => dialog.locator(".play-secret input").fill("k"));
  assert.equal(header(key, "Authorization"), undefined);
  assert.ok(key.headers.some(([, value]) => value === "k"));
});

test("S36: x-default fills in credentials and the fields of the playground, and changes no default", async () => {
  await configure({});
  const list = await sends("spec/get-plants");
  assert.equal(header(list, "Authorization"), "Bearer told-token");
  assert.equal(list.target, "/v1/plants?limit=5&color=green");
  assert.equal(header(await sends("spec/get-header"), "X-Key"), "told-key");
  assert.deepEqual(JSON.parse((await sends("spec/post-plants")).body), { name: "Moss" });
  await on("spec/get-plants", async (shown) => {
    assert.match(await shown.locator("#query-limit").innerText(), /Default: 20/);
    assert.doesNotMatch(await shown.locator("#query-color").innerText(), /Default/);
  });
});

test("S40: several servers are a list to choose from, none is simple mode, and paths and operations have their own", async () => {
  await configure({});
  await on("spec/get-plants", async (shown) => {
    const list = shown.getByRole("combobox", { name: "Base URL" });
    assert.deepEqual(await list.locator("option").allInnerTexts(), [
      `${api.origin}/v1 – Live`,
      `${api.origin}/test – Test`,
    ]);
    await list.selectOption({ index: 1 });
    assert.match(await curl(shown), new RegExp(`--url '${api.origin}/test/plants`));
  });
  const request = await sends("spec/get-plants", (dialog) => dialog.getByLabel("Base URL").selectOption({ index: 1 }));
  assert.match(request.target, /^\/test\/plants/);
  assert.equal((await sends("spec/get-beds")).target, "/beds-of-path/beds");
  assert.equal((await sends("spec/put-beds")).target, "/beds-of-operation/beds");
  await on("spec/homeless", async (shown) => {
    assert.equal(await tryIt(shown).count(), 0);
    assert.equal(await shown.getByRole("button", { name: "Copy address" }).count(), 1);
  });
});

test("S41: each scheme is applied where it says, and an operation overrides the document", async () => {
  await configure({});
  assert.equal(
    header(
      await sends("spec/get-plants", (dialog) => dialog.getByPlaceholder("Paste a token").fill("mine")),
      "Authorization",
    ),
    "Bearer mine",
  );
  assert.equal(header(await sends("spec/get-header", (dialog) => dialog.getByLabel(/^X-Key/).fill("k")), "X-Key"), "k");
  assert.equal(
    (await sends("spec/get-query", (dialog) => dialog.getByLabel(/^api_key/).fill("a b"))).target,
    "/v1/query?api_key=a%20b",
  );
  assert.equal(
    header(await sends("spec/get-cookie", (dialog) => dialog.getByLabel(/^session/).fill("c")), "Cookie"),
    "session=c",
  );
  const basic = await sends("spec/get-basic", async (dialog) => {
    await dialog.getByLabel(/^User name/).fill("ü");
    await dialog.getByLabel(/^Password/).fill("p:w");
  });
  assert.equal(header(basic, "Authorization"), `Basic ${Buffer.from("ü:p:w").toString("base64")}`);
  assert.equal(header(await sends("spec/post-plants"), "Authorization"), undefined);
  await on("spec/post-plants", async (shown) =>
    assert.equal(await shown.getByRole("heading", { name: "Authorizations" }).count(), 0),
  );
});
