// From opening a page to an answer of the mock: as a new reader does it, on a desk and on a phone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { startBrowser, startPreview, watchedPage } from "./support.mjs";

let preview;
let browser;

before(async () => {
  preview = await startPreview("--mock", "--no-state");
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
  assert.equal(await preview?.stop(), 0);
});

const address = "/api/tickets/buy-a-ticket";

for (const [where, viewport] of [
  ["a desk", { width: 1350, height: 900 }],
  ["a phone", { width: 375, height: 812 }],
]) {
  test(`the mock answers two clicks after a token is typed, on ${where}`, async () => {
    const context = await browser.newContext({ viewport });
    const { page, faults } = await watchedPage(context, preview.origin);
    const requests = [];
    page.on("request", (request) => {
      if (request.url().includes("/_quire/mock/")) requests.push(request);
    });
    await page.goto(preview.origin + address);
    await page.click("[data-playground]");
    const dialog = page.getByRole("dialog");
    await dialog
      .getByRole("combobox", { name: "Base URL" })
      .selectOption({ label: "Mock server: answers with examples" });
    await dialog.getByPlaceholder("Paste a token").fill("met_test_secret");
    await dialog.getByText("Use the example").click();
    await dialog.locator(".play-send").click();
    await dialog.getByText("201 Created", { exact: true }).waitFor();
    // The body is drawn after the status.
    await dialog.getByRole("tabpanel", { name: "Response" }).filter({ hasText: '"id": "tkt_8fQ2mZ"' }).waitFor();
    assert.equal(requests.length, 1);
    const [request] = requests;
    assert.equal(request.url(), `${preview.origin}/_quire/mock/openapi/museum.yaml/tickets`);
    assert.equal(request.headers().authorization, "Bearer met_test_secret");
    assert.equal(request.headers()["content-type"], "application/json");
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= viewport.width, `${width} is wider than the window`);
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("what the document does not allow is in the answer", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(preview.origin + address);
  await page.click("[data-playground]");
  const dialog = page.getByRole("dialog");
  await dialog
    .getByRole("combobox", { name: "Base URL" })
    .selectOption({ label: "Mock server: answers with examples" });
  await dialog.locator(".play-send").click();
  await dialog.getByText("401 Unauthorized", { exact: true }).waitFor();
  await dialog.getByPlaceholder("Paste a token").fill("t");
  await dialog.locator(".play-send").click();
  await dialog.getByText("400 Bad Request", { exact: true }).waitFor();
  await dialog.getByRole("tabpanel", { name: "Response" }).filter({ hasText: '"in": "body"' }).waitFor();
  await context.close();
});

test("without --mock the page knows of none", async () => {
  const other = await startPreview("--no-state");
  try {
    const page = await (await fetch(other.origin + address)).text();
    assert.match(page, /data-playground=/);
    assert.doesNotMatch(page, /data-mock/);
    assert.equal((await fetch(`${other.origin}/_quire/mock/openapi/museum.yaml/tickets`)).status, 404);
  } finally {
    await other.stop();
  }
});
