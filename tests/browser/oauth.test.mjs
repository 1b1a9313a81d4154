// Tokens of OAuth 2.0: a server of authorization of the test checks what arrives, a reader gets a token or is told why
// not.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { header, startRecorder } from "./recorder.mjs";
import { program, serveExport, shows, startBrowser, startPreview, watchedPage } from "./support.mjs";

/** A server that asks nobody: the client says how it answers. `allowsPages` is whether browsers may ask for tokens. */
async function startIssuer() {
  const seen = { authorize: [], token: [] };
  const codes = new Map();
  const issuer = { seen, allowsPages: true };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://issuer");
    const cors = issuer.allowsPages
      ? { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "authorization, content-type, accept" }
      : {};
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    const asked = Object.fromEntries(url.searchParams);
    if (url.pathname === "/authorize") {
      seen.authorize.push(asked);
      const back = new URL(asked.redirect_uri);
      const code = `c0de-${codes.size}`;
      codes.set(code, asked);
      const told = {
        denied: { error: "access_denied", error_description: "No, thanks.", state: asked.state },
        forged: { code, state: "another" },
      }[asked.client_id] ?? { code, state: asked.state };
      for (const [name, value] of Object.entries(told)) back.searchParams.set(name, value);
      // A page that a reader looks at first.
      if (asked.client_id === "slow")
        return response
          .writeHead(200, { "Content-Type": "text/html" })
          .end(`<a href="${back.href.replaceAll("&", "&amp;")}">Yes</a>`);
      return response.writeHead(302, { Location: back.href }).end();
    }
    if (url.pathname !== "/token") return response.writeHead(404).end();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    seen.token.push({ form, query: url.search, headers: request.headers });
    const answer = (status, body) =>
      response.writeHead(status, { ...cors, "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (form.grant_type === "authorization_code") {
      const first = codes.get(form.code);
      codes.delete(form.code);
      const isProven =
        first &&
        createHash("sha256")
          .update(form.code_verifier ?? "")
          .digest("base64url") === first.code_challenge;
      if (!isProven || form.redirect_uri !== first.redirect_uri || form.client_id !== first.client_id)
        return answer(400, { error: "invalid_grant" });
      return answer(200, {
        access_token: "t0ken-of-code",
        token_type: "Bearer",
        expires_in: 3600,
        refresh_token: "r3fresh",
      });
    }
    if (form.grant_type === "refresh_token" && form.refresh_token === "r3fresh")
      return answer(200, { access_token: "t0ken-again", token_type: "bearer" });
    const basic = `Basic ${Buffer.from("machine%3A1:s%26cret").toString("base64")}`;
    const isKnown =
      request.headers.authorization === basic || (form.client_id === "machine:1" && form.client_secret === "s&cret");
    if (form.grant_type === "client_credentials" && isKnown)
      return answer(200, { access_token: "t0ken-of-client", token_type: "bearer" });
    return answer(401, { error: "invalid_client", error_description: "Unknown client." });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer.origin = `http://127.0.0.1:${server.address().port}`;
  issuer.stop = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  return issuer;
}

const spec = (api, issuer) => `openapi: 3.1.0
info: { title: Me, version: "1" }
servers: [{ url: "${api}/v1" }]
paths:
  /me: { get: { summary: Me, security: [{ login: [read] }], responses: { "200": { description: Fine. } } } }
  /old: { get: { summary: Old, security: [{ old: [] }], responses: { "200": { description: Fine. } } } }
components:
  securitySchemes:
    login:
      type: oauth2
      flows:
        clientCredentials: { tokenUrl: "${issuer}/token", scopes: { read: Read everything. } }
        authorizationCode:
          authorizationUrl: "${issuer}/authorize?tenant=a%20b"
          tokenUrl: "${issuer}/token"
          scopes: { write: Write everything., read: Read everything. }
    old: { type: oauth2, flows: { implicit: { authorizationUrl: "${issuer}/authorize", scopes: {} }, password: { tokenUrl: "${issuer}/token", scopes: {} } } }
`;

let api, issuer, browser, relayed, straight;
before(async () => {
  [api, issuer, browser] = await Promise.all([startRecorder(), startIssuer(), startBrowser()]);
  relayed = await startPreview("--no-state", "--relay-allow", api.origin, "--relay-allow", issuer.origin);
  straight = await startPreview("--no-state");
  for (const preview of [relayed, straight]) {
    writeFileSync(join(preview.folder, "openapi/me.yaml"), spec(api.origin, issuer.origin));
    mkdirSync(join(preview.folder, "auth"));
    for (const name of ["me", "old"])
      writeFileSync(
        join(preview.folder, `auth/${name}.mdx`),
        `---\nopenapi: openapi/me.yaml GET /${name}\nhidden: true\n---\n`,
      );
  }
  const path = join(straight.folder, "docs.json");
  const docs = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...docs, api: { ...docs.api, playground: { proxy: false } } }));
  await shows(straight, "/auth/me", '"relay":false');
});
after(async () => {
  await browser?.close();
  for (const one of [relayed, straight, api, issuer]) await one?.stop();
});

