// Stylesheets and scripts as they are served: what they weigh, and that they say what their sources say.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { tokenizer } from "acorn";

import { program, startBrowser, startPreview } from "./support.mjs";

const theme = fileURLToPath(new URL("../../queries/theme/", import.meta.url));

let preview, browser, exported;
before(async () => {
  exported = mkdtempSync(join(tmpdir(), "quire-assets-"));
  execFileSync(
    program,
    ["build", fileURLToPath(new URL("../../fixtures/museum", import.meta.url)), "--out", exported, "--no-state"],
    { stdio: "ignore" },
  );
  [preview, browser] = await Promise.all([startPreview(), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await preview?.stop();
  rmSync(exported, { recursive: true, force: true });
});

const textOf = async (address) => {
  const reply = await fetch(preview.origin + address);
  assert.ok(reply.ok, `${reply.status} ${address}`);
  return reply.text();
};
const named = (text) => [...text.matchAll(/\/_theme\/[\w.-]+\.(?:css|js)\b/g)].map(([address]) => address);

/** Returns true if a file is made of packages (`vendor/README.md`). */
const isMade = (address) => /\/(mermaid|islands)/.test(address);

/** The files of the theme that a page, or a file that it names, names; and those of an export. */
async function served() {
  const files = new Map();
  const wanted = named((await textOf("/quickstart")) + (await textOf("/api/tickets/buy-a-ticket")));
  for (let address = wanted.pop(); address; address = wanted.pop()) {
    if (files.has(address) || isMade(address)) continue;
    files.set(address, await textOf(address));
    wanted.push(...named(files.get(address)));
  }
  const folder = join(exported, "_theme");
  for (const name of readdirSync(folder)) {
    if (/\.(?:css|js)$/.test(name) && !isMade(`/${name}`))
      files.set(`/_theme/${name}`, readFileSync(join(folder, name), "utf8"));
  }
  return files;
}

/** The files of `folder` of the theme that end in `.end`, and what they hold. */
function sources(folder, end) {
  const files = readdirSync(join(theme, folder), { recursive: true }).filter((name) => name.endsWith(`.${end}`));
  return files.map((name) => [name, readFileSync(join(theme, folder, name), "utf8")]);
}

/** What a script says, token by token, without the comma behind the last of several lines. */
const tokensOf = (script) => {
  const tokens = [...tokenizer(script, { ecmaVersion: "latest", sourceType: "module" })];
  const isLast = ({ type }, i) => type.label === "," && [")", "]", "}"].includes(tokens[i + 1]?.type.label);
  const said = tokens.filter((token, i) => !isLast(token, i));
  return said.map(({ type, value }) => `${type.label} ${value?.pattern ?? value ?? ""}`).join("\n");
};

/** How many comments a script has; what looks like one in a text is none. */
const commentsOf = (script) => {
  const comments = [];
  for (const _ of tokenizer(script, { ecmaVersion: "latest", sourceType: "module", onComment: comments }));
  return comments.length;
};

test("scripts say what their sources say", async () => {
  const scripts = [...(await served())].filter(([address]) => address.endsWith(".js"));
  const whole = scripts.map(([, text]) => `\n${tokensOf(text)}\n`);
  let held = 0;
  for (const [name, text] of sources("js", "js")) {
    const tokens = `\n${tokensOf(text)}\n`;
    assert.ok(tokens.length > 100, name);
    // What only a daemon has is not here, nor the script of a large section, of another language or of services that
    // nobody names.
    if (["console.js", "readers.js", "sidebar.js", "vendors.js"].includes(name)) continue;
    // These are joined with Preact (`islands.test.mjs`).
    if (name.startsWith("islands")) continue;
    assert.ok(
      whole.some((text) => text.includes(tokens)),
      name,
    );
    held += 1;
  }
  assert.ok(held > 20, `${held} scripts`);
  for (const [address, text] of scripts) assert.equal(commentsOf(text), 0, address);
});

test("stylesheets say what their sources say", async () => {
  const page = await browser.newPage();
  const files = await served();
  const rules = (css) =>
    page.evaluate((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      // Of custom properties and conditions it keeps how they are written.
      return [...sheet.cssRules].map((rule) => rule.cssText.replaceAll(/([,:]) +/g, "$1")).join("\n");
    }, css);
  const sheets = [...files].filter(([address]) => address.endsWith(".css"));
  const whole = await Promise.all(sheets.map(([, text]) => rules(text)));
  let held = 0;
  for (const [name, text] of sources("css", "css")) {
    // Those of other themes and of a daemon are not here.
    if (/^(?:themes.|console)/.test(name)) continue;
    const said = await rules(text);
    assert.ok(said.length > 100, name);
    assert.ok(
      whole.some((text) => text.includes(said)),
      name,
    );
    held += 1;
  }
  assert.ok(held > 10, `${held} stylesheets`);
  for (const [address, text] of sheets) assert.doesNotMatch(text, /\/\*/, address);
  await page.close();
});

/** How many bytes come over the wire for `address`. */
const weightOf = (address, encoding) =>
  new Promise((resolve, reject) => {
    get(preview.origin + address, { headers: { "accept-encoding": encoding } }, (reply) => {
      assert.equal(reply.headers["content-encoding"], encoding, address);
      let count = 0;
      reply.on("data", (chunk) => (count += chunk.length));
      reply.on("end", () => resolve(count));
    }).on("error", reject);
  });

test("what a page needs before it is seen is light: styles 20 KB, scripts 25 KB", async () => {
  for (const path of ["/quickstart", "/api/tickets/buy-a-ticket"]) {
    const head = (await textOf(path)).split("</head>")[0];
    const first = [
      ...head.matchAll(/<(?:link rel="stylesheet" href|script src|script defer src)="(\/_theme\/[^"]+)"/g),
    ].map((match) => match[1]);
    const [styles, scripts] = ["css", "js"].map((end) =>
      first.filter((address) => address.endsWith(end) && !address.includes("/reload.")),
    );
    assert.ok(styles.length && scripts.length, head.slice(0, 3000));
    const sum = async (addresses) =>
      (await Promise.all(addresses.map((address) => weightOf(address, "br")))).reduce((all, one) => all + one, 0);
    const [styled, run] = [await sum(styles), await sum(scripts)];
    assert.ok(styled <= 20_000, `${path}: ${styled} bytes of styles`);
    assert.ok(run <= 25_000, `${path}: ${run} bytes of scripts`);
  }
});
