// Where requests of the form go, and what is shown where an answer or its way is unusual: servers of the site itself,
// servers with free variables, addresses of OAuth, parameters with content, cookies of pages in MDX, answers that break
// off, redirects.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";

import { header, startRecorder } from "./recorder.mjs";
import { shows, startBrowser, startPreview, watchedPage } from "./support.mjs";

const text = (example) => `{ schema: { type: string }, example: '${example}' }`;
const spec = (api, other) => `openapi: 3.2.0
info: { title: Ways, version: "1" }
servers: [{ url: "${api}" }]
paths:
  /own.txt:
    get: { summary: Own, servers: [{ url: /files/v1 }], responses: { "200": { description: Fine. } } }
  /free:
    get:
      summary: Free
      servers: [{ url: "http://{tenant}.api.localhost:${new URL(api).port}/{version}", variables: { tenant: { default: demo }, version: { default: v1 } } }]
      security: [{ login: [] }]
      responses: { "200": { description: Fine. } }
  /content/{p}:
    get:
      summary: Content
      parameters:
        - { in: path, name: p, required: true, content: { text/plain: ${text("a b/c")} } }
        - { in: query, name: t, required: true, content: { text/csv: ${text("a,b c")} } }
        - { in: query, name: j, required: true, content: { application/json: ${text("ab")} } }
        - { in: header, name: X-T, required: true, content: { application/jwt: ${text("aa.bb.cc")} } }
        - { in: cookie, name: c, required: true, schema: { type: string }, example: "a b;c" }
        - { in: cookie, name: r, required: true, style: cookie, schema: { type: string }, example: "a%20b" }
      responses: { "200": { description: Fine. } }
  /whole:
    get:
      summary: Whole
      parameters: [{ in: querystring, name: q, required: true, content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { a: { type: string }, b: { type: array, items: { type: integer } } } } } } }]
      responses: { "200": { description: Fine. } }
  /form:
    post:
      summary: Form
      requestBody: { content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { o: { type: object, properties: { m: { type: string } } }, l: { type: array, items: { type: string } } } } } } }
      responses: { "200": { description: Fine. } }
  /cut: { get: { summary: Cut, responses: { "200": { description: Fine. } } } }
  /packed: { get: { summary: Packed, responses: { "200": { description: Fine. } } } }
  /moved: { post: { summary: Moved, parameters: [{ in: header, name: X-Key, schema: { type: string, default: s3cret } }], security: [{ token: [] }], requestBody: { content: { application/json: { schema: { type: object }, example: { a: 1 } } } }, responses: { "200": { description: Fine. } } } }
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
    login:
      type: oauth2
      flows:
        authorizationCode: { authorizationUrl: "http://{tenant}.login.localhost:${new URL(other).port}/authorize", tokenUrl: ../token, refreshUrl: "http://{nobody}.login.localhost/r", scopes: {} }
`;

/** An API that breaks off in the middle of what it says. */
const startCut = async () => {
  const server = createServer((socket) =>
    socket
      .on("error", () => {})
      .once("data", () => {
        socket.end(
          'HTTP/1.1 200 OK\r\nX-Mine: yes\r\nContent-Type: application/json\r\nContent-Length: 100\r\nAccess-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: *\r\n\r\n{"half": true,',
        );
      }),
  );
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
};

