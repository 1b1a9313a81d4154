// The form that sends the request of a page: what arrives at an API, to the byte; what is shown of the answer; what is
// kept.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { header, startRecorder } from "./recorder.mjs";
import { program, serveExport, shows, startBrowser, startPreview, watchedPage } from "./support.mjs";

const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
const read = (path) => readFileSync(join(repository, path), "utf8");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
// Values of the table keep the texts of their numbers.
const json = await import(
  `data:text/javascript;base64,${Buffer.from(read("queries/theme/js/playground/json.js")).toString("base64")}`
);
const { jsonText, parseJson } = json;

const orders = (origin) => `openapi: 3.1.0
info: { title: Orders, version: "1" }
servers:
  - { url: "${origin}/v1", description: Live }
  - url: "${origin}/{region}/"
    description: Regions
    variables: { region: { default: eu, enum: [eu, us] } }
paths:
  /orders/{id}:
    post:
      summary: Place an order
      security: [{ token: [] }, { key: [], signature: [] }, { login: [] }, { inQuery: [] }]
      parameters:
        - { name: id, in: path, required: true, description: The id of the order., schema: { type: string } }
        - { name: limit, in: query, schema: { type: integer, maximum: 100, default: 20 } }
        - { name: sort, in: query, schema: { type: string, enum: [name, date] } }
        - { name: word, in: query, schema: { type: string } }
        - { name: expand, in: query, schema: { type: array, items: { type: string, enum: [maker, price, stock] } } }
        - { name: pin, in: query, schema: { type: string, format: password } }
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [buyer]
              properties:
                buyer: { type: object, required: [email], properties: { email: { type: string, format: email }, note: { type: string, maxLength: 500 } } }
                count: { type: integer, format: int64 }
                gift: { type: boolean }
                tags: { type: array, items: { type: string } }
                payment:
                  oneOf:
                    - { title: Card, type: object, required: [kind], properties: { kind: { const: card }, number: { type: string }, holder: { type: string } } }
                    - { title: Invoice, type: object, required: [kind], properties: { kind: { const: invoice }, holder: { type: string }, reference: { type: string } } }
                labels: { type: object, additionalProperties: { type: string } }
                anything: {}
          application/x-www-form-urlencoded:
            schema: { type: object, properties: { flat: { type: string }, many: { type: array, items: { type: string } } } }
          multipart/form-data:
            schema: { type: object, properties: { caption: { type: string }, picture: { type: string, format: binary }, meta: { type: object, properties: { a: { type: integer } } } } }
          text/plain: { schema: { type: string }, example: "Hello" }
          image/png: { schema: { type: string, format: binary } }
      responses: { "201": { description: Placed., content: { application/json: { schema: { type: object } } } } }
  /answer: { get: { summary: Answer, security: [], responses: { "200": { description: Fine. } } } }
  /other/{id}: { get: { summary: Other, security: [{ token: [] }], parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { "200": { description: Fine. } } } }
  /dropped: { get: { summary: Dropped, security: [], requestBody: { content: { application/json: { schema: { type: object } } } }, responses: { "200": { description: Fine. } } } }
components:
  securitySchemes:
    token: { type: oauth2, flows: { clientCredentials: { tokenUrl: "https://a.example/t", scopes: {} } } }
    key: { type: apiKey, in: header, name: X-Key }
    signature: { type: http, scheme: digest }
    login: { type: http, scheme: basic }
    inQuery: { type: apiKey, in: query, name: key }
`;

/** A schema of a value. */
const schemaOf = (value) => {
  if (typeof value === "string") return { type: "string" };
  if (Array.isArray(value)) return { type: "array", items: value.length ? schemaOf(value[0]) : {} };
  if (value instanceof Map)
    return {
      type: "object",
      properties: Object.fromEntries([...value].map(([key, member]) => [key, schemaOf(member)])),
    };
  return /^[-\d]/.test(value.text) ? { type: "number" } : {};
};
// What a browser cannot send straight: cookies, and an apostrophe in a query, which it encodes.
const isCookie = (one) => one.get("in") === "cookie";
// A query as a whole stands beside no other, and names that are written otherwise are looked for by hand.
const allRows = parseJson(read("tests/wire/values.json"))
  .get("values")
  .filter((one) => !one.has("whole") && !one.get("name").includes(";"));
// Separators within items are of Swagger 2.0 alone.
const rows = allRows.filter((one) => !isCookie(one) && !one.get("inner"));
const wireOf = (one) => (one.get("allowReserved") ? one.get("wire").replaceAll("'", "%27") : one.get("wire"));

/**
 * A specification with one operation that has each of `some` rows of the table as a parameter, which begins with the
 * value of the row.
 */
const tableSpec = (origin, some = rows) => {
  const parameters = some.map((one, i) => {
    const spec = Object.fromEntries(["in", "style"].map((key) => [key, one.get(key)]));
    for (const key of ["explode", "allowReserved"]) if (one.has(key)) spec[key] = one.get(key).text === "true";
    const value = one.get("value");
    // Each row has a name of its own; what is written of the name is the same.
    spec.name = `${one.get("name")}${i}`;
    spec.required = spec.in === "path";
    if (one.get("json")?.text === "true") {
      delete spec.style;
      delete spec.explode;
      spec.content = { "application/json": { schema: schemaOf(value) } };
    } else if (one.has("content")) {
      delete spec.style;
      delete spec.explode;
      spec.content = {
        [one.get("content") === "form" ? "application/x-www-form-urlencoded" : "text/plain"]: {
          schema: schemaOf(value),
        },
      };
    } else spec.schema = schemaOf(value);
    const text = JSON.stringify(spec);
    return `${text.slice(0, -1)},"x-default":${jsonText(value)}}`;
  });
  const path =
    some.map((one, i) => (one.get("in") === "path" ? `/s${i}-{${one.get("name")}${i}}` : "")).join("") || "/jar";
  const operation = `{"summary":"Table","parameters":[${parameters.join(",")}],"responses":{"200":{"description":"Fine."}}}`;
  return `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"servers":[{"url":"${origin}/t"}],"paths":{"${path}":{"get":${operation}}}}`;
};

