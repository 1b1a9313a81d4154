// The page of an operation: statuses, forms, branches and languages are chosen, links open what they lead to.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { startBrowser, startPreview, watchedPage } from "./support.mjs";

const specification = `openapi: 3.1.0
info: { title: Orders, version: "1" }
servers:
  - { url: https://api.everyday.example/v1, description: Live }
  - { url: https://test.everyday.example/v1, description: Test }
  - url: https://{region}.everyday.example/{version}/
    description: Regions
    variables:
      region: { default: eu, enum: [eu, us], description: Where the data is kept. }
      version: { default: v1 }
paths:
  /orders/{id}:
    post:
      summary: Place an order
      description: "Says <b>what</b> is bought. <script>document.title = 'owned'</script>"
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              properties:
                buyer:
                  type: object
                  properties:
                    address: { type: object, properties: { street: { type: string } } }
                payment:
                  oneOf:
                    - { title: Card, type: object, properties: { number: { type: string } } }
                    - { title: Invoice, type: object, properties: { reference: { type: string } } }
          application/x-www-form-urlencoded:
            schema: { type: object, properties: { flat: { type: string } } }
      responses:
        "201":
          description: Placed.
          content:
            application/json: { schema: { type: object, properties: { id: { type: string } } } }
        "404":
          description: Nobody there.
          content:
            application/json: { schema: { type: object, properties: { reason: { type: string } } } }
  /orders:
    get:
      summary: List orders
      responses: { "200": { description: Fine. } }
`;

let preview, browser;
before(async () => {
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
  writeFileSync(join(preview.folder, "openapi/orders.yaml"), specification);
  const page = (entry) => `---\nopenapi: openapi/orders.yaml ${entry}\nhidden: true\n---\n`;
  writeFileSync(join(preview.folder, "list-orders.mdx"), page("GET /orders"));
  writeFileSync(join(preview.folder, "place-order.mdx"), page("POST /orders/{id}"));
  await arrived("/place-order", "Place an order");
});
after(async () => {
  await browser?.close();
  await preview?.stop();
});

async function arrived(address, words) {
  for (const end = Date.now() + 20_000; ; ) {
    const reply = await fetch(preview.origin + address);
    if (reply.ok && (await reply.text()).includes(words)) return;
    assert.ok(Date.now() < end, `${address} never came`);
  }
}

async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1350, height: 900 }, ...options });
  const { page, faults } = await watchedPage(context, preview.origin);
  await page.goto(preview.origin + address);
  return { context, page, faults };
}

const tab = (page, panel, name) => page.locator(panel).getByRole("tab", { name, exact: true });

test("a status that is chosen in the rows is that of the example, and the other way round", async () => {
  const { context, page, faults } = await open("/place-order");
  await tab(page, ".responses", "404").click();
  assert.ok(await page.locator(".reference-side").getByText('"reason"').isVisible());
  assert.ok(await page.locator("[id='response-404-reason']").isVisible());
  await tab(page, ".reference-side [data-linked]", "201").click();
  assert.ok(await page.locator("[id='response-201-id']").isVisible());
  assert.ok(!(await page.locator("[id='response-404-reason']").isVisible()));
  assert.deepEqual(faults, []);
  await context.close();
});

test("the form of the body that is chosen is that of the code, here and on the next page", async () => {
  const { context, page, faults } = await open("/place-order");
  await page.locator(".forms").getByLabel("Media type").selectOption("application/x-www-form-urlencoded");
  assert.ok(await page.locator("[id='body-flat']").first().isVisible());
  const code = page.locator(".samples pre:visible");
  assert.equal(await code.count(), 1);
  assert.match(await code.textContent(), /x-www-form-urlencoded/);
  await page.reload();
  assert.match(await page.locator(".samples pre:visible").textContent(), /x-www-form-urlencoded/);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a link to a row opens what it is folded in", async () => {
  const { context, page, faults } = await open("/place-order#body-buyer-address-street");
  assert.ok(await page.locator("[id='body-buyer-address-street']").isVisible());
  await page.goto("about:blank");
  const inBranch = "body-payment~Invoice-reference";
  await page.goto(`${preview.origin}/place-order#${inBranch}`);
  assert.ok(await page.locator(`[id='${inBranch}']`).isVisible());
  await page.goto("about:blank");
  await page.goto(`${preview.origin}/place-order#response-404-reason`);
  assert.ok(await page.locator("[id='response-404-reason']").isVisible());
  assert.ok(await page.locator(".reference-side").getByText('"reason"').isVisible());
  assert.deepEqual(faults, []);
  await context.close();
});