/** Runs `act` on an open form whose way to a token is open, too. */
async function playing(
  origin,
  act,
  { address = "/auth/me", flow, faultless = true, context: given, before = async () => {} } = {},
) {
  const context = given ?? (await browser.newContext({ viewport: { width: 1350, height: 900 } }));
  const { page, faults } = await watchedPage(context, new URL(origin).origin);
  await before(page, context);
  await page.goto(origin + address);
  await page.getByRole("button", { name: "Try it" }).click();
  const dialog = page.getByRole("dialog", { name: "Send a request" });
  await dialog.locator(".play-oauth > summary").click();
  if (flow) await dialog.getByLabel("Flow").selectOption({ label: flow });
  await act({ page, dialog, context });
  const isOurs = (fault) => ![api.origin, issuer.origin].some((other) => fault.startsWith(`asks for ${other}`));
  if (faultless) assert.deepEqual(faults.filter(isOurs), []);
  await context.close();
}
const client = (dialog, id) => dialog.getByLabel("Client ID").fill(id);
const status = (dialog, words) => dialog.locator(".play-oauth-status", { hasText: words }).waitFor();
const signIn = (dialog) => dialog.getByRole("button", { name: "Sign in and get a token" }).click();
async function arrives(dialog, token) {
  const count = api.requests.length;
  await dialog.locator(".play-send").click();
  await dialog.locator(".play-response .play-status", { hasText: "200 OK" }).waitFor();
  assert.equal(header(await api.request(count), "Authorization"), `Bearer ${token}`);
}