let preview, browser, api;
before(async () => {
  api = await startRecorder();
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
  configure({ proxy: false });
  writeFileSync(join(preview.folder, "openapi/orders.yaml"), orders(api.origin));
  writeFileSync(join(preview.folder, "openapi/table.json"), tableSpec(api.origin));
  mkdirSync(join(preview.folder, "play"));
  const page = (path, entry, more = "") =>
    writeFileSync(join(preview.folder, `${path}.mdx`), `---\nopenapi: ${entry}\nhidden: true\n${more}---\n`);
  page("play/order", "openapi/orders.yaml POST /orders/{id}");
  page("play/answer", "openapi/orders.yaml GET /answer");
  page("play/other", "openapi/orders.yaml GET /other/{id}");
  page("play/dropped", "openapi/orders.yaml GET /dropped");
  page("play/simple", "openapi/orders.yaml GET /answer", "title: Simple\nplayground: simple\n");
  page("play/none", "openapi/orders.yaml GET /other/{id}", "title: None\nplayground: none\n");
  const path = Object.keys(JSON.parse(tableSpec(api.origin)).paths)[0];
  page("play/table", JSON.stringify(`openapi/table.json GET ${path}`));
  for (const name of ["order", "answer", "other", "dropped", "table"])
    await shows(preview, `/play/${name}`, '"relay":false');
});
after(async () => {
  await browser?.close();
  await preview?.stop();
  await api?.stop();
});

function configure(playground, examples = {}) {
  const path = join(preview.folder, "docs.json");
  const docs = JSON.parse(readFileSync(path, "utf8"));
  docs.api = { ...docs.api, playground, examples };
  writeFileSync(path, JSON.stringify(docs));
}

/** Runs `act` on a page whose form is open; the page must have done nothing wrong but for what it asks of the API. */
async function playing(
  address,
  act,
  { faultless = true, site = preview.origin, before = async () => {}, ...options } = {},
) {
  const context = await browser.newContext({
    viewport: { width: 1350, height: 900 },
    acceptDownloads: true,
    ...options,
  });
  const { page, faults } = await watchedPage(context, site);
  await before(page, context);
  await page.goto(new URL(address, site).href);
  const dialog = page.getByRole("dialog", { name: "Send a request" });
  await page.getByRole("button", { name: "Try it" }).click();
  await dialog.waitFor();
  await act({ page, dialog, context });
  const wrong = faults.filter(
    (fault) => !fault.startsWith(`asks for ${api.origin}`) && !fault.startsWith("asks for blob:"),
  );
  if (faultless) assert.deepEqual(wrong, []);
  await context.close();
}
const field = (dialog, name) => dialog.getByLabel(new RegExp(`^${name}\\b`)).first();
const send = (dialog) => dialog.locator(".play-send").click();
/** Sends and waits for the status. */
async function sent(dialog, status = "200 OK") {
  await send(dialog);
  await dialog.locator(".play-response .play-status", { hasText: status }).waitFor();
  return api.requests.at(-1);
}
const bodyText = (dialog) => dialog.locator(".play-response .play-body pre").textContent();
const media = (dialog, name) => dialog.getByLabel("Media type of the body").selectOption({ label: name });
const editor = (dialog) => dialog.getByLabel("Body as text");

test("each row of the table arrives to the byte", async (t) => {
  await playing("/play/table", async ({ dialog }) => {
    const request = await sent(dialog);
    const [path, query] = request.target.split(/\?(.*)/s);
    const expectedQuery = rows.flatMap((one, i) => {
      const name = (text) =>
        encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
      const [old, own] = [name(one.get("name")), name(`${one.get("name")}${i}`)];
      if (one.get("in") !== "query" || !one.get("wire")) return [];
      const isNamed = (pair) => pair.startsWith(`${old}=`) || pair.startsWith(`${old}%5B`);
      const pairs = wireOf(one)
        .split("&")
        .map((pair) => (isNamed(pair) ? own + pair.slice(old.length) : pair));
      return [[one.get("case"), pairs.join("&")]];
    });
    let rest = `${query}&`;
    for (const [name, wire] of expectedQuery) {
      await t.test(`query: ${name}`, () => {
        assert.equal(rest.slice(0, wire.length + 1), `${wire}&`);
        rest = rest.slice(wire.length + 1);
      });
    }
    assert.equal(rest, "");
    const segments = path.slice("/t/".length).split("/");
    let at = 0;
    for (const [i, one] of rows.entries()) {
      if (one.get("in") === "path") {
        const own = one.get("wire").replaceAll(";color", `;color${i}`);
        const segment = segments[at];
        at += 1;
        await t.test(`path: ${one.get("case")}`, () => assert.equal(segment, `s${i}-${own}`));
      }
      if (one.get("in") === "header") {
        const name = `${one.get("name")}${i}`;
        const value = header(request, name);
        await t.test(`header: ${one.get("case")}`, () =>
          assert.equal(Buffer.from(value, "latin1").toString(), one.get("wire").trim()),
        );
      }
    }
    assert.equal(at, segments.length);
  });
});

