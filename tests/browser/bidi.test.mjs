// The museum in Arabic: each text that is set as code reads from left to right, isolated from the words around it
// (W3C, "Inline markup and bidirectional text").
import { test } from "node:test";
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { previewOf, startBrowser } from "./support.mjs";

const museum = join(dirname(fileURLToPath(import.meta.url)), "../../fixtures/museum");

/** The museum as a site of one language, which is Arabic. */
function arabic() {
  const folder = mkdtempSync(join(tmpdir(), "quire-bidi-"));
  cpSync(museum, folder, { recursive: true });
  const file = join(folder, "docs.json");
  const config = JSON.parse(readFileSync(file, "utf8"));
  const { global, ...rest } = config.navigation;
  config.navigation = { ...(global && { global }), languages: [{ language: "ar", default: true, ...rest }] };
  writeFileSync(file, JSON.stringify(config));
  const page = join(folder, "concepts/tickets.mdx");
  writeFileSync(page, `${readFileSync(page, "utf8")}\n${MIXED}`);
  return folder;
}

/** Text from right to left with code of every kind in it. */
const MIXED = `
## الخيار \`--flag value\`

استعمل \`<slot />\` و <kbd>Ctrl + K</kbd> و <samp>exit 1;</samp> و <var>n + 1</var> و <tt>a/b</tt> هنا.

<ParamField path="user.name[]" type="string | null" default="(none)" required>وصف \`/path/{id}\`</ParamField>

<ResponseField name="_links.next" type="Array<string>">وصف</ResponseField>

\`\`\`sh ملف.sh
curl -X GET https://api.example.org/{id}?a=b
\`\`\`

| \`--a b\` | <code>{"x / y"}</code> |
| - | - |
| [\`--link x\`](/) | **\`--bold x\`** |
`;

/** Texts in the font of code that do not read from left to right, or are not isolated: where they stand, and how. */
function astray() {
  const mono = getComputedStyle(document.documentElement).getPropertyValue("--font-mono").split(",")[0].trim();
  const isCode = (element) =>
    getComputedStyle(element).fontFamily.split(",")[0].trim() === mono ||
    element.matches("code, kbd, samp, pre, tt, var");
  const seen = new Map();
  let count = 0;
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!isCode(element) || (!hasText && !element.matches("input, textarea"))) continue;
    count += 1;
    let outer = element;
    while (outer.parentElement && isCode(outer.parentElement) && getComputedStyle(outer).unicodeBidi !== "isolate") {
      outer = outer.parentElement;
    }
    const { direction } = getComputedStyle(element);
    const { unicodeBidi } = getComputedStyle(outer);
    if (direction === "ltr" && unicodeBidi === "isolate") continue;
    // One word of letters and digits reads as it does in any direction; what an author puts on a credential is in
    // words.
    if (/^\w+$/.test(element.textContent.trim()) || element.matches("[dir='auto']")) continue;
    const name = (one) => one.tagName.toLowerCase() + [...one.classList].map((part) => `.${part}`).join("");
    const place = `${name(element.parentElement)} > ${name(element)}: ${direction} ${unicodeBidi}`;
    if (!seen.has(place)) seen.set(place, element.textContent.trim().slice(0, 40));
  }
  return { count, found: [...seen].map(([place, text]) => `${place} ${JSON.stringify(text)}`) };
}

test("code of every kind reads from left to right in Arabic pages", async () => {
  const folder = arabic();
  const [preview, browser] = await Promise.all([previewOf(folder), startBrowser()]);
  try {
    const list = await (await fetch(`${preview.origin}/sitemap.xml`)).text();
    const paths = [...list.matchAll(/<loc>[^<]*?\/\/[^/<]+([^<]*)<\/loc>/g)].map(([, path]) => path || "/");
    assert.ok(paths.length > 20, `${paths.length} pages`);
    let count = 0;
    const found = new Map();
    for (const width of [320, 1350]) {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      for (const path of paths) {
        await page.goto(preview.origin + path);
        assert.equal(await page.evaluate(() => document.documentElement.dir), "rtl", path);
        // What opens shows more of it.
        await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
        const seen = await page.evaluate(astray);
        count += seen.count;
        for (const one of seen.found)
          if (!found.has(one.split(' "')[0])) found.set(one.split(' "')[0], `${path} ${one}`);
        assert.ok(
          await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
          `${path} is wider than ${width}`,
        );
        const shots = process.env.QUIRE_SHOTS;
        if (shots && /tickets|components|api/.test(path)) {
          for (const colorScheme of ["light", "dark"]) {
            await page.emulateMedia({ colorScheme });
            const name = `${path.replace(/\W+/g, "-")}-${width}-${colorScheme}.png`;
            await page.screenshot({ path: join(shots, name), fullPage: true });
          }
          await page.emulateMedia({ colorScheme: "light" });
        }
      }
      await page.close();
    }
    assert.ok(count > 1000, `${count} texts`);
    assert.deepEqual([...found.values()], []);
  } finally {
    await browser.close();
    await preview.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
