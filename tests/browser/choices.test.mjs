// What a page shows of itself: views, tags, code from a list, pictures enlarged, what stands beside the text.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { startBrowser, startPreview, watchedPage } from "./support.mjs";

const text = `---
title: Choices
hidden: true
---

<View title="Python">
  ## Only Python

  Words for Python.
</View>

<View title="Go">
  ## Only Go

  Words for Go.
</View>

<Note>
  Before the example.

  <RequestExample>
  \`\`\`bash
  curl a
  \`\`\`
  </RequestExample>

  <Panel>
    ### In the panel
  </Panel>

  Behind the example.
</Note>

<CodeGroup dropdown>
\`\`\`bash Shell
curl a
\`\`\`
\`\`\`js Node
get("a")
\`\`\`
</CodeGroup>

<Tabs>
  <Tab title="Node">
    Node, too.
  </Tab>
  <Tab title="Shell">
    Shell, too.
  </Tab>
</Tabs>

![A spoon](/large.svg)

## Changes

<Update label="May" tags={["New"]}>
  In May.
</Update>

<Update label="June" tags={["Mended"]}>
  In June.
</Update>
`;
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="900" viewBox="0 0 3000 900"><rect width="3000" height="900" fill="#b4492d"/></svg>`;

let preview;
let browser;
before(async () => {
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
  writeFileSync(join(preview.folder, "large.svg"), picture);
  writeFileSync(join(preview.folder, "choices.mdx"), text);
});
after(async () => {
  await browser?.close();
  assert.equal(await preview?.stop(), 0);
});

/** Runs `look` at the page; the page must have done nothing wrong in the end. */
async function looking(options, look, hash = "") {
  const context = await browser.newContext(options);
  const { page, faults } = await watchedPage(context, preview.origin);
  await page.goto(`${preview.origin}/choices${hash}`);
  await look(page);
  assert.deepEqual(faults, []);
  await context.close();
}

const shown = async (page, words) =>
  (await page
    .getByText(words, { exact: true })
    .evaluateAll((all) => all.filter((one) => one.checkVisibility()).length)) > 0;

test("one view is shown, the list of headings follows, and the choice is remembered", async () => {
  await looking({ viewport: { width: 1350, height: 900 } }, async (page) => {
    assert.ok(await shown(page, "Words for Python."));
    assert.ok(!(await shown(page, "Words for Go.")));
    await page.locator("[data-view-switch] button", { hasText: "Go" }).click();
    assert.ok(await shown(page, "Words for Go."));
    assert.ok(!(await shown(page, "Words for Python.")));
    const listed = await page
      .locator(".toc-inline li:not([hidden])")
      .evaluateAll((all) => all.map((one) => one.textContent));
    assert.ok(listed.includes("Only Go") && !listed.includes("Only Python"), listed.join());
    await page.reload();
    assert.ok(await shown(page, "Words for Go."));
    await page.evaluate(() => (location.hash = "#only-python"));
    await page.waitForFunction(() => document.getElementById("only-python").checkVisibility());
  });
});

test("without scripts every view, every block and every entry is shown", async () => {
  await looking({ javaScriptEnabled: false, viewport: { width: 1350, height: 900 } }, async (page) => {
    for (const words of ["Words for Python.", "Words for Go.", "Node, too.", "Shell, too.", "In May.", "In June."]) {
      assert.ok(await page.getByText(words, { exact: true }).first().isVisible(), words);
    }
    assert.ok(await page.locator(".code-group pre", { hasText: "get(" }).isVisible());
    assert.equal(await page.locator(".choices:visible, .tab-select:visible").count(), 0);
  });
});

test("code is chosen from a list, together with tabs of the same title", async () => {
  await looking({}, async (page) => {
    const list = page.locator(".tab-select select");
    await list.selectOption("Node");
    assert.ok(await page.locator(".code-group pre", { hasText: "get(" }).isVisible());
    assert.ok(!(await page.locator(".code-group pre", { hasText: "curl" }).isVisible()));
    await page.getByRole("tab", { name: "Shell" }).click();
    assert.equal(await list.inputValue(), "Shell");
    assert.ok(await page.locator(".code-group pre", { hasText: "curl" }).isVisible());
  });
});

test("tags choose among the entries of a changelog", async () => {
  await looking({}, async (page) => {
    const tag = page.locator("[data-tag-filter] button", { hasText: "Mended" });
    await tag.click();
    assert.ok((await shown(page, "In June.")) && !(await shown(page, "In May.")));
    await tag.click();
    assert.ok(await shown(page, "In May."));
  });
});

test("a picture that is larger than its place is enlarged by a key and goes with Escape", async () => {
  await looking({ viewport: { width: 1350, height: 900 } }, async (page) => {
    const small = page.locator("main img[alt='A spoon']");
    await small.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector("main img[alt='A spoon']").hasAttribute("data-zoom"));
    await small.focus();
    await page.keyboard.press("Enter");
    const large = page.locator("dialog.zoom img");
    await large.waitFor();
    const width = async (image) => (await image.boundingBox()).width;
    assert.ok((await width(large)) > (await width(small)));
    await page.keyboard.press("Escape");
    await large.waitFor({ state: "detached" });
    assert.ok(await small.evaluate((image) => image === document.activeElement));
  });
});

/** Where the middle of the visible example and of the words around it are. */
const places = (page) =>
  page.evaluate(() => {
    const visible = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
    const box = (one) => one.getBoundingClientRect();
    const words = (start) => visible("main p").find((one) => one.textContent.startsWith(start));
    const examples = visible(".example");
    return {
      count: examples.length,
      example: box(examples[0]),
      before: box(words("Before")),
      behind: box(words("Behind")),
    };
  });

for (const javaScriptEnabled of [true, false]) {
  test(`examples stand beside the text, or where they were written (scripts: ${javaScriptEnabled})`, async () => {
    await looking({ javaScriptEnabled, viewport: { width: 1350, height: 900 } }, async (page) => {
      const { count, example, before } = await places(page);
      assert.equal(count, 1);
      assert.ok(example.left > before.right, "beside");
    });
    await looking({ javaScriptEnabled, viewport: { width: 375, height: 900 } }, async (page) => {
      const { count, example, before, behind } = await places(page);
      assert.equal(count, 1);
      assert.ok(before.bottom <= example.top && example.bottom <= behind.top, "in its place");
    });
  });
}

test("a link to a heading beside the text leads to the one that is shown", async () => {
  await looking(
    { viewport: { width: 375, height: 600 } },
    async (page) => {
      await page.waitForFunction(() => {
        const place = document.querySelector("[data-id='in-the-panel']").getBoundingClientRect();
        return place.top >= 0 && place.bottom <= innerHeight;
      });
    },
    "#in-the-panel",
  );
});
