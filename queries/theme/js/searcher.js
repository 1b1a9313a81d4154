// Searches the files of an exported site: a table of contents, lists of words in pieces, and the texts of pages in pieces, of
// which only those are read that a question needs. Files are named after what they hold, so none can be stale; where one
// is gone the site was built anew, and everything is read again.

// Words as the build cuts them: without case and accents, identifiers joined and by their parts, pairs where no blanks are.
const latin = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };
const fold = (text) => text.toLowerCase().normalize("NFD").replace(/(\p{Script=Latin})[\u0300-\u036f]+/gu, "$1").normalize("NFC").replace(/[ßæœøłđðþı]/g, (letter) => latin[letter]);
const unspaced = "[\\u0e01-\\u0e4e\\u0e81-\\u0ecd\\u1000-\\u109f\\u1780-\\u17d3\\u3005-\\u3007\\u3041-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\u1100-\\u11ff\\uac00-\\ud7a3\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}]";
const runs = new RegExp(`${unspaced}+|(?:(?!${unspaced})[\\p{Alphabetic}\\p{N}\\u0300-\\u036f\\u0900-\\u0963\\u0981-\\u0dff_])+`, "gu");
const isUnspaced = new RegExp(`^${unspaced}`, "u");

const partsOf = (word) =>
  word
    .split("_")
    .flatMap((piece) => piece.split(/(?<=[^\p{Lu}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u))
    .filter(Boolean)
    .map(fold);

/** The words of a question: as a whole, by their parts, and whether the question ends with it. */
const wordsOf = (text) => {
  const words = [];
  let end = -1;
  for (const match of text.matchAll(runs)) {
    const run = match[0];
    const isEnd = match.index + run.length === text.length;
    if (isUnspaced.test(run)) {
      const letters = [...run];
      if (letters.length === 1) words.push({ whole: run, parts: [], isEnd });
      for (let i = 0; i + 1 < letters.length; i += 1) words.push({ whole: letters[i] + letters[i + 1], parts: [], isEnd: isEnd && i + 2 === letters.length });
    } else if (!(end >= 0 && match.index === end + 1 && /['’]/.test(text[end]) && run.length <= 2)) {
      const parts = partsOf(run);
      if (parts.length) words.push({ whole: parts.join(""), parts: parts.length > 1 ? parts : [], isEnd });
    }
    end = match.index + run.length;
  }
  const seen = new Set();
  return words.filter((word) => !seen.has(word.whole) && seen.add(word.whole));
};

/** Reads the numbers in `bytes`, one after the other. */
const reader = (bytes, at = 0) => {
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[number.at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  number.at = at;
  return number;
};

/** The words of a piece, each with where its lists begin. */
const parsed = (buffer) => {
  const bytes = new Uint8Array(buffer);
  const number = reader(bytes);
  const decoder = new TextDecoder();
  const words = new Map();
  const families = [];
  let surface = "";
  for (let left = number(); left > 0; left -= 1) {
    const family = { surfaces: [], pages: 0, bytes, at: 0 };
    for (let forms = number(); forms > 0; forms -= 1) {
      const shared = number();
      const length = number();
      surface = surface.slice(0, shared) + decoder.decode(bytes.subarray(number.at, (number.at += length)));
      family.surfaces.push(surface);
      words.set(surface, [...(words.get(surface) ?? []), family]);
    }
    const length = number();
    family.at = number.at;
    family.pages = number();
    number.at = family.at + length;
    families.push(family);
  }
  return { words, families };
};

/** Calls `each` with every page of a family: its number, its worth, that of its title and address, and its sections. */
const lists = (family, each) => {
  const number = reader(family.bytes, family.at);
  const pages = number();
  const step = number() / 15000;
  let page = -1;
  for (let i = 0; i < pages; i += 1) {
    const packed = number();
    page += (packed >>> 5) + 1;
    const title = packed & 1 ? number() * step : 0;
    const sections = [];
    let section = -1;
    for (let left = number(); left > 0; left -= 1) {
      const packed = number();
      section += (packed >>> 4) + 1;
      sections.push([section, (packed & 15) * step]);
    }
    each(page, ((packed >>> 1) & 15) * step, title, sections);
  }
};

/** About thirty words around where the question is met best. */
const snippetOf = (text, wanted) => {
  if (text.length <= 200) return text;
  const words = [...text.matchAll(/\S+/g)];
  const hits = words.map((word) => {
    const [folded = ""] = fold(word[0]).match(/[\p{L}\p{N}]+/u) ?? [];
    return wanted.findIndex((want) => folded.startsWith(want) || (folded.length > 3 && want.startsWith(folded) && want.length - folded.length < 4));
  });
  let best = 0;
  let most = -1;
  for (let i = 0; i < words.length; i += 1) {
    if (i > 0 && hits[i] < 0) continue;
    const here = new Set(hits.slice(i, i + 26).filter((hit) => hit >= 0)).size;
    if (here > most) [best, most] = [i, here];
  }
  let from = Math.max(0, best - 5);
  // A sentence that begins close by is a better beginning.
  for (let i = Math.max(0, best - 10); i < best; i += 1) if (i === 0 || /[.!?:]$/.test(words[i - 1][0])) from = i;
  const to = Math.min(words.length, from + 32);
  const piece = text.slice(words[from].index, words[to - 1].index + words[to - 1][0].length);
  return `${from > 0 ? "… " : ""}${piece}${to < words.length ? " …" : ""}`;
};

/** Searches the files in the folder at `address`, which ends with a slash; answers like the service of a site. */
export const searcher = async (address, read = fetch) => {
  let contents = null;
  let files = new Map();

  const file = async (name, signal, options) => {
    const reply = await read(address + name, { signal, ...options });
    if (!reply.ok) throw Object.assign(new Error(`${name} answered ${reply.status}`), { isGone: reply.status === 404 });
    return reply;
  };
  const once = (name, make) => {
    if (!files.has(name)) {
      // Not given up with the question that asked first: the next one wants it too.
      const made = make();
      made.catch(() => files.delete(name));
      files.set(name, made);
    }
    return files.get(name);
  };
  const piece = (name) => once(name, async () => parsed(await (await file(name)).arrayBuffer()));
  const texts = (name) => once(name, async () => (await file(name)).json());

  const open = async () => {
    const read = await (await file("index.json", undefined, { cache: "no-cache" })).json();
    let first = 0;
    read.classOf = new Uint16Array(read.pages);
    let page = 0;
    for (const [kind, count] of read.runs) {
      read.classOf.fill(kind, page, page + count);
      page += count;
    }
    read.starts = read.words.map(([from]) => from);
    read.firsts = read.texts.map(([count]) => (first += count) - count);
    return read;
  };

  /** The pieces that hold `word`, and with `isPrefix` what begins with it; at most four. */
  const piecesOf = (word, isPrefix) => {
    const from = Math.max(0, contents.starts.findLastIndex((start) => start <= word));
    let to = from + 1;
    while (isPrefix && to < contents.starts.length && to < from + 4 && contents.starts[to].startsWith(word)) to += 1;
    return Promise.all(contents.words.slice(from, to).map(([, name]) => piece(name)));
  };

  /** What few questions need. */
  const seldom = () => import(contents.base + contents.seldom);

  /** The families that a word of the question stands for, each with its weight. */
  const alternatives = async (word, mayGrow) => {
    const found = new Map();
    const add = (family, weight) => found.set(family, Math.max(weight, found.get(family) ?? 0));
    const growing = mayGrow && word.length >= 2;
    const pieces = word ? await piecesOf(word, growing) : [];
    for (const { words } of pieces) for (const family of words.get(word) ?? []) add(family, 1);
    const isKnown = found.size > 0;
    if (growing && !(isKnown && word.length < 3)) {
      const longer = [];
      for (const { families } of pieces) {
        for (const family of families) {
          if (!found.has(family) && family.surfaces.some((surface) => surface.startsWith(word))) longer.push(family);
        }
      }
      for (const family of longer.sort((a, b) => b.pages - a.pages).slice(0, 8)) add(family, isKnown ? 0.5 : 0.8);
    }
    if (!found.size && word.length >= 4) {
      const { near } = await seldom();
      for (const { family, weight } of near(word, pieces)) add(family, weight);
    }
    return { found, isKnown };
  };

  const meant = async (word) => {
    const whole = await alternatives(word.whole, word.isEnd && !word.parts.length);
    if (whole.isKnown || !word.parts.length) return [whole.found];
    const parts = await Promise.all(word.parts.map((part, i) => alternatives(part, word.isEnd && i === word.parts.length - 1)));
    return parts.map((part) => part.found);
  };

  /** The words of a question that say something, in its language or that of most pages. */
  const telling = (text, language) => {
    const [, stop = ""] = contents.stop.find(([code]) => code === language?.split(/[-_]/)[0]) ?? contents.stop[0] ?? [];
    const all = wordsOf(text);
    const some = all.filter((word) => !stop.split(" ").includes(word.whole));
    return some.length ? some : all;
  };

  /** What is shown of a page, and with `isWhole` its other texts. */
  const recordOf = async (page, isWhole) => {
    const at = contents.firsts.findLastIndex((first) => first <= page);
    const [shown, rest] = await Promise.all(contents.texts[at].slice(1, isWhole ? 3 : 2).map((name) => name && texts(name)));
    const place = page - contents.firsts[at];
    return { ...shown[place], rest: rest?.[place] ?? [] };
  };

  const tools = { runs, isUnspaced, wordsOf, partsOf, piecesOf, lists, recordOf };

  const search = async ({ query, filter = {}, limit = 10 }) => {
    const text = query.trim().slice(0, 500);
    const words = telling(text, filter.language).slice(0, 16);
    const phrases = /["“”„]/.test(text) ? (await seldom()).phrasesOf(text, tools) : null;
    for (const whole of phrases?.words ?? []) if (!words.some((word) => word.whole === whole)) words.push({ whole, parts: [] });
    const asked = (await Promise.all(words.map(meant))).flat();
    for (const word of words) {
      // Words that mean the same on this site.
      for (const group of contents.synonyms) {
        if (!group.includes(word.whole)) continue;
        const others = await Promise.all(group.filter((other) => other !== word.whole).map((other) => alternatives(other, false)));
        const own = asked[words.indexOf(word)];
        for (const other of others) if (other.isKnown) for (const family of other.found.keys()) own?.set(family, Math.max(0.7, own.get(family) ?? 0));
      }
    }
    const allowed = contents.classes.map((kind) => Object.entries(filter).every(([key, value]) => !kind[key] || kind[key] === value));
    const pages = new Map();
    for (const word of asked) {
      // Of what a word may mean only the best counts.
      const best = new Map();
      for (const [family, weight] of word) {
        lists(family, (page, worth, title, sections) => {
          if (!allowed[contents.classOf[page]]) return;
          let own = best.get(page);
          if (!own) best.set(page, (own = { worth: 0, title: 0, sections: new Map() }));
          own.worth = Math.max(own.worth, worth * weight);
          own.title = Math.max(own.title, title * weight);
          for (const [section, worth] of sections) own.sections.set(section, Math.max(worth * weight, own.sections.get(section) ?? 0));
        });
      }
      for (const [page, { worth, title, sections }] of best) {
        let sum = pages.get(page);
        if (!sum) pages.set(page, (sum = { page, worth: 0, title: 0, sections: new Map() }));
        sum.worth += worth;
        sum.title += title;
        for (const [section, worth] of sections) sum.sections.set(section, worth + (sum.sections.get(section) ?? 0));
      }
    }
    const all = [...pages.values()];
    for (const page of all) page.best = page.title + Math.max(0, ...page.sections.values());
    const mostPage = Math.max(1e-9, ...all.map((page) => page.worth));
    const mostSection = Math.max(1e-9, ...all.map((page) => page.best));
    for (const page of all) {
      const boost = contents.classes[contents.classOf[page.page]].boost ?? 1000;
      page.score = ((page.worth / mostPage + page.best / mostSection) / 2) * (boost / 1000);
    }
    all.sort((a, b) => b.score - a.score || a.page - b.page);
    const first = phrases ? await phrases.hold(all, limit) : all.slice(0, limit);
    const wanted = words.flatMap((word) => [word.whole, ...word.parts]).filter(Boolean);
    const results = await Promise.all(
      first.map(async ({ page, score, sections, held }) => {
        const record = await recordOf(page);
        const kind = contents.classes[contents.classOf[page]];
        const ranked = [...sections].filter(([section]) => !held?.size || held.has(section)).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
        const [top, most] = ranked[0] ?? [];
        const shown = ranked.filter(([section, worth]) => record.sections[section]?.[0] && worth >= most * 0.5).slice(0, 3);
        const text = (section) => held?.get(section) ?? snippetOf(record.sections[section]?.[2] ?? "", wanted);
        return {
          title: record.title,
          url: contents.base + record.url,
          path: record.url,
          snippet: text(top) || record.description || text(0),
          score: Math.min(1, score),
          method: record.method,
          tab: kind.tab,
          sections: shown.map(([section, worth]) => ({ title: record.sections[section][1], anchor: record.sections[section][0], snippet: text(section), score: worth / most })),
        };
      }),
    );
    return { mode: "keyword", results };
  };

  return async (question, signal) => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        contents ??= await open();
        const answer = await search(question);
        signal?.throwIfAborted();
        return answer;
      } catch (error) {
        if (!error.isGone || attempt > 0) throw error;
        contents = null;
        files = new Map();
      }
    }
  };
};