let api, other, cut, browser, preview;
before(async () => {
  [api, other, cut, browser] = await Promise.all([startRecorder(), startRecorder(), startCut(), startBrowser()]);
  api.answer("/packed", { headers: { "Content-Encoding": "gzip" }, body: gzipSync('{"unpacked":true}') });
  api.answer("/moved", { status: 307, headers: { Location: `${other.origin}/there?x=1` }, body: "moved" });
  preview = await startPreview("--no-state", "--relay-allow", api.origin, "--relay-allow", cut.origin);
  const write = (path, content) => writeFileSync(join(preview.folder, path), content);
  for (const folder of ["ways", "files", "files/v1"]) mkdirSync(join(preview.folder, folder));
  write("openapi/ways.yaml", spec(api.origin, other.origin));
  write("files/v1/own.txt", "It is mine.");
  const pages = {
    own: "GET /own.txt",
    free: "GET /free",
    content: "GET /content/{p}",
    whole: "GET /whole",
    form: "POST /form",
    packed: "GET /packed",
    moved: "POST /moved",
  };
  for (const [name, operation] of Object.entries(pages))
    write(`ways/${name}.mdx`, `---\nopenapi: openapi/ways.yaml ${operation}\nhidden: true\n---\n`);
  write("ways/cut.mdx", `---\ntitle: Cut\napi: GET ${cut.origin}/cut\nhidden: true\n---\n`);
  write(
    "ways/manual.mdx",
    `---\ntitle: Manual\napi: GET ${api.origin}/manual\nhidden: true\n---\n\n<ParamField cookie="visit" type="string" required>The visit.</ParamField>\n`,
  );
  await shows(preview, "/ways/manual", "Cookie");
  await shows(preview, "/ways/moved", '"relay":true');
});
after(async () => {
  await browser?.close();
  for (const one of [preview, api, other, cut]) await one?.stop();
});

/** Runs `act` on the open form of a page; `asked` are the addresses that its browser asked. */
async function playing(address, act) {
  const context = await browser.newContext({ viewport: { width: 1350, height: 900 } });
  const { page } = await watchedPage(context, preview.origin);
  const asked = [];
  page.on("request", (request) => asked.push(`${request.method()} ${request.url()}`));
  await page.goto(preview.origin + address);
  const sample = await page.locator(".samples pre code").first().textContent();
  await page.getByRole("button", { name: "Try it" }).click();
  const dialog = page.getByRole("dialog", { name: "Send a request" });
  await act({ page, dialog, asked, sample, context });
  await context.close();
}
const send = (dialog) => dialog.locator(".play-send").click();
const status = (dialog, words) => dialog.locator(".play-response .play-status", { hasText: words }).waitFor();
const field = (dialog, name) => dialog.getByRole("textbox", { name: new RegExp(`^${name}\\b`) }).first();

test("a server of the site itself is asked straight from the browser", () =>
  playing("/ways/own", async ({ dialog, asked, sample }) => {
    assert.match(sample, /'\{baseUrl\}\/files\/v1\/own\.txt'/);
    await send(dialog);
    await status(dialog, "200 OK");
    assert.ok(asked.includes(`GET ${preview.origin}/files/v1/own.txt`), asked.join("\n"));
    assert.ok(!asked.some((url) => url.includes("/_quire/relay")));
    assert.match(await dialog.locator(".play-body").textContent(), /It is mine\./);
    assert.equal(await dialog.locator(".play-address").textContent(), `${preview.origin}/files/v1/own.txt`);
  }));

test("what is typed for a variable of the host is sent, by the browser where the site may not", () =>
  playing("/ways/free", async ({ dialog, asked }) => {
    const count = api.requests.length;
    await dialog.getByLabel("tenant").fill("acme");
    await send(dialog);
    await status(dialog, "200 OK");
    const request = await api.request(count);
    assert.equal(request.target, "/v1/free");
    assert.equal(header(request, "Host"), `acme.api.localhost:${new URL(api.origin).port}`);
    assert.ok(asked.some((url) => url.startsWith("GET http://acme.api.localhost:")));
  }));

test("addresses of OAuth have what is chosen for the server, and those that are none are not opened", () =>
  playing("/ways/free", async ({ page, dialog, context }) => {
    const shown = await page.locator(".flow").first().textContent();
    assert.match(shown, /http:\/\/demo\.login\.localhost:\d+\/authorize/);
    assert.match(shown, /http:\/\/demo\.api\.localhost:\d+\/token/);
    await dialog.getByLabel("tenant").fill("acme");
    await dialog.locator(".play-oauth > summary").click();
    const facts = await dialog.locator(".play-oauth-facts").textContent();
    assert.match(facts, /http:\/\/acme\.login\.localhost:\d+\/authorize/);
    assert.match(facts, /http:\/\/acme\.api\.localhost:\d+\/token/);
    await dialog.getByLabel("Client ID").fill("app");
    const count = other.requests.length;
    const popup = context.waitForEvent("page");
    await dialog.getByRole("button", { name: "Sign in and get a token" }).click();
    await popup;
    assert.match(header(await other.request(count), "Host"), /^acme\.login\.localhost:/);
  }));

