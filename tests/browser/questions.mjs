// Questions for a site that has none, made by rule from the files of its export: titles, headings, operations,
// operations with values, windows of two and three words, words that are not finished, and words with a slip.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** What `fetch` would answer for the files of the export in `folder`; `asked` counts what is read. */
export const readingFrom =
  (folder, asked = []) =>
  async (path) => {
    try {
      const bytes = readFileSync(join(folder, path));
      asked.push({ path, bytes: bytes.length });
      return new Response(bytes);
    } catch {
      return new Response(null, { status: 404 });
    }
  };

/** The script of the theme with this name. */
export const script = (name) => import(new URL(`../../queries/theme/js/${name}`, import.meta.url));

/** What searches the export in `folder` as a browser does. */
export async function searcherOf(folder, asked) {
  const { searcher } = await script("searcher.js");
  return searcher("/_search/", readingFrom(folder, asked), () => script("seldom.js"));
}

/** What asks the service of a preview. */
export async function serviceOf({ origin }) {
  const [, address] = /name="quire-search" content="([^"]*)"/.exec(await (await fetch(origin)).text());
  const ask = async (question, isAgain = false) => {
    const body = JSON.stringify({ ...question, sections: true });
    try {
      return await (
        await fetch(origin + address, { method: "POST", headers: { "content-type": "application/json" }, body })
      ).json();
    } catch (error) {
      // A connection that was kept open may be closed when it is used again.
      if (isAgain) throw error;
      return ask(question, true);
    }
  };
  return ask;
}

/** The addresses of the first five pages of an answer. */
export const firstFive = ({ results }) => results.slice(0, 5).map(({ url }) => plain(url));

/** An address without the slash that those of an export end in. */
export const plain = (url) => url.replace(/(?<=.)\/$/, "");

/** Every `count`-th part of `all`, at most `count`. */
const some = (all, count) => {
  const unique = [...new Set(all)].filter((text) => /[\p{L}\p{N}]/u.test(text));
  const step = Math.max(1, unique.length / count);
  return Array.from({ length: Math.min(count, unique.length) }, (_, i) => unique[Math.floor(i * step)]);
};

/** A word with two letters that changed places in its middle. */
const slipped = (word) => {
  const letters = [...word];
  const at = Math.floor(letters.length / 2);
  return [...letters.slice(0, at), letters[at + 1], letters[at], ...letters.slice(at + 2)].join("");
};

/** Questions by the rule that made them, `count` at most for each, from the export in `folder`. */
export function questionsOf(folder, count) {
  const piece = (name) => JSON.parse(gunzipSync(readFileSync(join(folder, "_search", name))));
  const contents = JSON.parse(readFileSync(join(folder, "_search/index.json"), "utf8"));
  const heads = contents.heads.flatMap(([, name]) => piece(name));
  const texts = contents.texts.flatMap(([, name]) => piece(name));
  const operations = contents.operations ? piece(contents.operations) : [];
  const titles = heads.map(({ title }) => title);
  const headings = texts.flatMap(({ sections }) => sections.map(([, heading]) => heading)).filter(Boolean);
  const sentences = texts
    .flatMap(({ description, sections }) => [description, ...sections.map(([, , text]) => text)])
    .flatMap((text) => text.split(/(?<=[.!?])\s|\n/))
    .filter((text) => /^\p{Lu}[^{}<>=]*[.!?]$/u.test(text));
  const windows = (texts, size) =>
    texts.flatMap((text) => {
      const words = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
      return words.slice(size - 1).map((_, i) => words.slice(i, i + size).join(" "));
    });
  const words = [...titles, ...headings].flatMap((text) => text.match(/[\p{L}\p{N}]+/gu) ?? []);
  const paths = operations.map(([, method, path]) => `${method} ${path}`);
  const filled = operations.map(([, method, path]) => `${method} ${path.replace(/\{[^}]*\}/g, "8f14")}`);
  const whole = operations.map(
    ([, , path]) => `https://api.example.com/v1${path.replace(/\{[^}]*\}/g, "8f14")}?limit=3`,
  );
  const lower = [...titles, ...headings].map((text) => text.toLowerCase());
  return {
    titles: some(titles, count),
    headings: some(headings, count),
    operations: some(paths, count),
    "operations with values": some(filled, count),
    addresses: some(whole, count),
    "two words of headings": some(windows(headings, 2), count),
    "three words of headings": some(windows(headings, 3), count),
    "two words of sentences": some(windows(sentences, 2), count),
    "three words of sentences": some(windows(sentences, 3), count),
    "unfinished words": some(
      words.filter((word) => [...word].length > 4).map((word) => [...word].slice(0, -2).join("")),
      count,
    ),
    "unfinished titles and headings": some(
      lower.filter((text) => text.length > 8).map((text) => text.slice(0, -3)),
      count,
    ),
    "words with a slip": some(words.filter((word) => [...word].length > 3).map(slipped), count),
    "questions with a slip": some(
      windows(sentences, 3)
        .filter((text) => /\p{L}{5}/u.test(text))
        .map((text) => text.replace(/\p{L}{5,}/u, slipped)),
      count,
    ),
  };
}

/** The words of each language of the export in `folder`, with their lists and how many pages have them. */
export function vocabulariesOf(folder) {
  const contents = JSON.parse(readFileSync(join(folder, "_search/index.json"), "utf8"));
  return contents.languages.map(({ code, words }) => ({
    code,
    words: words.flatMap(([, name]) => wordsOf(gunzipSync(readFileSync(join(folder, "_search", name))))),
  }));
}

/** The words of a piece of a vocabulary (`src/export/src/search/lists.rs`). */
function wordsOf(bytes) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  let [count, next, size] = [number(), number(), number()];
  const endings = bytes
    .subarray(at, at + size)
    .toString()
    .split("\n");
  at += size;
  let before = "";
  const words = Array.from({ length: count }, (_, i) => {
    before = before.slice(0, number()) + endings[i];
    return { word: before };
  });
  for (const word of words) word.pages = number();
  for (const word of words) {
    const back = number();
    word.list = back ? next - back : next++;
  }
  return words;
}
