// Text of others is shown and never runs: specifications, labels, what readers search and say, addresses that they
// open. The policy of the pages is put aside, so that nothing but what is written into them is tried.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { previewOf, shows, startBrowser } from "./support.mjs";

const RUN = "top.ran(1)";
const DATA = `data:text/html,<script>${RUN}</script>`;

/** Ways to have a text run, each of which did in some program. */
const PAYLOADS = [
  `<script>${RUN}</script>`,
  `<ScRiPt >${RUN}</sCrIpT >`,
  `</script><script>${RUN}</script>`,
  `<script src="data:text/javascript,${RUN}"></script>`,
  `<script type=module>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `"><img src=x onerror=${RUN}>`,
  `'><img src=x onerror=${RUN}>`,
  `\`><img src=x onerror=${RUN}>`,
  `" onerror="${RUN}" src="x`,
  `" autofocus onfocus="${RUN}" x="`,
  `' onmouseover='${RUN}' x='`,
  `<img/src="x"/onerror="${RUN}"/>`,
  `<img src=x onerror\n=\n${RUN}>`,
  `<img src=x oNeRrOr=${RUN}>`,
  `<img src="x" onerror="&#116;op.ran(1)">`,
  `<IMG """><SCRIPT>${RUN}</SCRIPT>">`,
  `<svg onload=${RUN}>`,
  `<svg/onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><script href="data:text/javascript,${RUN}"/></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${RUN}"><text x=20 y=20>x</text></a></svg>`,
  `<svg><a><animate attributeName=href values="javascript:${RUN}"/><text x=20 y=20>x</text></a></svg>`,
  `<svg><foreignObject><iframe srcdoc="<script>${RUN}</script>"></iframe></foreignObject></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><script>${RUN}</script></svg>#x"/></svg>`,
  `<svg><style><img src=x onerror=${RUN}></style></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  `<math><annotation-xml encoding="text/html"><img src=x onerror=${RUN}></annotation-xml></math>`,
  `<math><a xlink:href="javascript:${RUN}">x</a></math>`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${RUN}>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>"></noscript>`,
  `<template><img src=x onerror=${RUN}></template>`,
  `<select><template><style></select><img src=x onerror=${RUN}></style></template></select>`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<iframe srcdoc="<script>${RUN}</script>"></iframe>`,
  `<iframe src="${DATA}"></iframe>`,
  `<object data="javascript:${RUN}"></object>`,
  `<object data="${DATA}"></object>`,
  `<embed src="javascript:${RUN}">`,
  `<details open ontoggle=${RUN}><summary>x</summary></details>`,
  `<body onload=${RUN}>`,
  `<video><source onerror=${RUN}></video>`,
  `<video src=x onerror=${RUN}></video>`,
  `<audio src=x onerror=${RUN}></audio>`,
  `<input autofocus onfocus=${RUN}>`,
  `<select autofocus onfocus=${RUN}></select>`,
  `<button popovertarget=x onclick=${RUN}>x</button>`,
  `<div style="animation:spin 1s" onanimationstart=${RUN}>x</div>`,
  `<marquee onstart=${RUN}>x</marquee>`,
  `<a href="javascript:${RUN}">x</a>`,
  `<a href="JaVaScRiPt:${RUN}">x</a>`,
  `<a href=" \u0001javascript:${RUN}">x</a>`,
  `<a href="java\tscript:${RUN}">x</a>`,
  `<a href="java&#10;script:${RUN}">x</a>`,
  `<a href="&#106;avascript:${RUN}">x</a>`,
  `<a href="vbscript:${RUN}">x</a>`,
  `<a href="${DATA}">x</a>`,
  `<a href="x" ping="javascript:${RUN}" onclick="${RUN}">x</a>`,
  `<form action="javascript:${RUN}"><button>x</button></form>`,
  `<form><button formaction="javascript:${RUN}">x</button></form>`,
  `<meta http-equiv="refresh" content="0;url=javascript:${RUN}">`,
  `<meta http-equiv="refresh" content="0;url=${DATA}">`,
  `<base href="javascript:/${RUN}//">`,
  `<link rel="stylesheet" href="data:text/css,body{background:url(javascript:${RUN})}">`,
  `<style>@import "javascript:${RUN}"; body{background:url("javascript:${RUN}")}</style>`,
  `<x onclick=${RUN} tabindex=1 autofocus onfocus=${RUN}>x</x>`,
  `</title><img src=x onerror=${RUN}>`,
  `</textarea><img src=x onerror=${RUN}>`,
  `</style><img src=x onerror=${RUN}>`,
  `</code></pre><img src=x onerror=${RUN}>`,
  `--><img src=x onerror=${RUN}>`,
  `--!><img src=x onerror=${RUN}>`,
  `]]><img src=x onerror=${RUN}>`,
  `<!--><img src=x onerror=${RUN}>-->`,
  `<![CDATA[<img src=x onerror=${RUN}>]]>`,
  `<?xml version="1.0"?><img src=x onerror=${RUN}>`,
  `\`\`\`\n</code><img src=x onerror=${RUN}>\n\`\`\``,
  `[x](javascript:${RUN})`,
  `[x](JAVASCRIPT:${RUN})`,
  `[x](&#106;avascript:${RUN})`,
  `[x](java&Tab;script:${RUN})`,
  `[x](<java\tscript:${RUN}>)`,
  `[x](${DATA})`,
  `[x](vbscript:${RUN})`,
  `![x](javascript:${RUN})`,
  `![x](x"onerror="${RUN})`,
  `![x" onerror="${RUN}](x)`,
  `<javascript:${RUN}>`,
  `[x]: javascript:${RUN}\n\n[x]`,
  `{${RUN}}`,
  `\${${RUN}}`,
  `{{constructor.constructor("${RUN}")()}}`,
  `<Card title="x" href="javascript:${RUN}">x</Card>`,
  `<Icon icon="<svg onload=${RUN}>" />`,
  `<Frame><iframe src="javascript:${RUN}" /></Frame>`,
  `export const a = ${RUN}\n\n{a}`,
  `\u2028${RUN}\u2028`,
  `";${RUN};"`,
  `';${RUN};'`,
  `\\";${RUN};//`,
  `\\u003cimg src=x onerror=${RUN}\\u003e`,
  `&lt;img src=x onerror=${RUN}&gt;`,
  `&amp;lt;img src=x onerror=${RUN}&amp;gt;`,
  `%3Cimg%20src%3Dx%20onerror%3D${RUN}%3E`,
];

