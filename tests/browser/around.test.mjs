// What stands around the rows of an API page: everything unfolded at once, cards of data models, and forms whose shape
// only a page with a mock or a union has.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { startRecorder } from "./recorder.mjs";
import { shows, startBrowser, startPreview, watchedPage, withKinds } from "./support.mjs";

const shapes = (origin) => `openapi: 3.1.0
info: { title: Shapes, version: "1" }
servers: [{ url: "${origin}" }]
paths:
  /shapes/{shape_id}:
    put:
      summary: Shape
      parameters: [{ name: shape_id, in: path, required: true, schema: { type: string } }]
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [kind, name]
              properties: { name: { type: string }, kind: { type: string } }
              oneOf: [{ $ref: '#/components/schemas/Circle' }, { $ref: '#/components/schemas/Square' }]
              discriminator: { propertyName: kind, mapping: { round: '#/components/schemas/Circle', straight: '#/components/schemas/Square' } }
          multipart/form-data:
            schema: { type: object, properties: { caption: { type: string } } }
            encoding: { caption: { headers: { X-Trace: { schema: { type: string }, example: t-1 } } } }
      responses:
        "200":
          description: Fine.
          content:
            application/json:
              schema: { type: object }
              examples:
                round: { summary: A disc, value: { kind: round } }
                straight: { summary: A tile, value: { kind: straight }, description: With four sides. }
components:
  schemas:
    Circle: { type: object, required: [radius], properties: { radius: { type: number } } }
    Square: { type: object, required: [side], properties: { side: { type: number } } }
`;
const nowhere = `openapi: 3.1.0
info: { title: Nowhere, version: "1" }
paths: { /here: { get: { summary: Here, responses: { "200": { description: Fine., content: { application/json: { example: { from: mock } } } } } } } }
`;

let api, preview, mocked, browser;
before(async () => {
  api = await startRecorder();
  [preview, mocked, browser] = await Promise.all([
    startPreview("--no-state", "--relay-allow", api.origin),
    startPreview("--no-state", "--mock"),
    startBrowser(),
  ]);
  for (const site of [preview, mocked]) {
    writeFileSync(join(site.folder, "openapi/shapes.yaml"), shapes(api.origin));
    writeFileSync(join(site.folder, "openapi/nowhere.yaml"), nowhere);
    mkdirSync(join(site.folder, "around"));
    writeFileSync(
      join(site.folder, "around/shape.mdx"),
      "---\nopenapi: openapi/shapes.yaml PUT /shapes/{shape_id}\nhidden: true\n---\n",
    );
    writeFileSync(
      join(site.folder, "around/here.mdx"),
      "---\nopenapi: openapi/nowhere.yaml GET /here\nhidden: true\n---\n",
    );
  }
  await withKinds(preview);
  for (const address of ["/around/shape", "/around/here"]) await shows(preview, address, 'class="reference"');
});
after(async () => {
  await browser?.close();
  for (const one of [preview, mocked, api]) await one?.stop();
});

/** Runs `act` on a page, which must have done nothing wrong. */
async function on(address, act, { site = preview, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1350, height: 900 }, ...options });
  const { page, faults } = await watchedPage(context, site.origin);
  await page.goto(site.origin + address);
  await act(page, context);
  assert.deepEqual(
    faults.filter((fault) => !fault.startsWith(`asks for ${api.origin}`)),
    [],
  );
  await context.close();
}

test("everything in the rows of a section is opened by one button, in branches that are not shown too, and closed again", async () => {
  await on(
    "/kinds/nested",
    async (page) => {
      const body = page.locator(".reference-section", { has: page.locator("#body") });
      const folds = () => body.locator("details.row-children").evaluateAll((all) => all.map(({ open }) => open));
      assert.ok((await folds()).length >= 4);
      assert.ok((await folds()).every((open) => !open));
      const expand = body.getByRole("button", { name: "Expand all" });
      await expand.focus();
      const top = (await expand.boundingBox()).y;
      await page.keyboard.press("Enter");
      assert.ok((await folds()).every((open) => open));
      const collapse = body.getByRole("button", { name: "Collapse all" });
      assert.equal((await collapse.boundingBox()).y, top);
      assert.equal(await expand.count(), 0);
      // One that is closed by itself, and the button opens again.
      await body.locator("details.row-children > summary").first().click();
      await expand.click();
      assert.ok((await folds()).every((open) => open));
      await page.keyboard.press("Space");
      assert.ok((await folds()).every((open) => !open));
      // Other sections stay as they are.
      assert.ok((await page.locator("details.row-children[open]").count()) === 0);
    },
    { reducedMotion: "reduce" },
  );
  await on("/kinds/union", async (page) => {
    await page
      .locator(".reference-section", { has: page.locator("#body") })
      .getByRole("button", { name: "Expand all" })
      .click();
    const closed = await page.locator(".reference-section:has(#body) details.row-children:not([open])").count();
    assert.equal(closed, 0);
  });
  await on("/kinds/union", async (page) => assert.equal(await page.locator(".fold-all").first().isVisible(), false), {
    javaScriptEnabled: false,
  });
});