test("parameters with content and cookies arrive as their media types and styles say", () =>
  playing("/ways/content", async ({ dialog, sample }) => {
    assert.match(sample, /\/content\/a%20b%2Fc\?t=a%2Cb%20c&j=%22ab%22'/);
    assert.match(sample, /'Cookie: c=a%20b%3Bc; r=a%20b'/);
    const count = api.requests.length;
    for (const [name, value] of [
      ["p", "x y"],
      ["t", "1,2 3"],
      ["j", "z"],
      ["X-T", "d.e.f"],
      ["c", "g h;i"],
      ["r", "j%20k"],
    ])
      await field(dialog, name).fill(value);
    await send(dialog);
    await status(dialog, "200 OK");
    const request = await api.request(count);
    assert.equal(request.target, "/content/x%20y?t=1%2C2%203&j=%22z%22");
    assert.equal(header(request, "X-T"), "d.e.f");
    assert.equal(header(request, "Cookie"), "c=g%20h%3Bi; r=j%20k");
  }));

test("a query string is the whole query", () =>
  playing("/ways/whole", async ({ dialog }) => {
    const count = api.requests.length;
    await field(dialog, "a").fill("x y");
    await send(dialog);
    await status(dialog, "200 OK");
    assert.equal((await api.request(count)).target, "/whole?a=x%20y");
  }));

test("an object of a form is JSON under its name", () =>
  playing("/ways/form", async ({ dialog }) => {
    const count = api.requests.length;
    await dialog.locator(".play-body-form summary").first().click();
    await field(dialog, "m").fill("x y");
    await send(dialog);
    await status(dialog, "200 OK");
    assert.equal((await api.request(count)).body.toString(), "o=%7B%22m%22%3A%22x+y%22%7D");
  }));

// S31
test("a cookie of a page in MDX is a named row and is sent", () =>
  playing("/ways/manual", async ({ page, dialog, sample }) => {
    assert.match(sample, /--header 'Cookie: visit=/);
    assert.match(await page.locator("#param-visit").textContent(), /visit.*cookie/s);
    const count = api.requests.length;
    await field(dialog, "visit").fill("mine");
    await send(dialog);
    await status(dialog, "200 OK");
    assert.equal(header(await api.request(count), "Cookie"), "visit=mine");
  }));

test("of an answer that breaks off there are status, headers and what came", () =>
  playing("/ways/cut", async ({ dialog }) => {
    await send(dialog);
    await status(dialog, "200 OK");
    await dialog.locator("[data-cut]", { hasText: "The answer broke off." }).waitFor();
    assert.match(await dialog.locator(".play-body").textContent(), /\{"half": true,/);
    assert.match(await dialog.locator(".play-headers").textContent(), /x-mine/i);
  }));

test("an answer that is packed though nobody asked for that is shown", () =>
  playing("/ways/packed", async ({ dialog }) => {
    await send(dialog);
    await status(dialog, "200 OK");
    assert.match(await dialog.locator(".play-body").textContent(), /"unpacked": true/);
  }));

test("a redirect to another origin is shown, and followed without credentials when its reader says so", () =>
  playing("/ways/moved", async ({ dialog }) => {
    await field(dialog, "token").fill("t0ken");
    const count = other.requests.length;
    await send(dialog);
    await status(dialog, "307");
    const note = dialog.locator(".play-note", { hasText: "leads to another origin" });
    assert.match(await note.textContent(), new RegExp(`${other.origin}/there\\?x=1`));
    assert.equal(other.requests.length, count);
    await note.getByRole("button", { name: "Follow without credentials" }).click();
    await status(dialog, "200 OK");
    const request = await other.request(count);
    assert.equal(`${request.method} ${request.target}`, "POST /there?x=1");
    assert.equal(header(request, "Authorization"), undefined);
    assert.equal(header(request, "X-Key"), undefined);
  }));
