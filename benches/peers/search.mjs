// Asks search engines of sites the questions in a folder: `node search.mjs FOLDER`. `documents.json` has the pages with
// their passages, `questions.json` the questions, `probes.json` those that only ours is asked, and `export/` the files
// of an export of them; `rankings.json` is written, by engine, with the routes for each question, best first. `npm ci`
// in the folder of this file installs all.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Charset, Document } from "flexsearch";
import MiniSearch from "minisearch";
import { close, createIndex } from "pagefind";

const folder = resolve(process.argv[2]);
const read = async (name) => JSON.parse(await readFile(join(folder, name), "utf8"));
const pages = await read("documents.json");
const questions = await read("questions.json");

/** How many pages are wanted: ten, after those that do not count were left out. */
const DEPTH = 30;

const sections = pages.flatMap((page, at) =>
  page.passages.map((passage, i) => {
    const titles = [page.title, ...passage.headings];
    return {
      id: `${at}#${i}`,
      page: at,
      title: titles.at(-1),
      titles: titles.slice(0, -1),
      text: `${passage.body}\n${passage.code}`,
    };
  }),
);

/** The pages of sections, each for its best one. */
const pagesOf = (found) => [...new Set(found.map(({ id }) => pages[Number(id.split("#")[0])].route))].slice(0, DEPTH);

/** As VitePress configures it: a document for each section. */
const miniSearch = () => {
  const fields = ["title", "titles", "text"];
  const searchOptions = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } };
  const index = new MiniSearch({ fields, storeFields: ["title", "titles"], searchOptions });
  index.addAll(sections);
  return (question) => pagesOf(index.search(question));
};

/** Words that begin so, in any number of them, as its manual has it for documents. */
const flexSearch = () => {
  const field = (name) => ({ field: name, tokenize: "forward", encoder: Charset.LatinBalance });
  const index = new Document({ document: { id: "id", index: ["title", "titles", "text"].map(field) } });
  for (const section of sections) index.add({ ...section, titles: section.titles.join(" ") });
  return (question) => pagesOf(index.search(question, { limit: 300, suggest: true, merge: true }));
};

const escaped = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const html = ({ title, passages }) => {
  const body = passages.map(({ headings, body, code }) => {
    const level = Math.min(6, headings.length + 1);
    const heading = headings.length ? `<h${level}>${escaped(headings.at(-1))}</h${level}>` : "";
    return `${heading}<p>${escaped(body)}</p>${code.trim() && `<pre><code>${escaped(code)}</code></pre>`}`;
  });
  return `<!doctype html><html lang="en"><head><title>${escaped(title)}</title></head><body><main data-pagefind-body><h1>${escaped(title)}</h1>${body.join("")}</main></body></html>`;
};

/** As it takes the pages of a site. */
const pagefind = async () => {
  const { index } = await createIndex();
  for (const page of pages) await index.addHTMLFile({ url: page.route, content: html(page) });
  const output = join(folder, "pagefind");
  // Not written by it: it does not wait for its files.
  for (const { path, content } of (await index.getFiles()).files) {
    const file = join(output, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await close();
  const base = "http://pagefind.invalid/pagefind/";
  globalThis.window = { location: new URL(base) };
  globalThis.location = globalThis.window.location;
  globalThis.document = { querySelector: () => ({ getAttribute: () => "en" }), currentScript: null };
  globalThis.fetch = async (address) =>
    new Response(await readFile(join(output, new URL(address, base).pathname.replace("/pagefind/", "/"))));
  await writeFile(join(output, "package.json"), '{"type":"module"}');
  const engine = await import(pathToFileURL(join(output, "pagefind.js")).href);
  await engine.options({ basePath: base, baseUrl: "/" });
  await engine.init();
  return async (question) => {
    const { results } = await engine.search(question);
    const shown = await Promise.all(results.slice(0, DEPTH).map((result) => result.data()));
    return shown.map(({ raw_url: raw, url }) => raw ?? url);
  };
};

/** What the browser does over the files of an export. */
const exported = async () => {
  const root = join(folder, "export");
  const { searcher } = await import(pathToFileURL(join(root, "searcher.js")).href);
  const address = `${pathToFileURL(root).href}/_search/`;
  const get = async (url) => {
    try {
      return new Response(await readFile(new URL(url)));
    } catch {
      return new Response("", { status: 404 });
    }
  };
  const search = await searcher(address, get);
  return async (question) =>
    (await search({ query: question, limit: DEPTH })).results.map(({ url }) =>
      url.slice(pathToFileURL(root).href.length),
    );
};

const rankings = {};
for (const [name, open] of Object.entries({
  minisearch: miniSearch,
  flexsearch: flexSearch,
  export: exported,
  pagefind,
})) {
  const rank = await open();
  const all = async (asked) => {
    const answers = [];
    for (const question of asked) answers.push(await rank(question));
    return answers;
  };
  rankings[name] = await all(questions);
  if (name === "export") rankings["export probes"] = await all(await read("probes.json"));
}
await writeFile(join(folder, "rankings.json"), JSON.stringify(rankings));