test("a link that names a field by other rules leads to it", async () => {
  for (const [asked, id] of [
    ["body-payment-one-of-1-reference", "body-payment~Invoice-reference"],
    ["Body-Buyer-Address-Street", "body-buyer-address-street"],
    ["response-reason", "response-404-reason"],
  ]) {
    const { context, page, faults } = await open(`/place-order#${asked}`);
    await page.waitForFunction((id) => {
      const { top, height } = document.getElementById(id).getBoundingClientRect();
      return height > 0 && top >= 0 && top < innerHeight && decodeURIComponent(location.hash) === `#${id}`;
    }, id);
    assert.deepEqual(faults, []);
    await context.close();
  }
  const { context, page, faults } = await open("/place-order#body-buyer-nothing");
  assert.equal(new URL(page.url()).hash, "#body-buyer-nothing");
  assert.deepEqual(faults, []);
  await context.close();
});

test("the language of code is remembered on all pages", async () => {
  const { context, page, faults } = await open("/place-order");
  const list = page.locator(".samples").getByLabel("Language");
  await list.selectOption({ label: "Python" });
  await page.goto(`${preview.origin}/list-orders`);
  assert.equal(await list.inputValue(), "Python");
  assert.match(await page.locator(".samples pre:visible").textContent(), /requests/);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the base address that is chosen is that of the code", async () => {
  const { context, page, faults } = await open("/place-order");
  await page.getByLabel("Base URL").selectOption("https://test.everyday.example/v1");
  assert.match(await page.locator(".endpoint-path").innerText(), /^https:\/\/test\.everyday\.example\/v1/);
  // A line may break before the path of either, and nowhere within it.
  const parts = () =>
    page
      .locator(".endpoint-base")
      .evaluate((base) => [...base.childNodes].map((node) => node.nodeValue ?? node.localName));
  assert.deepEqual(await parts(), ["https://test.everyday.example", "wbr", "/v1"]);
  assert.match(await page.locator(".samples pre:visible").textContent(), /test\.everyday\.example\/v1\/orders/);
  await page.locator(".endpoint [data-server]").selectOption({ index: 0 });
  assert.deepEqual(await parts(), ["https://api.everyday.example", "wbr", "/v1"]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the variables of a base address are those of the code", async () => {
  const { context, page, faults } = await open("/place-order");
  assert.ok(!(await page.getByRole("combobox", { name: "region" }).isVisible()));
  await page.getByLabel("Base URL").selectOption("https://eu.everyday.example/v1");
  await page.getByRole("combobox", { name: "region" }).selectOption("us");
  const address = () => page.locator(".endpoint-path").innerText();
  const code = () => page.locator(".samples pre:visible").textContent();
  assert.match(await address(), /^https:\/\/us\.everyday\.example\/v1\/orders/);
  assert.match(await code(), /us\.everyday\.example\/v1\/orders/);
  const version = page.getByRole("textbox", { name: "version" });
  await version.fill("v2'; $(rm) \"\\");
  assert.match(await code(), /us\.everyday\.example\/v2%27;%20%24\(rm\)%20%22%5C\/orders/);
  await version.fill("");
  assert.match(await code(), /us\.everyday\.example\/v1\/orders/);
  await page.getByLabel("Base URL").selectOption("https://api.everyday.example/v1");
  assert.match(await code(), /api\.everyday\.example\/v1\/orders/);
  assert.ok(!(await version.isVisible()));
  assert.deepEqual(faults, []);
  await context.close();
});

test("without scripts every row can be read, and the code of one language", async () => {
  const { context, page } = await open("/place-order", { javaScriptEnabled: false });
  assert.equal(await page.title(), "Place an order - Museum of Everyday Things");
  assert.ok(await page.locator("[id='response-404-reason']").isVisible());
  assert.ok(await page.locator("[id='body-flat']").isVisible());
  assert.equal(await page.locator(".samples pre:visible").count(), 1);
  const children = page.locator("[id='body-buyer'] > details > summary");
  await children.click();
  assert.ok(await page.locator("[id='body-buyer-address']").isVisible());
  await context.close();
});

test("a page of a reference fits a narrow window, and holds nothing that a policy for content would refuse", async () => {
  const { context, page, faults } = await open("/place-order", { viewport: { width: 320, height: 700 } });
  for (const details of await page.locator("main details:visible").all())
    await details.evaluate((at) => (at.open = true));
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `${over} pixels wider than the window`);
  assert.notEqual(await page.title(), "owned");
  const refused = await page.evaluate(() =>
    [...document.querySelectorAll("main, main *")]
      .filter(
        (at) =>
          at.matches("style, script:not([type='application/json'])") ||
          [...at.attributes].some(({ name }) => name === "style" || name.startsWith("on")),
      )
      .map((at) => at.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(refused, []);
  assert.equal(
    await page.locator("script#quire-playground").evaluate((at) => JSON.parse(at.textContent).method),
    "POST",
  );
  assert.deepEqual(faults, []);
  await context.close();
});
