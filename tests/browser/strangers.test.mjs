// A commit that is on no branch is shown to whoever knows it, and no script of it runs: each door is tried on a preview
// of the commit, and on one of a branch that has it, where it stands open.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import { daemonOf, startBrowser } from "./support.mjs";

const RUN = (name) => `(top.ran ??= []).push(${JSON.stringify(name)});`;
const MOCK = "/_quire/mock/api/openapi.json/script";

/** Pages, each with one way to bring a script. */
const DOORS = {
  "own-file": "Nothing but the script of the site.",
  "script-of-a-file": `<script src="/files/script.js"></script>`,
  "module-of-a-file": `<script type="module" src="/files/module.mjs"></script>`,
  "script-of-the-mock": `<script src="${MOCK}"></script>`,
  "inline-script": `<script>{\`${RUN("inline-script")}\`}</script>`,
  "frame-of-a-file": `<iframe src="/files/frame.html"></iframe>`,
  "frame-of-a-picture": `<iframe src="/files/picture.svg"></iframe>`,
  "object-of-a-file": `<object data="/files/frame.html"></object>`,
  "named-as-ours": `<button data-playground="/files/playground.js" data-schema="{}">Open</button>`,
  "folder-as-ours": `<script src="/files/_theme/script.js"></script>`,
};

const FILES = {
  "own.js": RUN("own-file"),
  "files/script.js": RUN("script-of-a-file"),
  "files/module.mjs": RUN("module-of-a-file"),
  "files/_theme/script.js": RUN("folder-as-ours"),
  "files/playground.js": `${RUN("named-as-ours")} export const adopt = () => {};`,
  "files/frame.html": `<!doctype html><script>${RUN("frame-of-a-file")}</script>`,
  "files/picture.svg": `<svg xmlns="http://www.w3.org/2000/svg"><script>${RUN("frame-of-a-picture")}</script></svg>`,
  "api/openapi.json": JSON.stringify({
    openapi: "3.1.0",
    info: { title: "T", version: "1" },
    paths: {
      "/script": {
        get: {
          summary: "Script",
          responses: {
            200: { description: "OK", content: { "text/javascript": { example: RUN("script-of-the-mock") } } },
          },
        },
      },
    },
  }),
};

let folder, state, daemon, browser, commit;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "quire-strangers-"));
  state = mkdtempSync(join(tmpdir(), "quire-strangers-state-"));
  const git = (...words) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=T", "-c", "user.email=t@example.org", ...words], {
      encoding: "utf8",
    }).trim();
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const config = {
    name: "T",
    theme: "mint",
    colors: { primary: "#0a7" },
    navigation: { pages: Object.keys(DOORS) },
    api: { openapi: "api/openapi.json" },
  };
  const page = (title, text) => `---\ntitle: ${title}\n---\n\n${text}\n`;
  write("docs.json", JSON.stringify(config));
  for (const name of Object.keys(DOORS)) write(`${name}.mdx`, page(name, "Plain."));
  git("init", "--quiet", "--initial-branch=main");
  const save = () => {
    git("add", "--all");
    git("commit", "--quiet", "--message", "x");
  };
  save();
  git("checkout", "--quiet", "-b", "proposed");
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  for (const [name, text] of Object.entries(DOORS)) write(`${name}.mdx`, page(name, text));
  save();
  commit = git("rev-parse", "--short=12", "HEAD");
  git("checkout", "--quiet", "main");
  [daemon, browser] = await Promise.all([
    daemonOf(state, `[sites.docs]\nroot = "${folder}"\nwatch = false\nmock = true\n`),
    startBrowser(),
  ]);
  const open = await doors("proposed");
  git("branch", "--quiet", "-D", "proposed");
  taken = open;
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
  for (const path of [folder, state]) rmSync(path, { recursive: true, force: true });
});

let taken;

/** The doors through which a script ran on the preview of a ref, with what was asked for. */
async function doors(ref) {
  const origin = `http://${ref}--docs.localhost:${new URL(daemon.origin).port}`;
  const ran = [];
  const page = await browser.newPage();
  for (const name of Object.keys(DOORS)) {
    const reply = await page.goto(`${origin}/${name}`, { waitUntil: "load" });
    assert.equal(reply.status(), 200, name);
    const button = page.locator("[data-playground^='/files']");
    if (await button.count()) {
      await button.first().click();
      // What the click asks for has come when this has.
      await page.evaluate(() => fetch("/files/playground.js").then((reply) => reply.text()));
    }
    if (await page.evaluate((name) => (window.ran ?? []).includes(name), name)) ran.push(name);
  }
  await page.close();
  return ran;
}

test("scripts of a branch run in its preview", () => {
  for (const name of ["own-file", "script-of-a-file", "script-of-the-mock", "inline-script"])
    assert.ok(taken.includes(name), `${name}: ${taken}`);
});

test("no script of a commit that is on no branch runs", async () => {
  assert.deepEqual(await doors(commit), []);
});

test("what is ours runs on a page of a stranger", async () => {
  const page = await browser.newPage();
  await page.goto(`http://${commit}--docs.localhost:${new URL(daemon.origin).port}/own-file`);
  await page.keyboard.press("Control+k");
  await page.fill(".search-field", "Nothing but");
  await page.waitForFunction(() => document.querySelector(".search-dialog").dataset.shown === "Nothing but");
  await page.close();
});