/** A document that says `text` wherever it may say anything; how many places that are. */
function documentOf(text, number) {
  let places = 0;
  const say = (by = text) => {
    places += 1;
    return by;
  };
  const schema = {
    type: "object",
    title: say(),
    description: say(),
    required: ["a"],
    properties: {
      a: {
        type: "string",
        title: say(),
        description: say(),
        format: say(),
        pattern: say(),
        example: say(),
        default: say(),
      },
      [say()]: { type: "string", description: say() },
      kind: { type: "string", enum: [say(), "b"], "x-enumDescriptions": { b: say() } },
      one: { oneOf: [{ title: say(), type: "object", properties: { z: { const: say() } } }, { type: "integer" }] },
      many: { type: "array", items: { type: "string", examples: [say()] } },
      map: { type: "object", additionalProperties: { type: "string", description: say() } },
    },
    externalDocs: { url: say(`javascript:${RUN}//${number}`), description: say() },
  };
  const document = {
    openapi: "3.1.0",
    info: { title: say(), version: say(), description: say(), contact: { name: say(), url: say(`javascript:${RUN}`) } },
    servers: [
      {
        url: "https://api.example/{stage}",
        description: say(),
        variables: { stage: { default: "v1", enum: ["v1", say()], description: say() } },
      },
    ],
    tags: [{ name: say(`tag ${text}`), description: say() }],
    security: [{ key: [] }, { open: [] }],
    paths: {
      [`/p${number}/{id}`]: {
        post: {
          operationId: say(`o${number}${text}`),
          summary: say(`${number} ${text}`),
          description: say(),
          tags: [`tag ${text}`],
          externalDocs: { url: say(`javascript:${RUN}`), description: say() },
          parameters: [
            { in: "path", name: "id", required: true, description: say(), schema: { type: "string", example: say() } },
            { in: "query", name: say(), description: say(), example: say(), schema: { type: "string", enum: [say()] } },
            { in: "header", name: "X-A", description: say(), schema: { type: "string", default: say() } },
            { in: "cookie", name: say(`c${text}`), schema: { type: "string" } },
          ],
          requestBody: {
            description: say(),
            content: {
              "application/json": {
                schema: { $ref: "#/components/schemas/Thing" },
                examples: { [say()]: { summary: say(), description: say(), value: { a: say() } } },
              },
              [say(`text/${text}`)]: { schema: { type: "string" } },
            },
          },
          responses: {
            200: {
              description: say(),
              headers: { "X-B": { description: say(), schema: { type: "string" } } },
              content: { "application/json": { schema, example: { a: say() } }, "text/html": { example: say() } },
              links: { [say()]: { operationId: say(), description: say() } },
            },
            "4XX": { description: say() },
          },
          callbacks: {
            [say()]: {
              "{$request.body#/url}": {
                post: { summary: say(), description: say(), responses: { 200: { description: say() } } },
              },
            },
          },
          "x-codeSamples": [
            { lang: say(), label: say(), source: say() },
            { lang: "bash", label: "x", source: say() },
          ],
          "x-docs": {
            metadata: {
              title: say(`${number} ${text}`),
              sidebarTitle: say(),
              description: say(),
              icon: say(),
              tag: say(),
            },
            content: say(),
            href: `/p/${number}`,
          },
        },
      },
    },
    components: {
      schemas: { Thing: schema },
      securitySchemes: {
        key: { type: "apiKey", in: "header", name: say(), description: say() },
        open: {
          type: "oauth2",
          description: say(),
          flows: {
            authorizationCode: {
              authorizationUrl: say(`javascript:${RUN}`),
              tokenUrl: "https://a.example/t",
              scopes: { [say()]: say() },
            },
          },
        },
      },
    },
  };
  return { document, places };
}