for (const [way, preview] of [
  ["through the relay", () => relayed],
  ["straight from the browser", () => straight],
]) {
  test(`a code with PKCE becomes a token ${way}`, async () => {
    issuer.allowsPages = preview() === straight;
    const { origin } = preview();
    await playing(origin, async ({ page, dialog, context }) => {
      const addresses = [];
      context.on("page", (popup) => popup.on("framenavigated", (frame) => addresses.push(frame.url())));
      // What the operation needs is chosen, the rest is the reader's choice.
      assert.equal(await dialog.locator("[data-scope=read]").isChecked(), true);
      assert.equal(await dialog.locator("[data-scope=write]").isChecked(), false);
      await dialog.locator("[data-scope=write]").check();
      assert.equal(
        await dialog.getByRole("region", { name: "Redirect URI" }).innerText(),
        `${origin}/_theme/oauth.html`,
      );
      await client(dialog, "app");
      const counts = [issuer.seen.authorize.length, issuer.seen.token.length];
      await signIn(dialog);
      await status(dialog, "A token is filled in.");
      const asked = issuer.seen.authorize[counts[0]];
      const { state, code_challenge: challenge, ...plain } = asked;
      assert.deepEqual(plain, {
        tenant: "a b",
        response_type: "code",
        client_id: "app",
        redirect_uri: `${origin}/_theme/oauth.html`,
        scope: "read write",
        code_challenge_method: "S256",
      });
      assert.match(state, /^[\w-]{43}$/);
      assert.match(challenge, /^[\w-]{43}$/);
      const { form, query, headers } = issuer.seen.token[counts[1]];
      assert.equal(query, "");
      assert.match(form.code_verifier, /^[\w-]{43}$/);
      assert.equal(headers.origin, preview() === straight ? origin : undefined);
      assert.equal(headers.referer, undefined);
      await arrives(dialog, "t0ken-of-code");
      await dialog.getByRole("button", { name: "Refresh the token" }).click();
      await dialog.locator(".play-oauth-status", { hasText: "A token is filled in." }).waitFor();
      await page.waitForFunction(() => document.querySelector(".play-secret input").value === "t0ken-again");
      await arrives(dialog, "t0ken-again");
      // The window was closed, and what it came back with is not in its last address.
      assert.equal(context.pages().length, 1);
      assert.ok(addresses.every((address) => !address.includes("t0ken")));
      const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
      assert.doesNotMatch(stored, /t0ken|r3fresh/);
      assert.doesNotMatch(page.url(), /code|t0ken/);
    });
    issuer.allowsPages = true;
  });
}

test("the page that a sign-in ends at takes the code out of its address and sends it to nobody", async () => {
  const context = await browser.newContext();
  const { page, faults } = await watchedPage(context, relayed.origin);
  const referers = [];
  page.on("request", (request) => referers.push(request.headers().referer));
  await page.goto(`${relayed.origin}/_theme/oauth.html?code=s3cret&state=x`);
  assert.equal(page.url(), `${relayed.origin}/_theme/oauth.html`);
  assert.deepEqual(
    referers.filter((referer) => referer?.includes("s3cret")),
    [],
  );
  assert.match(await page.locator("main").innerText(), /can be closed/);
  await page.goto(`${relayed.origin}/_theme/oauth.html`);
  await page.getByText("Nothing came with this address").waitFor();
  assert.deepEqual(faults, []);
  await context.close();
  const reply = await fetch(`${relayed.origin}/_theme/oauth.html`);
  assert.doesNotMatch(reply.headers.get("cache-control"), /immutable/);
});

test("a client gets a token with its secret, in the header or in the body", async () => {
  await playing(
    relayed.origin,
    async ({ page, dialog }) => {
      assert.match(await dialog.locator(".play-oauth .play-note").innerText(), /belongs on a server/);
      await client(dialog, "machine:1");
      await dialog.getByLabel(/^Client secret/).fill("s&cret");
      const get = () => dialog.getByRole("button", { name: "Get a token", exact: true }).click();
      for (const [where, check] of [
        [
          "In the Authorization header",
          ({ form }) => assert.deepEqual(form, { grant_type: "client_credentials", scope: "read" }),
        ],
        [
          "In the body",
          ({ form, headers }) => {
            assert.deepEqual(form, {
              grant_type: "client_credentials",
              scope: "read",
              client_id: "machine:1",
              client_secret: "s&cret",
            });
            assert.equal(headers.authorization, undefined);
          },
        ],
      ]) {
        const count = issuer.seen.token.length;
        await dialog.getByLabel("Secret is sent").selectOption({ label: where });
        await get();
        await page.waitForFunction(() => document.querySelector(".play-oauth-status").dataset.kind === "good");
        check(issuer.seen.token.at(-1));
        assert.equal(issuer.seen.token.length, count + 1);
      }
      await arrives(dialog, "t0ken-of-client");
      // The secret is the tab's, until the reader says otherwise.
      const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
      assert.doesNotMatch(await stored(), /s&cret/);
      await dialog.getByLabel("Remember on this device").check();
      assert.match(await stored(), /s&cret/);
      await dialog.getByRole("button", { name: "Clear", exact: true }).click();
      assert.doesNotMatch(await stored(), /s&cret|t0ken/);
      assert.equal(await dialog.getByLabel(/^Client secret/).inputValue(), "");
      await client(dialog, "nobody");
      await get();
      await status(dialog, "The server says: invalid_client, Unknown client.");
    },
    { flow: "Client credentials" },
  );
});