test("a form makes JSON of what is typed, numbers as they are typed", async () => {
  await playing("/play/order", async ({ dialog }) => {
    await field(dialog, "id").fill("a/b c");
    await field(dialog, "limit").fill("9007199254740993");
    await field(dialog, "sort").selectOption("date");
    await dialog.getByLabel("price", { exact: true }).check();
    await field(dialog, "email").fill("o'hara@example.com");
    await field(dialog, "count").fill("9007199254740993");
    await field(dialog, "gift").selectOption("false");
    await field(dialog, "anything").fill('{"n": 1e400, "m": -0}');
    const request = await sent(dialog);
    assert.equal(request.target, "/v1/orders/a%2Fb%20c?limit=9007199254740993&sort=date&expand=price");
    assert.equal(header(request, "Content-Type"), "application/json");
    assert.equal(
      request.body.toString(),
      '{\n  "buyer": {\n    "email": "o\'hara@example.com"\n  },\n  "count": 9007199254740993,\n  "gift": false,\n  "anything": {\n    "n": 1e400,\n    "m": -0\n  }\n}',
    );
    // Greater than what the specification allows: said, and sent all the same.
    assert.match(await dialog.locator(".play-summary").innerText(), /limit: Greater than 100/);
  });
});

test("JSON is sent as it was typed, and the form and back again lose nothing of it", async () => {
  const typed =
    '{ "unknown" : [1e400,  -0],\n"count":9007199254740993, "buyer": {"email": "a@b", "x": null}, "gift": "maybe" }';
  await playing("/play/order", async ({ dialog }) => {
    await field(dialog, "id").fill("1");
    await dialog.getByRole("button", { name: "JSON", exact: true }).click();
    await editor(dialog).fill(typed);
    assert.equal((await sent(dialog)).body.toString(), typed);
    await dialog.getByRole("button", { name: "Form", exact: true }).click();
    assert.equal(await field(dialog, "count").inputValue(), "9007199254740993");
    // What does not fit its field is edited as JSON.
    assert.equal(await field(dialog, "gift").inputValue(), '"maybe"');
    assert.equal((await sent(dialog)).body.toString(), typed);
    await dialog.getByRole("button", { name: "JSON", exact: true }).click();
    assert.equal(await editor(dialog).inputValue(), typed);
    await dialog.getByRole("button", { name: "Form", exact: true }).click();
    await field(dialog, "count").fill("7");
    const changed = parseJson((await sent(dialog)).body.toString());
    assert.equal(jsonText(changed), '{"unknown":[1e400,-0],"count":7,"buyer":{"email":"a@b","x":null},"gift":"maybe"}');
  });
});

test("lists, maps and branches are put in", async () => {
  await playing("/play/order", async ({ dialog, page }) => {
    await field(dialog, "id").fill("1");
    await dialog.locator("summary", { hasText: "tags" }).click();
    for (const word of ["b", "a", "c"]) {
      await dialog.getByRole("button", { name: "Add item: tags" }).click();
      await page.keyboard.type(word);
    }
    await dialog.getByRole("button", { name: "Move tags 2 up" }).click();
    await dialog.getByRole("button", { name: "Remove tags 3" }).click();
    await dialog.locator("summary", { hasText: "payment" }).click();
    await field(dialog, "number").fill("4242");
    await field(dialog, "holder").fill("Ada");
    await dialog.getByLabel("Kind of payment").selectOption("Invoice");
    assert.equal(await field(dialog, "holder").inputValue(), "Ada");
    await dialog.locator("summary", { hasText: "labels" }).click();
    await dialog.getByRole("button", { name: "Add field: labels" }).click();
    await page.keyboard.type("color");
    await dialog.getByLabel("Value").fill("red");
    const body = parseJson((await sent(dialog)).body.toString());
    assert.equal(
      jsonText(body),
      '{"buyer":{},"tags":["a","b"],"payment":{"kind":"invoice","holder":"Ada"},"labels":{"color":"red"}}',
    );
  });
});

test("a form with its encoding, text of any type, and files", async () => {
  await playing("/play/order", async ({ dialog, page }) => {
    await field(dialog, "id").fill("1");
    await media(dialog, "application/x-www-form-urlencoded");
    await field(dialog, "flat").fill("1 + 1 = ä");
    await dialog.locator("summary", { hasText: "many" }).click();
    for (const word of ["x", "y z"]) {
      await dialog.getByRole("button", { name: "Add item: many" }).click();
      await page.keyboard.type(word);
    }
    let request = await sent(dialog);
    assert.equal(request.body.toString(), "flat=1+%2B+1+%3D+%C3%A4&many=x&many=y+z");
    assert.equal(header(request, "Content-Type"), "application/x-www-form-urlencoded");

    await media(dialog, "multipart/form-data");
    await field(dialog, "caption").fill("A spoon");
    const bytes = Buffer.from([0, 255, 13, 10]);
    await dialog.locator("input[type=file]").setInputFiles({ name: 's"p.png', mimeType: "image/png", buffer: bytes });
    await dialog.locator("summary", { hasText: "meta" }).click();
    await field(dialog, "a").fill("1");
    request = await sent(dialog);
    const [, boundary] = /^multipart\/form-data; boundary=(\S+)$/.exec(header(request, "Content-Type"));
    const expected = Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="caption"\r\n\r\nA spoon\r\n`),
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="picture"; filename="s%22p.png"\r\nContent-Type: image/png\r\n\r\n`,
      ),
      bytes,
      Buffer.from(
        `\r\n--${boundary}\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n--${boundary}--\r\n`,
      ),
    ]);
    assert.deepEqual(request.body, expected);

    await media(dialog, "text/plain");
    assert.equal(await editor(dialog).inputValue(), "Hello");
    await editor(dialog).fill(" as typed\n");
    request = await sent(dialog);
    assert.equal(request.body.toString(), " as typed\n");
    assert.equal(header(request, "Content-Type"), "text/plain");

    await media(dialog, "image/png");
    await dialog.locator("input[type=file]").setInputFiles({ name: "p.png", mimeType: "image/png", buffer: bytes });
    request = await sent(dialog);
    assert.deepEqual(request.body, bytes);
    assert.equal(header(request, "Content-Type"), "image/png");
  });
});