test("a link to a data model shows what it leads to, for pointer and keyboard, and moves nothing", async () => {
  await on("/kinds/nested", async (page) => {
    await page
      .locator(".reference-section", { has: page.locator("#body") })
      .getByRole("button", { name: "Expand all" })
      .click();
    const link = page.locator(".row-type a[href$='/kinds/model']").first();
    const card = page.getByRole("tooltip");
    await link.scrollIntoViewIfNeeded();
    const before = await page.evaluate(() => [
      document.documentElement.scrollHeight,
      document.documentElement.scrollWidth,
    ]);
    await link.hover();
    await card.waitFor();
    assert.match(await card.innerText(), /A thing[\s\S]*What the shop sells\.[\s\S]*id\s+string[\s\S]*price/);
    assert.equal(await link.getAttribute("aria-describedby"), await card.getAttribute("id"));
    assert.deepEqual(
      await page.evaluate(() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]),
      before,
    );
    // It stays while the pointer is on it (WCAG 1.4.13).
    await card.hover();
    assert.equal(await card.count(), 1);
    await page.keyboard.press("Escape");
    assert.equal(await card.count(), 0);
    assert.equal(await link.getAttribute("aria-describedby"), null);
    await page.mouse.move(5, 5);
    await link.evaluate((at) => at.closest("li").querySelector(".anchor").focus());
    const focused = () => link.evaluate((at) => at === document.activeElement);
    await page.keyboard.press("Shift+Tab");
    assert.ok(await focused());
    await card.waitFor();
    await page.keyboard.press("Tab");
    await card.waitFor({ state: "detached" });
  });
});

test("where fingers point there are no cards", async () => {
  await on(
    "/kinds/nested",
    async (page) => {
      await page
        .locator(".reference-section", { has: page.locator("#body") })
        .getByRole("button", { name: "Expand all" })
        .tap();
      const asked = [];
      page.on("request", (request) => asked.push(request.url()));
      const link = page.locator(".row-type a[href$='/kinds/model']").first();
      await link.dispatchEvent("pointerover", { pointerType: "touch", bubbles: true });
      await link.tap();
      await page.waitForURL("**/kinds/model");
      assert.equal(asked.filter((url) => url.endsWith("/kinds/model")).length, 1);
    },
    { hasTouch: true, isMobile: true, viewport: { width: 375, height: 800 } },
  );
});

test("a path without an example keeps the name of its parameter, in the samples and in the form", async () => {
  await on("/around/shape", async (page) => {
    const code = page.locator(".samples pre code").first();
    assert.match(await code.textContent(), /\/shapes\/\{shape_id\}'/);
    await page.getByRole("button", { name: "Try it" }).click();
    const dialog = page.getByRole("dialog");
    assert.equal(await dialog.getByLabel(/^shape_id/).getAttribute("placeholder"), "{shape_id}");
    assert.match(await dialog.locator(".play-address").innerText(), /\/shapes\/\{shape_id\}$/);
    // A template is no request.
    await dialog.locator(".play-send").click();
    assert.match(await dialog.locator(".play-summary").innerText(), /Not sent/);
  });
});

test("an example of a response is chosen by its name, the address is copied, and a link leads into a branch", async () => {
  await on(
    "/around/shape",
    async (page) => {
      const panel = page.getByRole("region", { name: "Response" });
      const list = panel.getByRole("combobox", { name: "Example" });
      assert.deepEqual(await list.locator("option").allInnerTexts(), ["A disc", "A tile"]);
      assert.match(await panel.locator("pre:visible").textContent(), /"round"/);
      await list.selectOption("A tile");
      assert.match(await panel.locator("pre:visible").textContent(), /"straight"/);
      assert.match(await panel.innerText(), /With four sides\./);
      await page.getByRole("button", { name: "Copy address" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${api.origin}/shapes/{shape_id}`);
      const side = page.locator("[id^='body~'][id$='side']");
      const id = await side.getAttribute("id");
      assert.equal(await side.isVisible(), false);
      await page.goto(`${preview.origin}/around/shape#${encodeURIComponent(id)}`);
      await side.waitFor();
    },
    { permissions: ["clipboard-read", "clipboard-write"] },
  );
});

test("a union beside properties is a form, whose discriminator follows the branch", async () => {
  await on("/around/shape", async (page) => {
    await page.getByRole("button", { name: "Try it" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^shape_id/).fill("s");
    await dialog.getByLabel(/^name/).fill("disc");
    await dialog.getByLabel(/^radius/).fill("2.50");
    await dialog.getByLabel("Kind of Body").selectOption("Square");
    await dialog.getByLabel(/^side/).fill("1");
    const count = api.requests.length;
    await dialog.locator(".play-send").click();
    const request = await api.request(count);
    assert.deepEqual(JSON.parse(request.body), { name: "disc", kind: "straight", side: 1 });
    await dialog.getByLabel("Media type of the body").selectOption({ label: "multipart/form-data" });
    await dialog.getByLabel(/^caption/).fill("c");
    await dialog.locator(".play-response .play-status", { hasText: "200 OK" }).waitFor();
    await dialog.locator(".play-send").click();
    const parts = (await api.request(count + 1)).body.toString();
    assert.match(parts, /Content-Disposition: form-data; name="caption"\r\nX-Trace: t-1\r\n\r\nc\r\n/);
  });
});

test("a page without servers can be tried where there is a mock, and only there", async () => {
  await shows(mocked, "/around/here", 'class="reference"');
  await on(
    "/around/here",
    async (page) => {
      await page.getByRole("button", { name: "Try it" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.locator(".play-send").click();
      await dialog.locator(".play-response .play-status", { hasText: "200 OK" }).waitFor();
      // The body is drawn after what came before it.
      await dialog.locator(".play-response", { hasText: '"from": "mock"' }).waitFor();
    },
    { site: mocked },
  );
  await on("/around/here", async (page) => assert.equal(await page.getByRole("button", { name: "Try it" }).count(), 0));
});