test("a refusal, an answer of another state and a blocked window are explained", async () => {
  await playing(relayed.origin, async ({ dialog, context, page }) => {
    await signIn(dialog);
    await status(dialog, "The client ID is missing");
    await client(dialog, "denied");
    await signIn(dialog);
    await status(
      dialog,
      "The sign-in was refused, by you or by the server. The server says: access_denied, No, thanks.",
    );
    const count = issuer.seen.token.length;
    await client(dialog, "forged");
    const opened = context.waitForEvent("page");
    await signIn(dialog);
    await status(dialog, "whose state is not the one that was sent");
    await (await opened).getByText("belongs to no sign-in that waits").waitFor();
    assert.equal(issuer.seen.token.length, count);
    assert.equal(await dialog.locator(".play-secret input").first().inputValue(), "");
    await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.evaluate(() => {
      window.open = () => null;
    });
    await client(dialog, "app");
    const link = dialog.getByRole("link", { name: "Sign in in a new tab" });
    await signIn(dialog);
    await link.click();
    await status(dialog, "A token is filled in.");
    await arrives(dialog, "t0ken-of-code");
  });
});

test("a sign-in is cancelled, and what comes then is not used", async () => {
  await playing(relayed.origin, async ({ dialog, context }) => {
    await client(dialog, "slow");
    const opened = context.waitForEvent("page");
    await signIn(dialog);
    const popup = await opened;
    await popup.getByRole("link", { name: "Yes" }).waitFor();
    assert.equal(await popup.evaluate(() => window.opener), null);
    await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
    const count = issuer.seen.token.length;
    await popup.getByRole("link", { name: "Yes" }).click();
    await popup.getByText("This window can be closed").waitFor();
    assert.equal(issuer.seen.token.length, count);
    await dialog.getByRole("button", { name: "Sign in and get a token" }).waitFor();
  });
});

test("a token URL that no page may ask is explained", async () => {
  issuer.allowsPages = false;
  await playing(
    straight.origin,
    async ({ dialog }) => {
      await client(dialog, "app");
      await signIn(dialog);
      await status(dialog, "does not allow requests from pages of another origin (CORS)");
    },
    { faultless: false },
  );
  issuer.allowsPages = true;
});

test("what is deprecated is explained and not run, and a token can be pasted", async () => {
  const count = issuer.seen.authorize.length;
  await playing(
    relayed.origin,
    async ({ dialog }) => {
      assert.match(await dialog.locator(".play-oauth").innerText(), /implicit flow puts the token into an address/);
      await dialog.getByLabel("Flow").selectOption({ label: "Password (deprecated)" });
      assert.match(await dialog.locator(".play-oauth").innerText(), /would hand your password to this page/);
      assert.equal(await dialog.locator(".play-oauth .play-get").count(), 0);
      await dialog.getByPlaceholder("Paste a token").fill("pasted");
      await arrives(dialog, "pasted");
    },
    { address: "/auth/old" },
  );
  assert.equal(issuer.seen.authorize.length, count);
});

test("an export below a base path has the page that a sign-in ends at", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quire-export-"));
  execFileSync(program, ["build", straight.folder, "--out", folder, "--base-path", "/docs"], { stdio: "ignore" });
  const server = await serveExport(folder);
  const { origin } = server;
  await playing(`${origin}/docs`, async ({ dialog }) => {
    assert.equal(
      await dialog.getByRole("region", { name: "Redirect URI" }).innerText(),
      `${origin}/docs/_theme/oauth.html`,
    );
    await client(dialog, "app");
    await signIn(dialog);
    await status(dialog, "A token is filled in.");
    await arrives(dialog, "t0ken-of-code");
  });
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
