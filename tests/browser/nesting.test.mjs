// Components wherever Markdown lets them stand: what a browser makes of the HTML is what its tags mean. A paragraph
// with a block in it, a link in a link or a heading in a heading would be torn apart (HTML, 13.2.6.4.7).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { program, startBrowser } from "./support.mjs";

const museum = join(dirname(fileURLToPath(import.meta.url)), "../../fixtures/museum");

/** Each component and the elements of HTML, with a word in them. */
const components = {
  card: '<Card title="T" icon="star">qwert</Card>',
  cardhref: '<Card title="T" href="/index">qwert</Card>',
  cardself: '<Card title="qwert" />',
  note: "<Note>qwert</Note>",
  callout: '<Callout icon="star">qwert</Callout>',
  frame: '<Frame caption="qwert"><img src="/a.png" alt="x" /></Frame>',
  framee: "<Frame>qwert</Frame>",
  accordion: '<Accordion title="T">qwert</Accordion>',
  accgroup: '<AccordionGroup><Accordion title="T">qwert</Accordion></AccordionGroup>',
  steps: '<Steps><Step title="T">qwert</Step></Steps>',
  tabs: '<Tabs><Tab title="T">qwert</Tab></Tabs>',
  columns: '<Columns cols={2}><Card title="A">qwert</Card></Columns>',
  cardgroup: '<CardGroup cols={2}><Card title="A">qwert</Card></CardGroup>',
  column: "<Column>qwert</Column>",
  expandable: '<Expandable title="T">qwert</Expandable>',
  codegroup: "<CodeGroup>{`qwert`}</CodeGroup>",
  codeblock: "<CodeBlock>{`qwert`}</CodeBlock>",
  prompt: '<Prompt description="T">qwert</Prompt>',
  param: '<ParamField body="a" type="string">qwert</ParamField>',
  resp: '<ResponseField name="a" type="string">qwert</ResponseField>',
  badge: "<Badge>qwert</Badge>",
  tooltip: '<Tooltip tip="words">qwert</Tooltip>',
  tile: '<Tile title="qwert" href="/index" />',
  tree: '<Tree><Tree.Folder name="a"><Tree.File name="qwert" /></Tree.Folder></Tree>',
  color: '<Color><Color.Item name="qwert" value="#fff" /></Color>',
  heading: "<Heading level={2}>qwert</Heading>",
  zoom: '<ZoomImage src="/a.png" alt="qwert" />',
  icon: 'qwert <Icon icon="star" />',
  visibility: '<Visibility for="humans">qwert</Visibility>',
  link: '<Link href="/index">qwert</Link>',
  latex: "qwert <Latex>x + y</Latex>",
  mermaid: '<Mermaid chart="graph TD; qwert-->B" />',
  video: '<OptimizedVideo src="/a.mp4" title="qwert" />',
  update: '<Update label="T">qwert</Update>',
  view: '<View title="T">qwert</View>',
  github: '<GitHub.Repo repo="a/qwert" />',
  div: "<div>qwert</div>",
  pre: "<pre>qwert</pre>",
  ul: "<ul><li>qwert</li></ul>",
  table: "<table><tbody><tr><td>qwert</td></tr></tbody></table>",
  details: "<details><summary>T</summary>qwert</details>",
  p: "<p>qwert</p>",
  h3: "<h3>qwert</h3>",
  blockquote: "<blockquote>qwert</blockquote>",
  figure: "<figure>qwert</figure>",
  span: "<span>qwert</span>",
  snippet: "<S />",
  fragment: "<><Note>qwert</Note></>",
  map: "{[1].map((x) => <Card title='T'>qwert</Card>)}",
  img: '<img src="/a.png" alt="qwert" />',
};

/** Where in Markdown one may stand. */
const places = {
  between: (c) => `before\n${c}\nafter`,
  sentence: (c) => `before ${c} after`,
  first: (c) => `${c} after`,
  last: (c) => `before ${c}`,
  lastline: (c) => `before\n${c}`,
  firstline: (c) => `${c}\nafter`,
  tight: (c) => `- before ${c} after\n- next`,
  tightline: (c) => `- before\n  ${c}\n  after\n- next`,
  loose: (c) => `- before ${c} after\n\n- next`,
  looseline: (c) => `1. before\n\n   ${c}\n   after\n\n2. next`,
  cell: (c) => `| a | b |\n| --- | --- |\n| before ${c} after | x |`,
  headcell: (c) => `| before ${c} | b |\n| --- | --- |\n| y | x |`,
  heading: (c) => `## before ${c} after`,
  quote: (c) => `> before ${c} after`,
  quoteline: (c) => `> before\n> ${c}\n> after`,
  strong: (c) => `before **in ${c} in** after`,
  em: (c) => `before *in ${c} in* after`,
  mdlink: (c) => `before [in ${c} in](/index) after`,
  rawp: (c) => `<p>before ${c} after</p>`,
  rawspan: (c) => `before <span>in ${c} in</span> after`,
  rawa: (c) => `<a href="/index">in ${c} in</a>`,
  rawh2: (c) => `<h2>before ${c} after</h2>`,
  incard: (c) => `<Card title="O">\n  before\n  ${c}\n  after\n</Card>`,
  innote: (c) => `<Note>before ${c} after</Note>`,
  infield: (c) => `<ParamField body="z" type="string">before ${c} after</ParamField>`,
  intooltip: (c) => `before <Tooltip tip="w">in ${c} in</Tooltip> after`,
  insummary: (c) => `<details><summary>before ${c} after</summary>x</details>`,
  inlabel: (c) => `<label>before ${c} after</label>`,
  two: (c) => `before ${c} middle ${c} after`,
  brk: (c) => `before  \n${c}  \nafter`,
  footnote: (c) => `before[^1] after\n\n[^1]: note ${c} end`,
};