let folder;
let preview;
let browser;
let context;
let places = 0;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "quire-payloads-"));
  mkdirSync(join(folder, "specs"));
  const labels = PAYLOADS.slice(0, 40);
  const groups = PAYLOADS.map((payload, number) => {
    const made = documentOf(payload, number);
    places += made.places;
    writeFileSync(join(folder, `specs/s${number}.json`), JSON.stringify(made.document));
    return { group: `${number} ${payload}`, tag: payload, icon: payload, openapi: `specs/s${number}.json` };
  });
  places += PAYLOADS.length * 3;
  const config = {
    name: PAYLOADS[6],
    theme: "mint",
    colors: { primary: "#000000" },
    description: PAYLOADS[2],
    banner: { content: "x" },
    navbar: {
      links: labels.map((label) => ({ label, icon: label, href: "https://a.example" })),
      primary: { type: "button", label: PAYLOADS[5], href: "https://a.example" },
    },
    footer: {
      socials: { x: "https://a.example" },
      links: [{ header: PAYLOADS[5], items: labels.map((label) => ({ label, href: "https://a.example" })) }],
    },
    search: { prompt: PAYLOADS[9] },
    navigation: {
      groups: [{ group: PAYLOADS[5], pages: ["start", "author"] }, ...groups],
      global: { anchors: labels.map((anchor) => ({ anchor, icon: anchor, href: "https://a.example" })) },
    },
  };
  places += labels.length * 5;
  writeFileSync(join(folder, "docs.json"), JSON.stringify(config));
  writeFileSync(join(folder, "start.mdx"), "---\ntitle: Start\n---\n\nWords.\n");
  // Authors may: what is seen here is seen wherever it is.
  writeFileSync(
    join(folder, "author.mdx"),
    `---\ntitle: Author\n---\n\n<script>{"${RUN}"}</script>\n\n<img src="x" alt="x" onerror="${RUN}" />\n`,
  );
  preview = await previewOf(folder, "--mock");
  await shows(preview, "/start", "Words.");
  browser = await startBrowser();
  context = await browser.newContext({ bypassCSP: true, viewport: { width: 1350, height: 900 } });
  await context.addInitScript(() => {
    if (window !== top) return;
    window.hits = 0;
    window.ran = () => (window.hits += 1);
  });
});