test("credentials go where the scheme says, and nowhere else", async () => {
  await playing("/play/order", async ({ dialog, page }) => {
    await field(dialog, "id").fill("1");
    await dialog.getByLabel("token", { exact: false }).first().fill("s3cret");
    assert.equal(header(await sent(dialog), "Authorization"), "Bearer s3cret");
    const choose = (name) => dialog.getByLabel("Authorization", { exact: true }).selectOption({ label: name });
    await choose("login");
    await field(dialog, "User name").fill("ä");
    await field(dialog, "Password").fill("p:q");
    assert.equal(header(await sent(dialog), "Authorization"), `Basic ${Buffer.from("ä:p:q").toString("base64")}`);
    await choose("key + signature");
    assert.match(await dialog.locator(".play-note").first().innerText(), /signature .* is not sent/);
    await field(dialog, "X-Key").fill("k3y");
    const request = await sent(dialog);
    assert.equal(header(request, "X-Key"), "k3y");
    assert.equal(header(request, "Authorization"), undefined);
    await choose("inQuery");
    await dialog.locator(".play-secret input").fill("q s3cret");
    await field(dialog, "pin").fill("1234");
    assert.equal((await sent(dialog)).target, "/v1/orders/1?limit=20&pin=1234&key=q%20s3cret");
    // Neither the address of the page nor what is shown and kept of past requests has one.
    assert.equal(new URL(page.url()).search, "");
    assert.doesNotMatch(await dialog.locator(".play-address").innerText(), /s3cret/);
    await dialog.getByRole("tab", { name: "History" }).click();
    assert.match(await dialog.locator(".play-past").innerText(), /orders\/1\?limit=20/);
    assert.doesNotMatch(await dialog.locator(".play-past").innerText(), /s3cret|1234/);
    const kept = await page.evaluate(() => ({ session: { ...sessionStorage }, local: { ...localStorage } }));
    for (const [key, text] of Object.entries(kept.session))
      if (key !== "quire-playground-auth") assert.doesNotMatch(text, /s3cret|k3y|p:q|1234/, key);
    assert.doesNotMatch(JSON.stringify(kept.local), /s3cret|k3y|p:q|1234/);
  });
});

test("credentials are kept for the tab, on the device if the reader says so, and forgotten when they are cleared", async () => {
  await playing("/play/order", async ({ dialog, page, context }) => {
    const token = (from) => from.locator(".play-secret input").first();
    await token(dialog).fill("s3cret");
    await page.goto(`${preview.origin}/play/other`);
    await page.getByRole("button", { name: "Try it" }).click();
    assert.equal(await token(dialog).inputValue(), "s3cret");
    const second = await context.newPage();
    const other = second.getByRole("dialog");
    const openThere = async () => {
      await second.goto(`${preview.origin}/play/other`);
      await second.getByRole("button", { name: "Try it" }).click();
    };
    await openThere();
    assert.equal(await token(other).inputValue(), "");
    await dialog.getByLabel("Remember on this device").check();
    await openThere();
    assert.equal(await token(other).inputValue(), "s3cret");
    await dialog.getByRole("button", { name: "Clear", exact: true }).click();
    assert.equal(await token(dialog).inputValue(), "");
    assert.doesNotMatch(
      await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }])),
      /s3cret/,
    );
  });
});

test("values survive going elsewhere, and what is in a path is that of other pages too", async () => {
  await playing("/play/order", async ({ dialog, page }) => {
    await dialog.getByLabel("Base URL").selectOption({ index: 1 });
    await dialog.getByLabel("region").selectOption("us");
    await field(dialog, "id").fill("42");
    await field(dialog, "word").fill("spoon");
    await dialog.getByRole("button", { name: "JSON", exact: true }).click();
    await editor(dialog).fill('{"count": 1e400}');
    await page.goto(`${preview.origin}/play/other`);
    await page.getByRole("button", { name: "Try it" }).click();
    assert.equal(await field(dialog, "id").inputValue(), "42");
    assert.equal((await sent(dialog)).target, "/us/other/42");
    await page.goto(`${preview.origin}/play/order`);
    await page.getByRole("button", { name: "Try it" }).click();
    assert.equal(await field(dialog, "word").inputValue(), "spoon");
    assert.equal(await editor(dialog).inputValue(), '{"count": 1e400}');
    assert.equal((await sent(dialog)).target, "/us/orders/42?limit=20&word=spoon");
    await dialog.getByRole("button", { name: "Clear values" }).click();
    assert.equal(await field(dialog, "id").inputValue(), "");
    assert.equal(await field(dialog, "limit").inputValue(), "20");
  });
});

test("past requests are listed and sent again", async () => {
  await playing("/play/order", async ({ dialog }) => {
    await field(dialog, "id").fill("1");
    await field(dialog, "word").fill("first");
    await sent(dialog);
    await field(dialog, "word").fill("second");
    await field(dialog, "email").fill("a@b");
    await sent(dialog);
    await dialog.getByRole("tab", { name: "History" }).click();
    assert.equal(await dialog.locator(".play-past li").count(), 2);
    const count = api.requests.length;
    await dialog.locator(".play-past li").nth(1).getByRole("button").click();
    const again = await api.request(count);
    assert.equal(again.target, "/v1/orders/1?limit=20&word=first");
    assert.equal(again.body.toString(), '{\n  "buyer": {}\n}');
    assert.equal(await field(dialog, "word").inputValue(), "first");
  });
});