const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** The elements of `html` as its tags mean them, each with those that it stands in. */
const meantOf = (html) => {
  const stack = [];
  const paths = [];
  const re =
    /<!--[\s\S]*?-->|<(script|style|textarea|title)\b[^>]*>[\s\S]*?<\/\1>|<(\/?)([a-zA-Z][\w:-]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/g;
  for (const m of html.matchAll(re)) {
    if (m[1]) {
      paths.push([...stack, m[1]].join(">"));
      continue;
    }
    if (!m[3]) continue;
    const name = m[3].toLowerCase();
    if (m[2]) {
      const at = stack.lastIndexOf(name);
      if (at < 0 || at !== stack.length - 1) paths.push(`!!</${name}> in ${stack.slice(-3).join(">")}`);
      if (at >= 0) stack.length = at;
      continue;
    }
    paths.push([...stack, name].join(">"));
    if (!VOID.has(name) && !m[4].endsWith("/")) stack.push(name);
  }
  return paths;
};

let browser, page, folder;
before(async () => {
  browser = await startBrowser();
  page = await browser.newPage();
  folder = mkdtempSync(join(tmpdir(), "quire-nesting-"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The elements of `html` as a browser reads it. */
const treeOf = (html) =>
  page.evaluate((html) => {
    const paths = [];
    const walk = (node, above) => {
      for (const one of node.children) {
        const path = [...above, one.localName];
        paths.push(path.join(">"));
        walk(one.localName === "template" ? one.content : one, path);
      }
    };
    walk(new DOMParser().parseFromString(html, "text/html"), []);
    return paths;
  }, html);

const pagesOf = (out) =>
  readdirSync(out, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".html"))
    .sort();

/** Where in the pages of an export the tree is another one than the tags mean. */
async function tornIn(out) {
  const torn = [];
  for (const file of pagesOf(out)) {
    const html = readFileSync(join(out, file), "utf8");
    // Pages that lead on leave out what HTML implies.
    if (!html.includes("<head>")) continue;
    const [meant, tree] = [meantOf(html), await treeOf(html)];
    const at = meant.findIndex((path, i) => path !== tree[i]);
    if (at >= 0 || meant.length !== tree.length) torn.push({ file, meant: meant[at], tree: tree[at] });
  }
  return torn;
}

test("every component stands in every place of Markdown", async () => {
  const site = join(folder, "site");
  mkdirSync(join(site, "snippets"), { recursive: true });
  const all = Object.entries(components);
  for (const [name, place] of Object.entries(places)) {
    const texts = all.map(([own, component]) => place(component).replaceAll("[^1]", `[^${own}]`));
    // Without a line between them lists would be one.
    writeFileSync(
      join(site, `${name}.mdx`),
      `---\ntitle: T\n---\n\nimport S from "/snippets/s.mdx"\n\n${texts.join("\n\n---\n\n")}\n`,
    );
  }
  writeFileSync(join(site, "snippets/s.mdx"), "<Note>qwert</Note>\n");
  for (const file of ["a.png", "a.mp4"]) writeFileSync(join(site, file), "");
  writeFileSync(join(site, "index.mdx"), "# Home\n");
  writeFileSync(
    join(site, "docs.json"),
    JSON.stringify({
      name: "T",
      theme: "mint",
      colors: { primary: "#336699" },
      navigation: { pages: ["index", ...Object.keys(places)] },
    }),
  );
  execFileSync(program, ["build", site, "--out", join(folder, "out")], { stdio: "ignore" });
  assert.deepEqual(await tornIn(join(folder, "out")), []);
  // Nothing that was written is lost.
  const count = (text, word) => text.split(word).length - 1;
  for (const [name, place] of Object.entries(places)) {
    const html = readFileSync(join(folder, "out", name, "index.html"), "utf8");
    const body = html.slice(html.indexOf('id="content"'));
    for (const word of ["before", "middle", "after"])
      assert.ok(count(body, word) >= count(place(""), word) * all.length, `${name}: ${word}`);
    assert.ok(count(body, "qwert") >= all.length, `${name}: ${count(body, "qwert")} components`);
  }
});

test("the pages of the demonstration site are read as they are meant", async () => {
  const out = join(folder, "museum");
  execFileSync(program, ["build", museum, "--out", out], { stdio: "ignore" });
  assert.ok(pagesOf(out).length > 20);
  assert.deepEqual(await tornIn(out), []);
});