after(async () => {
  await browser?.close();
  await preview?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What of a page runs, or would if somebody clicked on it. */
async function live(page) {
  return page.evaluate(() => {
    const found = [];
    if (window.hits) found.push(`${window.hits} ran`);
    const runs = (value) => /^(javascript|vbscript|data:text\/html)/i.test(value.replace(/[\u0000-\u0020]/g, ""));
    for (const element of document.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        if (/^on/i.test(name)) found.push(`${element.localName} ${name}=${value}`);
        if (name === "srcdoc") found.push(`${element.localName} srcdoc`);
        if (/^(xlink:)?(href|src|action|formaction|data|values|to|from|ping|content|poster)$/i.test(name)) {
          const address = element.localName === "meta" ? value.replace(/^[^=]*=/, "") : value;
          if (runs(address)) found.push(`${element.localName} ${name}=${value}`);
        }
      }
      if (element.localName === "base") found.push("base");
      if (
        element.localName === "script" &&
        !element.src &&
        !/json$/.test(element.type) &&
        element.textContent.includes("top.ran")
      )
        found.push("script");
    }
    return found;
  });
}

test("what runs is seen", async () => {
  const page = await context.newPage();
  await page.goto(`${preview.origin}/author`, { waitUntil: "load" });
  assert.match((await live(page)).join("\n"), /^[1-9][0-9]* ran$/m);
  await page.setContent(`<a href="java\nscript:${RUN}">x</a><img onerror="x">`);
  assert.match((await live(page)).join("\n"), /^a href=.*\nscript:.*\nimg onerror=x$/m);
});

test("nothing that a specification, a label or a reader says runs", { timeout: 900_000 }, async (t) => {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("dialog", (dialog) => dialog.dismiss());
  // Whatever an address leads to: nobody is asked.
  await page.route("**", (route) =>
    route.request().url().startsWith(preview.origin) ? route.continue() : route.abort(),
  );
  const wrong = [];
  let pages = 0;
  for (let number = 0; number < PAYLOADS.length; number += 1) {
    const reply = await page.goto(`${preview.origin}/p/${number}`, { waitUntil: "load" });
    if (reply.status() !== 200) wrong.push(`/p/${number} is ${reply.status()}`);
    // What is opened only then is written then.
    await page.evaluate(() => {
      for (const shut of document.querySelectorAll("details")) shut.open = true;
      for (const element of document.querySelectorAll("[tabindex], input, select")) element.focus();
      for (const tab of document.querySelectorAll("[role=tab]")) tab.click();
    });
    pages += 1;
    for (const found of await live(page)) wrong.push(`${number} ${PAYLOADS[number]}: ${found}`);
  }
  t.diagnostic(`${places} places with ${PAYLOADS.length} payloads on ${pages} pages`);
  assert.ok(places >= 1500, `${places} places`);
  assert.deepEqual(wrong, []);
});

test("the sidebar, the search and the answers run nothing of what they quote", { timeout: 300_000 }, async () => {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(`${preview.origin}/start`);
  const wrong = await live(page);
  await page.keyboard.press("Control+k");
  const input = page.locator("dialog[open] input");
  await input.waitFor();
  for (const words of ["img src onerror", "svg onload", "iframe srcdoc", "script ran", ...PAYLOADS.slice(0, 12)]) {
    await input.fill(words);
    const answered = page.waitForResponse((reply) => reply.url().includes("/search"));
    await answered.catch(() => {});
    wrong.push(...(await live(page)).map((found) => `search for ${words}: ${found}`));
  }
  assert.deepEqual(wrong, []);
});

test("what an address says does not run on the page that is not there", async () => {
  const page = await context.newPage();
  const wrong = [];
  for (const payload of PAYLOADS) {
    const encoded = encodeURIComponent(payload);
    for (const address of [`/${encoded}`, `/start?q=${encoded}#${encoded}`]) {
      await page
        .goto(preview.origin + address, { waitUntil: "load" })
        .catch((error) => wrong.push(`${address}: ${error.message}`));
      wrong.push(...(await live(page)).map((found) => `${address}: ${found}`));
    }
  }
  assert.deepEqual(wrong, []);
});

test("what readers say does not run where the administrator reads it", async () => {
  const texts = PAYLOADS.slice(0, 10);
  for (const text of texts) {
    const reply = await fetch(`${preview.origin}/_quire/feedback`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: preview.origin },
      body: JSON.stringify({ kind: "page", path: "/start", helpful: false, text }),
    });
    assert.equal(reply.status, 204, await reply.text());
  }
  const page = await context.newPage();
  for (const address of ["/_quire/feedback", "/_quire/analytics", "/"]) {
    await page.goto(preview.admin + address, { waitUntil: "load" });
    assert.deepEqual(await live(page), [], address);
    if (address.endsWith("feedback")) assert.equal(await page.locator("tbody tr").count(), texts.length);
  }
});