test("an empty path and malformed JSON are not sent, and nothing is sent by itself", async () => {
  const count = api.requests.length;
  await playing("/play/order", async ({ dialog, page }) => {
    await send(dialog);
    assert.match(await dialog.locator(".play-summary").innerText(), /Not sent.*id: required/s);
    assert.equal(await field(dialog, "id").evaluate((at) => at === document.activeElement), true);
    assert.equal(await field(dialog, "id").getAttribute("aria-invalid"), "true");
    await field(dialog, "id").fill("..");
    await send(dialog);
    assert.match(await dialog.locator(".play-summary").innerText(), /cannot be/);
    await field(dialog, "id").fill("1");
    await dialog.getByRole("button", { name: "JSON", exact: true }).click();
    await editor(dialog).fill('{"a": 1,}');
    assert.match(await dialog.locator(".play-body-form .play-wrong").innerText(), /^Line 1:9: Missing/);
    await send(dialog);
    assert.match(await dialog.locator(".play-summary").innerText(), /Not sent/);
    assert.equal(await editor(dialog).evaluate((at) => at === document.activeElement), true);
    await page.reload();
  });
  assert.equal(api.requests.length, count);
});

test("an empty text is sent where the reader says so, and a body that a browser cannot send is told", async () => {
  await playing("/play/order", async ({ dialog }) => {
    await field(dialog, "id").fill("1");
    await field(dialog, "word").focus();
    await dialog.locator(".play-row", { hasText: "word string" }).getByRole("button", { name: "Send empty" }).click();
    assert.equal((await sent(dialog)).target, "/v1/orders/1?limit=20&word=");
  });
  await playing("/play/dropped", async ({ dialog }) => {
    assert.match(await dialog.locator(".play-form").innerText(), /is not sent from here/);
    assert.equal((await sent(dialog)).body.length, 0);
  });
});

test("an answer is shown with what came with it, numbers untouched", async () => {
  const text = '{"id":9007199254740993,"big":1e400,"minus":-0,"s":"a, {b}","none":[],"deep":{"a":[1,null]}}';
  api.answer("/v1/answer", {
    status: 404,
    headers: { "X-Left": "9", "Content-Type": "application/problem+json; charset=utf-8" },
    body: text,
  });
  await playing(
    "/play/answer",
    async ({ dialog }) => {
      await sent(dialog, "404 Not Found");
      const shown = await bodyText(dialog);
      assert.equal(
        shown,
        '{\n  "id": 9007199254740993,\n  "big": 1e400,\n  "minus": -0,\n  "s": "a, {b}",\n  "none": [],\n  "deep": {\n    "a": [\n      1,\n      null\n    ]\n  }\n}',
      );
      assert.equal(await dialog.locator(".play-body .t-n").first().innerText(), "9007199254740993");
      assert.match(await dialog.locator(".play-facts").first().innerText(), /^\d+ ms · 91 B$/);
      await dialog.locator(".play-header-list summary").click();
      assert.match(await dialog.locator(".play-headers").innerText(), /x-left\s+9/);
    },
    { faultless: false },
  );
});

