// Components with state: what readers without scripts see of each, what it does in a browser, and everything around it:
// the way from page to page, edits, exports below a path, policies, errors, weights.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { transform } from "esbuild";

import { components } from "./components.mjs";
import { program, serveExport, startSite, violationsOf } from "./support.mjs";

const slug = (name) => name.replace(/\W+/g, "-").toLowerCase();
const fold = `export const Fold = ({ title, children }) => {
  const [open, setOpen] = useState(false);
  return <div><button onClick={() => setOpen(!open)}>Fold {title}</button>{open && <div>{children}</div>}</div>;
};
export const Count = ({ label }) => { const [n, setN] = useState(0); return <button onClick={() => setN(n + 1)}>{label} {n}</button>; };
export const Broken = () => {
  const [n, setN] = useState(0);
  if (n > 0) throw new Error("it broke");
  return <p>Whole so far. <button onClick={() => setN(1)}>Break it</button></p>;
};
export const Clock = () => {
  useEffect(() => { window.clocks = (window.clocks ?? 0) + 1; return () => { window.clocks -= 1; }; }, []);
  return <p>Tick.</p>;
};
`;

function writeSite(folder) {
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const pages = ["index", "plain", "other", "one", "many"];
  for (const { name, source, use = "<C />" } of components) {
    const path = slug(name);
    pages.push(`c/${path}`);
    write(`snippets/${path}.tsx`, source);
    const imports = use.includes("<Other") ? "import Other" : `import { C${use.includes("<D") ? ", D" : ""} }`;
    const module = source.includes("Unused") ? "" : `${imports} from '/snippets/${path}.tsx'\n\n`;
    write(`c/${path}.mdx`, `---\ntitle: ${JSON.stringify(name)}\n---\n\n${module}${use}\n`);
  }
  write(
    "rows.txt",
    JSON.stringify([
      { name: "small", size: 1 },
      { name: "large", size: 9 },
    ]),
  );
  for (const name of ["dark.svg", "light.svg"])
    write(name, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>');
  write("film.mp4", "film");
  write("snippets/fold.jsx", fold);
  const head = "import { Fold, Count, Broken, Clock } from '/snippets/fold.jsx'\n\n";
  write(
    "index.mdx",
    `---\ntitle: Home\n---\n${head}Words of home.\n\n<Fold title="it">\nInner *words*. <Count label="Deep" />\n</Fold>\n\n<Count label="Top" />\n\n<Clock />\n`,
  );
  write("plain.mdx", "---\ntitle: Plain\n---\nNothing moves. [Home](/) [Other](/other)\n");
  write("other.mdx", `---\ntitle: Other\n---\n${head}<Count label="Other" />\n\n<Broken />\n\n[Link](/plain)\n`);
  write("one.mdx", `---\ntitle: One\n---\n${head}<Count label="One" />\n`);
  write(
    "many.mdx",
    `---\ntitle: Many\n---\n${head}${Array.from({ length: 20 }, (_, i) => `<Fold title="${i}">\nText ${i}.\n</Fold>\n`).join("\n")}`,
  );
  write(
    "docs.json",
    JSON.stringify({ theme: "mint", name: "Islands", colors: { primary: "#2b6cb0" }, navigation: { pages } }),
  );
  return { write };
}

let site, browser;
before(async () => {
  site = await startSite("islands", writeSite);
  browser = site.browser;
});
after(() => site?.stop());

/** A page of the site, which notes what the browser says is wrong. */
async function pageAt(path, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  await page.goto(site.preview.origin + path);
  return { context, page, main: page.locator("#content"), wrong };
}
/** Waits until the components of the page are begun. A load event does not wait for what a script imports. */
const isReady = (page) =>
  page.evaluate(async () => {
    await import(new URL(document.querySelector("[data-islands]").dataset.islands, location.href).href);
    if (document.querySelector("#content noscript")) throw new Error("a component has not begun");
  });

/** The words of a text without the signs of Markdown. */
const plainOf = (text) => text.match(/[\p{L}\p{N}]+/gu)?.join(" ") ?? "";

/** The pages that a search for `query` finds. */
async function pagesWith(query) {
  const reply = await fetch(`${site.preview.origin}/api/sites/islands/search`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query, limit: 50 }),
  });
  const { results } = await reply.json();
  return results.map(({ url }) => url.replace(/#.*/, ""));
}

for (const { name, still, drive } of components) {
  test(`a reader without scripts reads all of: ${name}`, async () => {
    const { context, main } = await pageAt(`/c/${slug(name)}`, { javaScriptEnabled: false });
    // What is folded is there to be opened.
    const text = (await main.evaluate((main) => main.textContent)).replace(/\s+/g, " ");
    let at = 0;
    for (const words of still) {
      const found = text.indexOf(words, at);
      assert.ok(found >= 0, `${words} in ${text}`);
      at = found + words.length;
    }
    const twin = await (await fetch(`${site.preview.origin}/c/${slug(name)}.md`)).text();
    assert.ok(!twin.includes("quire:"), twin);
    const inTwin = plainOf(twin);
    for (const words of still) {
      assert.ok(inTwin.includes(plainOf(words)), `${words} in the twin: ${twin}`);
      assert.ok((await pagesWith(words)).includes(`/c/${slug(name)}`), `${words}, searched for`);
    }
    await context.close();
  });

  test(`it goes on in a browser: ${name}`, async () => {
    const { context, page, main, wrong } = await pageAt(`/c/${slug(name)}`);
    await isReady(page);
    await drive(main, page);
    assert.deepEqual(wrong, []);
    assert.deepEqual(await violationsOf(page, { authored: true }), []);
    await context.close();
  });
}

// React, as a judge of what a component shows at first.
const { createElement } = createRequire(import.meta.url)("react");
const React = createRequire(import.meta.url)("react");
const { renderToStaticMarkup } = createRequire(import.meta.url)("react-dom/server");

test("at first each shows what React's own server renders", async () => {
  const { context, page } = await pageAt("/plain");
  const other = [];
  for (const { name, source, use = "<C />" } of components) {
    // Components of the theme and children in Markdown are not React's.
    // Classes and enumerations are run by browsers alone.
    if (/<(Card|Warning)|class C|^enum/.test(source) || />\n/.test(use) || source.includes("Unused")) continue;
    const names = ["C", ...(source.includes("const D") ? ["D"] : [])];
    const elements = use.match(/<[CO][\s\S]*\/>/)?.[0].replace("<Other", "<C") ?? "<C />";
    const expression = use.includes("{names.map")
      ? '["ant", "bee"].map((name) => <C key={name} name={name} />)'
      : elements;
    const whole = `${source.replace("export default function", "function")}\nexport const shown = <>{${expression}}</>;`;
    const written = source.includes("as C }") ? whole.replaceAll("<C", "<Whatever") : whole;
    const { code } = await transform(written, { loader: "tsx", format: "cjs" });
    const module = { exports: {} };
    const known = [
      "useState",
      "useEffect",
      "useMemo",
      "useCallback",
      "useRef",
      "useReducer",
      "useContext",
      "useId",
      "createContext",
    ];
    new Function("module", "exports", "React", ...known, code)(
      module,
      module.exports,
      React,
      ...known.map((hook) => React[hook]),
    );
    assert.ok(
      names.every((one) => module.exports[one]),
      name,
    );
    const expected = renderToStaticMarkup(createElement(React.Fragment, null, module.exports.shown));
    const answer = await (await fetch(`${site.preview.origin}/c/${slug(name)}`)).text();
    const difference = await page.evaluate(
      ([expected, answer]) => {
        const plain = (html) => {
          const box = document.createElement("div");
          box.innerHTML = html.replace(/<!--.*?-->/g, "");
          for (const gone of box.querySelectorAll("noscript, script, link")) gone.remove();
          box.normalize();
          const write = (node) => {
            if (node.nodeType === 3) return node.data.replace(/\s+/g, " ");
            // What the theme adds to pictures and fields, ids that are made, and how a style is written.
            const attributes = [...node.attributes]
              .filter(
                ({ name }) =>
                  !/^(style|id|for|loading|decoding|class|data-zoom|tabindex|value|checked|disabled|selected)$/.test(
                    name,
                  ),
              )
              .map(({ name, value }) => `${name}=${value}`)
              .sort();
            return `<${[node.localName, ...attributes].join(" ")}>${[...node.childNodes].map(write).join("")}</${node.localName}>`;
          };
          return [...box.childNodes].map(write).join("");
        };
        const shown = plain(expected);
        const whole = plain(answer.slice(answer.indexOf('id="content">') + 13, answer.indexOf("</article>")));
        return whole.includes(shown) ? null : [shown, whole];
      },
      [expected, answer],
    );
    if (difference) other.push([name, ...difference]);
  }
  assert.deepEqual(other, []);
  await context.close();
});

test("components begin and end with their pages", async () => {
  const { context, page, main, wrong } = await pageAt("/plain");
  const files = [];
  page.on("request", (request) => /islands/.test(request.url()) && files.push(new URL(request.url()).pathname));
  await main.getByRole("link", { name: "Home" }).click();
  await main.getByRole("button", { name: "Top 0" }).waitFor();
  await isReady(page);
  await main.getByRole("button", { name: "Top 0" }).click();
  await main.getByRole("button", { name: "Top 1" }).waitFor();
  assert.equal(await page.evaluate("window.clocks"), 1);
  assert.equal(await page.evaluate("performance.getEntriesByType('navigation').length"), 1);
  await page.locator(".sidebar").getByRole("link", { name: "Other", exact: true }).click();
  await main.getByRole("button", { name: "Other 0" }).waitFor();
  await page.waitForFunction(() => Reflect.get(window, "clocks") === 0);
  await page.goBack();
  await main.getByRole("button", { name: "Top 0" }).waitFor();
  await page.waitForFunction(() => Reflect.get(window, "clocks") === 1);
  assert.equal(files.filter((path) => path.startsWith("/_theme/islands.")).length, 1);
  assert.deepEqual(wrong, []);
  await context.close();
});

test("one that throws shows what the page held, and costs no other", async () => {
  const { context, page, main, wrong } = await pageAt("/other");
  await isReady(page);
  await main.getByRole("button", { name: "Break it" }).click();
  await page.locator(".overlay", { hasText: "it broke" }).waitFor();
  await main.getByText("Whole so far.").waitFor();
  await main.getByRole("button", { name: "Other 0" }).click();
  await main.getByRole("button", { name: "Other 1" }).waitFor();
  assert.equal(wrong.length, 1);
  assert.match(wrong[0], /it broke/);
  await context.close();
});

test("a script that cannot be had hides nothing", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.route(/\/_islands\//, (route) => route.abort());
  await page.goto(site.preview.origin);
  const main = page.locator("#content");
  await main.locator("summary", { hasText: "Fold it" }).click();
  await main.getByText("words").first().waitFor();
  await main.getByText("Inner").waitFor();
  assert.equal(await main.getByText("Fold it").count(), 1);
  await context.close();
});

test("edits of words and of components keep what readers did", async () => {
  const { context, page, main, wrong } = await pageAt("/");
  await isReady(page);
  await main.getByRole("button", { name: "Top 0" }).click();
  await main.getByRole("button", { name: "Fold it" }).click();
  await main.getByRole("button", { name: "Deep 0" }).click();
  const home = readFileSync(join(site.folder, "index.mdx"), "utf8");
  site.written.write(
    "index.mdx",
    home.replace("Words of home", "Other words").replace("Inner *words*", "Inner *signs*"),
  );
  await main.getByText("Other words").waitFor();
  await main.getByText("signs").waitFor();
  await main.getByRole("button", { name: "Top 1" }).waitFor();
  await main.getByRole("button", { name: "Deep 1" }).waitFor();
  // The same hooks: the state stays.
  site.written.write("snippets/fold.jsx", fold.replace("{label} {n}", "{label} is {n}"));
  await main.getByRole("button", { name: "Top is 1" }).waitFor();
  await main.getByRole("button", { name: "Deep is 1" }).waitFor();
  // Other hooks: it begins anew.
  site.written.write("snippets/fold.jsx", fold.replace("const [n, setN]", "const [m] = useState(5); const [n, setN]"));
  await main.getByRole("button", { name: "Top 0" }).waitFor();
  site.written.write("snippets/fold.jsx", fold);
  site.written.write("index.mdx", home);
  await main.getByText("Words of home").waitFor();
  assert.deepEqual(wrong, []);
  await context.close();
});

test("an export below a path does the same", async () => {
  const out = mkdtempSync(join(tmpdir(), "quire-islands-export-"));
  const options = ["--out", out, "--no-state", "--base-path", "/docs"];
  execFileSync(program, ["build", site.folder, ...options], { stdio: "ignore" });
  const server = await serveExport(out);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.origin}/docs/c/cards-of-the-theme-over-a-list`);
  const main = page.locator("#content");
  await main.getByRole("button", { name: "Show all" }).click();
  const card = main.locator(".card", { hasText: "The second" });
  assert.equal(await card.locator("a").getAttribute("href"), "/docs/two");
  await page.goto(`${server.origin}/docs/c/picture-of-the-theme`);
  await page.waitForFunction(() => document.querySelector("#content img")?.complete);
  assert.equal(await main.locator("img").getAttribute("src"), "/docs/light.svg");
  await context.close();
  await server.stop();
  rmSync(out, { recursive: true, force: true });
});

test("the policy of a page lets its script run and no code of strings", async () => {
  const reply = await fetch(`${site.preview.origin}/one`);
  const policy = reply.headers.get("content-security-policy") ?? "";
  const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? "";
  assert.ok(scripts.includes("'self'"), policy);
  assert.ok(!scripts.includes("unsafe"), policy);
  assert.ok(scripts.includes("https:"), policy);
});

test("pages are as heavy as what they hold", async () => {
  const textOf = async (path) => (await fetch(site.preview.origin + path)).text();
  assert.doesNotMatch(await textOf("/plain"), /_islands|_theme\/islands|data-islands/);
  const one = await textOf("/one");
  const [, core] = /src="(\/_theme\/islands\.[0-9a-f]+\.js)"/.exec(one);
  const weight = (text) => gzipSync(text, { level: 9 }).length;
  assert.ok(weight(await textOf(core)) <= 7 * 1024, `${weight(await textOf(core))} bytes`);
  const weights = [];
  for (const { name } of components) weights.push(weight(await textOf(`/_islands/c/${slug(name)}.js`)));
  weights.sort((a, b) => a - b);
  assert.ok(weights[20] <= 2048, `${weights}`);
});

test("the scripts beside the theme are made of its sources", async () => {
  const out = mkdtempSync(join(tmpdir(), "quire-vendor-"));
  const theme = fileURLToPath(new URL("../../queries/theme/vendor/", import.meta.url));
  const modules = fileURLToPath(new URL("node_modules", import.meta.url));
  execFileSync(process.execPath, [join(theme, "vendor.mjs"), modules, out]);
  for (const name of ["islands.min.js", "more.min.js"])
    assert.equal(readFileSync(join(theme, name), "utf8"), readFileSync(join(out, name), "utf8"), name);
  rmSync(out, { recursive: true, force: true });
});