test("HTML is text, pictures are pictures, and bytes are saved under the name that came with them", async () => {
  const answer = (type, body, headers = {}) =>
    api.answer("/v1/answer", { headers: { "Content-Type": type, ...headers }, body });
  await playing("/play/answer", async ({ dialog, page }) => {
    answer("text/html", "<script>document.title = 'owned'</script><b>b</b>");
    await sent(dialog);
    assert.equal(await bodyText(dialog), "<script>document.title = 'owned'</script><b>b</b>");
    assert.notEqual(await page.title(), "owned");
    answer("image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>');
    await sent(dialog);
    const picture = dialog.locator("img.play-media");
    await picture.waitFor();
    assert.match(await picture.getAttribute("src"), /^blob:/);
    await page.waitForFunction(() => document.querySelector("img.play-media").naturalWidth === 40);
    answer("application/zip", Buffer.from([80, 75, 0, 1]), {
      "Content-Disposition": "attachment; filename*=UTF-8''a%20b%2F..%2Fc.zip",
    });
    await sent(dialog);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog.locator(".play-body").getByRole("button", { name: "Save" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "c.zip");
    assert.deepEqual(readFileSync(await download.path()), Buffer.from([80, 75, 0, 1]));
    answer("text/csv", "a,b\n1,2\n");
    await sent(dialog);
    assert.equal((await bodyText(dialog)).trim(), "a,b\n1,2");
    api.answer("/v1/answer", { status: 204, headers: { "Content-Type": "" } });
    await sent(dialog, "204 No Content");
    assert.match(await dialog.locator(".play-body").innerText(), /No body/);
  });
});

test("a long answer is plain, a very long one is shown in windows", async () => {
  const list = (size) => `[${Array.from({ length: size / 10 }, (_, i) => String(1e8 + i)).join(",")}]`;
  await playing("/play/answer", async ({ dialog }) => {
    api.answer("/v1/answer", { body: list(2e6) });
    await sent(dialog);
    await dialog.locator(".play-body pre").waitFor();
    assert.equal(await dialog.locator(".play-body .t-n").count(), 0);
    api.answer("/v1/answer", { body: list(6e6) });
    await sent(dialog);
    await dialog.getByText(/^0–\d % · /).waitFor();
    assert.ok((await dialog.locator(".play-body pre").textContent()).length <= 200_000);
    await dialog.getByRole("button", { name: "Later" }).click();
    assert.match(await dialog.locator(".play-window-bar").innerText(), /\n[23]–/);
  });
});

test("events are shown as they arrive, and the reader stops them", async () => {
  let write;
  const closed = new Promise((resolve) => {
    api.answer("/v1/answer", (response, cors) => {
      response.writeHead(200, { ...cors, "Content-Type": "text/event-stream" });
      write = (text) => response.write(text);
      response.on("close", resolve);
      write('event: first\ndata: {"a":1}\n\n: still there\n\ndata: on');
    });
  });
  await playing("/play/answer", async ({ dialog }) => {
    await send(dialog);
    const events = dialog.locator(".play-feed li");
    await events.first().waitFor();
    assert.match(await events.first().innerText(), /^first\s+[\d.]+ s\s+\{"a":1\}$/);
    assert.equal(await events.count(), 1);
    write("e\ndata: two\r\n\r\n");
    await events.nth(1).waitFor();
    assert.match(await events.nth(1).innerText(), /^message\s+[\d.]+ s\s+one\ntwo$/);
    await dialog.getByRole("button", { name: "Stop" }).click();
    await closed;
    await dialog.locator(".play-note", { hasText: "Cancelled" }).waitFor();
    assert.equal(await events.count(), 2);
  });
  for (const [type, body, expected] of [
    ["application/x-ndjson", '{"a":1}\n\n{"b":2}', ['{"a":1}', '{"b":2}']],
    ["application/json-seq", '\u001e{"a":1}\n\u001e{"b":\n2}\n', ['{"a":1}', '{"b":\n2}']],
  ]) {
    api.answer("/v1/answer", { headers: { "Content-Type": type }, body });
    await playing("/play/answer", async ({ dialog }) => {
      await sent(dialog);
      await dialog.locator(".play-feed li").nth(1).waitFor();
      assert.deepEqual(await dialog.locator(".play-feed code").allInnerTexts(), expected, type);
    });
  }
});

test("a request is cancelled by its button and by closing", async () => {
  for (const way of ["button", "Escape"]) {
    let arrived;
    const there = new Promise((resolve) => (arrived = resolve));
    const closed = new Promise((resolve) => {
      api.answer("/v1/answer", (response) => {
        response.on("close", resolve);
        arrived();
      });
    });
    await playing("/play/answer", async ({ dialog, page }) => {
      await send(dialog);
      await there;
      if (way === "button") await dialog.getByRole("button", { name: "Cancel" }).click();
      else await page.keyboard.press("Escape");
      await closed;
      if (way === "button") await dialog.locator(".play-response").getByText("Cancelled").waitFor();
      else assert.equal(await dialog.isVisible(), false);
    });
  }
});

test("an API that cannot be reached is explained, with the command that asks it", async () => {
  api.answer("/v1/answer", (response) => response.socket.destroy());
  const failing = { faultless: false };
  await playing(
    "/play/answer",
    async ({ dialog }) => {
      await send(dialog);
      await dialog.getByText("The likely causes").waitFor();
      assert.equal(await dialog.locator(".play-failure li").count(), 3);
      assert.equal(await dialog.locator(".play-failure pre").innerText(), `curl --url '${api.origin}/v1/answer'`);
    },
    failing,
  );
});

test("an API that does not answer is given up after a minute", async () => {
  let arrived;
  const there = new Promise((resolve) => (arrived = resolve));
  api.answer("/v1/answer", () => arrived());
  await playing(
    "/play/answer",
    async ({ dialog, page }) => {
      await send(dialog);
      await there;
      await page.clock.fastForward(59_000);
      assert.equal(await dialog.getByRole("button", { name: "Cancel" }).isVisible(), true);
      await page.clock.fastForward(2_000);
      await dialog.getByText("did not answer within 60 seconds").waitFor();
      assert.match(await dialog.locator(".play-failure pre").innerText(), /^curl --url/);
    },
    { before: (page) => page.clock.install() },
  );
});

test("a body begins with the example where the site says so", async () => {
  configure({ proxy: false }, { prefill: true });
  await shows(preview, "/play/order", '"prefilled":true');
  await playing("/play/order", async ({ dialog, page }) => {
    const sample = await page
      .locator(".samples .tab-panel[data-tab='cURL'] .tab-panel[data-tab='application/json'] pre code")
      .textContent();
    await field(dialog, "id").fill("1");
    const { body } = await sent(dialog);
    assert.ok(body.length > 50 && sample.includes(`--data '${body}'`), `${sample} has not ${body}`);
  });
  configure({ proxy: false });
  // Nothing stands between them: the example is not prefilled any more.
  await shows(preview, "/play/order", '"relay":false,"method"');
});

test("everything is done with the keyboard", async () => {
  api.answer("/v1/orders/7", { body: "{}" });
  await playing("/play/order", async ({ dialog, page }) => {
    const inside = () =>
      dialog.evaluate((at) => at.contains(document.activeElement) || document.activeElement === document.body);
    for (let i = 0; i < 60; i += 1) {
      await page.keyboard.press("Tab");
      assert.equal(await inside(), true, `after ${i + 1} times Tab`);
    }
    await field(dialog, "id").focus();
    await page.keyboard.type("7");
    const count = api.requests.length;
    await page.keyboard.press("Control+Enter");
    await api.request(count);
    await dialog.locator(".play-response .play-status").waitFor();
    await dialog.getByRole("tab", { name: "Response" }).focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await dialog.getByRole("tab", { name: "Code" }).getAttribute("aria-selected"), "true");
    assert.match(await dialog.locator(".play-code-panel pre").textContent(), /--url '.*\/v1\/orders\/7\?limit=20'/);
    await page.keyboard.press("Escape");
    assert.equal(await dialog.isVisible(), false);
    // It closes first and says so then, after which the focus is back.
    await page.waitForFunction(() => document.activeElement.matches("[data-playground]"));
    // What was typed is still there.
    await page.keyboard.press("Enter");
    assert.equal(await field(dialog, "id").inputValue(), "7");
    // An edit of the page puts another button there.
    await page.evaluate(() => {
      const button = document.querySelector("[data-playground]");
      button.replaceWith(button.cloneNode(true));
    });
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement.matches("[data-playground]"));
  });
});

test("the command on the page follows the form", async () => {
  await playing("/play/order", async ({ dialog, page }) => {
    const command = () =>
      page
        .locator(".samples .tab-panel[data-tab='cURL'] .tab-panel[data-tab='application/json'] pre code")
        .textContent();
    const drawn = await command();
    assert.match(drawn, /Bearer <token>/);
    await field(dialog, "id").fill("it's");
    await page.waitForFunction(() =>
      document.querySelector(".samples pre code")?.textContent.includes("/orders/it%27s"),
    );
    assert.match(await command(), /--url '.*\/v1\/orders\/it%27s\?limit=20'/);
    assert.match(await command(), /Bearer <token>/);
  });
});

test("requests go through the site where it passes them on, by its protocol", async () => {
  configure({});
  await shows(preview, "/play/order", '"relay":true');
  const seen = [];
  const faulty = { faultless: false };
  const relay = (answer) => async (page) => {
    await page.route("**/_quire/relay", async (route) => {
      const request = route.request();
      seen.push({ headers: request.headers(), body: request.postDataBuffer() });
      await route.fulfill(answer);
    });
  };
  const told = JSON.stringify({
    status: 418,
    reason: "I'm a teapot",
    url: `${api.origin}/elsewhere`,
    headers: [["content-type", "text/plain"]],
    redirects: 1,
  });
  const through = { contentType: "application/octet-stream", body: Buffer.from(`${told}\nline\nline`) };
  await playing(
    "/play/order",
    async ({ dialog }) => {
      await field(dialog, "id").fill("1");
      await media(dialog, "text/plain");
      await editor(dialog).fill("a\nb ä");
      await send(dialog);
      await dialog.locator(".play-response .play-status", { hasText: "418 I'm a teapot" }).waitFor();
      assert.equal(await bodyText(dialog), "line\nline");
      assert.match(await dialog.locator(".play-response .play-note").innerText(), /\/elsewhere/);
      const [{ headers, body }] = seen;
      assert.equal(headers["quire-relay"], "1");
      assert.equal(headers["content-type"], "application/octet-stream");
      const at = body.indexOf(10);
      assert.deepEqual(JSON.parse(body.subarray(0, at)), {
        method: "POST",
        url: `${api.origin}/v1/orders/1?limit=20`,
        headers: [["Content-Type", "text/plain"]],
      });
      assert.equal(body.subarray(at + 1).toString(), "a\nb ä");
    },
    { ...faulty, before: relay(through) },
  );

  const refusal = {
    status: 403,
    contentType: "application/json",
    body: '{"error":{"code":"relay-news","message":"`https://a` is no server of this site"}}',
  };
  await playing(
    "/play/answer",
    async ({ dialog }) => {
      await send(dialog);
      await dialog.getByText("`https://a` is no server of this site").waitFor();
    },
    { ...faulty, before: relay(refusal) },
  );
  // A code that the page knows is said in its own words.
  const known = { ...refusal, body: '{"error":{"code":"relay-target","message":"no","about":"https://a"}}' };
  await playing(
    "/play/answer",
    async ({ dialog }) => {
      await send(dialog);
      await dialog.getByText("https://a is no server of this API.").waitFor();
    },
    { ...faulty, before: relay(known) },
  );

  api.answer("/v1/answer", { body: '{"straight":true}' });
  await playing(
    "/play/answer",
    async ({ dialog }) => {
      await sent(dialog);
      assert.match(await dialog.locator(".play-response .play-note").innerText(), /sent it straight to the API/);
      assert.match(await bodyText(dialog), /"straight": true/);
    },
    { ...faulty, before: relay({ status: 404, body: "" }) },
  );
  configure({ proxy: false });
  await shows(preview, "/play/order", '"relay":false');
});

test("as much of a request is shown as the page says, and nothing that cannot work without scripts", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${preview.origin}/play/simple`);
  assert.equal(await page.locator(".endpoint").count(), 1);
  assert.equal(await page.getByRole("button", { name: "Try it" }).count(), 0);
  assert.ok(await page.getByRole("button", { name: "Copy address" }).count());
  await page.goto(`${preview.origin}/play/none`);
  // What is documented stays (SPEC 2.5, S15): how it is sent goes.
  assert.equal(await page.locator(".endpoint").count(), 1);
  assert.equal(await page.getByRole("button", { name: "Try it" }).count(), 0);
  assert.equal(await page.locator("#authorizations").count(), 0);
  assert.equal(await page.locator("#path-id").count(), 1);
  await context.close();
  const silent = await browser.newContext({ javaScriptEnabled: false });
  const still = await silent.newPage();
  await still.goto(`${preview.origin}/play/order`);
  assert.equal(await still.locator(".try-button").isVisible(), false);
  assert.equal(await still.locator(".endpoint").isVisible(), true);
  await silent.close();
});

test("the form is read when it is wanted, and not before", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${preview.origin}/play/order`);
  assert.deepEqual(
    asked.filter((url) => url.includes("playground")),
    [],
  );
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByRole("dialog").waitFor();
  const kinds = asked.filter((url) => url.includes("playground")).map((url) => extname(url));
  assert.deepEqual(kinds.sort(), [".css", ".js"]);
  await context.close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [320, 768, 1350]) {
    test(`the form is accessible and fits, ${colorScheme} at ${width}`, async () => {
      api.answer("/v1/orders/1", { body: '{"a":[1,"x",true]}' });
      const options = {
        colorScheme,
        viewport: { width, height: 800 },
        reducedMotion: "reduce",
        isMobile: width === 320,
        hasTouch: width === 320,
      };
      await playing(
        "/play/order",
        async ({ dialog, page }) => {
          const check = async (state) => {
            await page.evaluate(axe);
            const { violations } = await page.evaluate(
              (tags) => axe.run(document.querySelector(".play-dialog"), { runOnly: { type: "tag", values: tags } }),
              tags,
            );
            const found = violations.flatMap(({ id, nodes }) =>
              nodes.map(
                (node) =>
                  `${state} ${id}: ${node.html.slice(0, 160)} ${[...node.any, ...node.all]
                    .map((one) => one.message)
                    .join("; ")
                    .slice(0, 200)}`,
              ),
            );
            assert.deepEqual(found, []);
            const over = await page.evaluate(() =>
              Math.max(
                document.documentElement.scrollWidth - innerWidth,
                ...[
                  ...document.querySelectorAll(".play-dialog :is(.play-side, .play-result, .play-columns, .play-head)"),
                ].map((at) => at.scrollWidth - at.clientWidth),
              ),
            );
            assert.ok(over <= 0, `${state}: ${over} pixels too wide`);
          };
          const closed = dialog.locator(".play-group:not([open]) > summary");
          for (let i = await closed.count(); i > 0; i -= 1) await closed.first().click();
          await dialog.getByRole("button", { name: "Add item: tags" }).click();
          await dialog.getByRole("button", { name: "Add field: labels" }).click();
          await field(dialog, "id").fill("1");
          await check("filled");
          await sent(dialog);
          await check("answered");
          await dialog.getByRole("tab", { name: "Code" }).click();
          await check("command");
          await dialog.getByRole("tab", { name: "History" }).click();
          await check("history");
          await media(dialog, "multipart/form-data");
          await check("parts");
          const small = await dialog.evaluate((at) =>
            [
              ...at.querySelectorAll(
                "button, select, input:not([type=checkbox], [type=file]), textarea, summary, .play-chip, .play-check",
              ),
            ]
              .map((one) => [one.className || one.localName, one.getBoundingClientRect()])
              .filter(([, box]) => box.width && Math.min(box.width, box.height) < 24)
              .map(([name]) => name),
          );
          assert.deepEqual(
            small.filter((name) => name !== "play-link"),
            [],
          );
        },
        options,
      );
    });
  }
}

test("an export below a base path sends straight to the API", async () => {
  configure({});
  const folder = mkdtempSync(join(tmpdir(), "quire-export-"));
  execFileSync(program, ["build", preview.folder, "--out", folder, "--base-path", "/docs"], { stdio: "ignore" });
  const server = await serveExport(folder);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.origin}/docs/play/other`);
  await page.getByRole("button", { name: "Try it" }).click();
  const dialog = page.getByRole("dialog");
  await field(dialog, "id").fill("9");
  assert.equal((await sent(dialog)).target, "/v1/other/9");
  assert.equal(await dialog.locator(".play-response .play-note").count(), 0);
  assert.deepEqual(server.posted, []);
  await context.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("through the relay the same bytes arrive as straight from the browser", async () => {
  configure({ proxy: false });
  for (const name of ["order", "table"]) await shows(preview, `/play/${name}`, '"relay":false');
  const relayed = await startPreview("--no-state", "--relay-allow", api.origin);
  try {
    writeFileSync(join(relayed.folder, "openapi/orders.yaml"), orders(api.origin));
    writeFileSync(join(relayed.folder, "openapi/table.json"), tableSpec(api.origin));
    mkdirSync(join(relayed.folder, "play"));
    for (const name of ["order", "table"]) {
      writeFileSync(join(relayed.folder, `play/${name}.mdx`), readFileSync(join(preview.folder, `play/${name}.mdx`)));
    }
    // A request waits for what was written before it.
    const order = async (dialog) => {
      await field(dialog, "id").fill("ü/1");
      await field(dialog, "email").fill("ß@example.com");
      await field(dialog, "count").fill("9007199254740993");
    };
    for (const [path, fill] of [
      ["/play/table", async () => {}],
      ["/play/order", order],
    ]) {
      const seen = [];
      for (const origin of [preview.origin, relayed.origin]) {
        const asked = [];
        const before = async (page) => {
          page.on("request", (request) => asked.push(request.url()));
        };
        await playing(
          origin + path,
          async ({ dialog }) => {
            await fill(dialog);
            seen.push(await sent(dialog));
          },
          { before, site: origin },
        );
        // The browser of the second asks its own site for nothing but the relay.
        assert.equal(
          asked.some((url) => url.startsWith(api.origin)),
          origin === preview.origin,
        );
        assert.equal(asked.includes(`${origin}/_quire/relay`), origin !== preview.origin);
      }
      const [straight, passed] = seen;
      assert.notEqual(straight, passed);
      assert.equal(passed.method, straight.method);
      assert.equal(passed.target, straight.target);
      assert.deepEqual(passed.body, straight.body);
      const own = (record) =>
        record.headers
          .filter(([name]) => /^(x-|color|content-type)/i.test(name))
          .map(([name, value]) => [name.toLowerCase(), value])
          .sort();
      assert.deepEqual(own(passed), own(straight));
      assert.equal(header(passed, "Origin"), undefined);
      assert.equal(header(passed, "Cookie")?.includes("quire") ?? false, false);
    }
  } finally {
    assert.equal(await relayed.stop(), 0);
  }
});

test("each cookie of the table arrives through the relay", async (t) => {
  const relayed = await startPreview("--no-state", "--relay-allow", api.origin);
  try {
    writeFileSync(join(relayed.folder, "openapi/jar.json"), tableSpec(api.origin, allRows.filter(isCookie)));
    writeFileSync(join(relayed.folder, "jar.mdx"), "---\nopenapi: openapi/jar.json GET /jar\nhidden: true\n---\n");
    await shows(relayed, "/jar", '"relay":true');
    await playing(
      `${relayed.origin}/jar`,
      async ({ dialog }) => {
        let rest = `${Buffer.from(header(await sent(dialog), "Cookie"), "latin1")}; `;
        for (const [i, one] of allRows.filter(isCookie).entries()) {
          const name = one.get("name");
          const pairs = one.get("wire").split("; ").filter(Boolean);
          const wire = pairs
            .map((pair) => `${pair.startsWith(`${name}=`) ? `${name}${i}${pair.slice(name.length)}` : pair}; `)
            .join("");
          await t.test(one.get("case"), () => assert.equal(rest.slice(0, wire.length), wire));
          rest = rest.slice(wire.length);
        }
        assert.equal(rest, "");
      },
      { site: relayed.origin },
    );
  } finally {
    assert.equal(await relayed.stop(), 0);
  }
});
