// Searches the files of an exported site as its service would: the same words, the same numbers, added in the same
// order, so the same pages come first (`src/search/src/index/`). A table of contents says what there is; of the
// vocabulary, of lists of words and of pages only the pieces are read that a question needs. Files are named after what
// they hold, so none can be stale; where one is gone the site was built anew, and everything is read again.

// The service counts in single precision: what is equal there must be equal here.
const f = Math.fround;

// Words as the build cuts them: without case and accents, one of characters that mean the same, identifiers joined and
// by their parts, pairs where no blanks are. Letters that are no others with accents, such as `ø`, are written as
// `index.json` says.
/** @type {Record<string, string>} */
const spelt = {};
// Arabic is written in one way: without the article, signs of vowels and strokes that only fill a line
// (`src/search/src/index/arabic.rs`).
const letters = { آ: "ا", أ: "ا", إ: "ا", ٱ: "ا", ى: "ي", ی: "ي", ک: "ك", ة: "ه" };
const signs = /[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/g;
const bare = (word) => {
  if (!/[\u0600-\u06ff]/.test(word)) return word;
  const plain = word.replace(signs, "");
  const written = plain.replace(/[آأإٱىیکة]/g, (letter) => letters[letter]);
  const [article] = (!/[گپچژ]/.test(plain) && plain.match(/^(?:[وبكف]?ال|لل)(?=...)/)) || [""];
  return written.slice(article.length);
};
const isAscii = (text) => /^[\0-\x7f]*$/.test(text);
const lowerOf = (text) =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKC")
        .toLowerCase()
        .replace(/[^\p{Alphabetic}\p{N}\p{M}_]/gu, "");
const fold = (lower) =>
  isAscii(lower)
    ? lower
    : bare(lower)
        .normalize("NFD")
        .replace(/(\p{Script=Latin})[\u0300-\u036f]+/gu, "$1")
        .normalize("NFC")
        .replace(/[^\0-\x7f]/gu, (letter) => spelt[letter] ?? letter);
const unspaced =
  "[\\u0e01-\\u0e4e\\u0e81-\\u0ecd\\u1000-\\u109f\\u1780-\\u17d3\\u3005-\\u3007\\u3041-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\u1100-\\u11ff\\uac00-\\ud7a3\\uf900-\\ufaff\\uff66-\\uffdc\\u{20000}-\\u{3ffff}]";
const runs = new RegExp(
  `${unspaced}+|(?:(?!${unspaced})[\\p{Alphabetic}\\p{N}\\u0300-\\u036f\\u0900-\\u0963\\u0981-\\u0dff_])+`,
  "gu",
);
const isUnspaced = new RegExp(`^${unspaced}`, "u");
const word = (text, isEnd = false, parts = []) => {
  const lower = lowerOf(text);
  return { lower, typed: fold(lower), parts, isEnd };
};
const partsOf = (run) =>
  run
    .split("_")
    .flatMap((piece) => piece.split(/(?<=[^\p{Lu}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u))
    .filter(Boolean);

/** The runs of letters in `text` that words are made of. */
const runsOf = (text) => {
  let end = -2;
  return [...text.matchAll(runs)].filter(({ 0: run, index }) => {
    const isEnding = index === end + 1 && /['’]/.test(text[end]) && /[^_]/.test(text[end - 1]) && run.length <= 2;
    end = index + run.length;
    return !isEnding;
  });
};

/** Whether a run is data that nobody types: too long for a word, and not made of words as an identifier is. */
const isData = (run, parts) => {
  if ([...run].length <= 64) return false;
  const letters = run.replaceAll("_", "").length;
  const short = parts.filter((part) => part.length <= 2).length;
  const isOfWords =
    letters >= 4 * parts.length && short * 4 <= parts.length && Math.max(...parts.map((part) => part.length)) <= 32;
  return run.length > 256 || !isOfWords || run.replace(/[^0-9]/g, "").length * 10 > letters;
};

/**
 * The characters of a run of a language without blanks, each with where it begins and ends: marks are one with what
 * they stand on.
 */
const charactersOf = (run) =>
  [...run.matchAll(/.[\u3099\u309a\uff9e\uff9f\u1160-\u11ff\uffc2-\uffdc]*/gsu)].flatMap(({ 0: text, index }) =>
    [...text.normalize("NFKC")]
      .filter((letter) => isUnspaced.test(letter))
      .map((letter) => ({ letter, start: index, end: index + text.length })),
  );

/** Every two neighbors of a run of a language without blanks, or its only character. */
const pairsOf = (run) => {
  const all = charactersOf(run);
  if (all.length === 1) return [{ pair: all[0].letter, start: 0, end: run.length }];
  return all.slice(1).map(({ letter, end }, i) => ({ pair: all[i].letter + letter, start: all[i].start, end }));
};

// Codes: words that hyphens and dots join, with a digit in them (`src/search/src/index/codes.rs`).
const spaced = `(?:(?!${unspaced})[\\p{Alphabetic}\\p{N}\\u0300-\\u036f\\u0900-\\u0963\\u0981-\\u0dff_])+`;
const chains = new RegExp(`${spaced}(?:[-.\u2010\u2011]${spaced})+`, "gu");

/** A code as one word: a sign is part of it only between two digits. */
const spelled = (code) =>
  code.split(/([-.\u2010\u2011])/u).reduce((word, piece, i, all) => {
    if (i % 2) return word;
    const run = partsOf(piece).map(lowerOf).join("");
    const sign = /[0-9]$/.test(word) && /^[0-9]/.test(run) && i ? (all[i - 1] === "." ? "." : "-") : "";
    return word + sign + run;
  }, "");

/** The codes of a text, each with those within it that a hyphen separates, and where they stand. */
const codesOf = (text) => {
  const all = [...text.matchAll(chains)].filter(({ 0: code }) => /[0-9]/.test(code) && [...code].length <= 64);
  if (!all.length) return [];
  const starts = new Set(runsOf(text).map(({ index }) => index));
  return all
    .filter(({ index }) => starts.has(index))
    .map(({ 0: code, index }) => {
      const inner = [...code.matchAll(/[^-\u2010\u2011]+/gu)].filter(
        ([piece]) => piece !== code && piece.includes(".") && /[0-9]/.test(piece),
      );
      const within = [{ 0: code, index: 0 }, ...inner].map((one) => ({
        lower: spelled(one[0]),
        start: index + one.index,
        end: index + one.index + one[0].length,
      }));
      return { start: index, end: index + code.length, within };
    });
};

/**
 * The words of a text as a question, in order, without data of more than `most` letters.
 * @returns {any[]}
 */
const wordsOf = (text, most = 256, codes = []) =>
  runsOf(text).flatMap(({ 0: run, index }) => {
    const isEnd = (end) => index + end === text.length;
    const code = codes.find(({ start, end }) => index >= start && index < end);
    if (isUnspaced.test(run))
      return pairsOf(run).map(({ pair, end }) => ({ lower: pair, typed: pair, parts: [], isEnd: isEnd(end) }));
    const parts = partsOf(run);
    const isLong = isData(run, parts);
    if (isLong && run.length > most) return [];
    return {
      ...word(parts.join(""), isEnd(run.length), parts.length > 1 && !isLong ? parts.map((part) => word(part)) : []),
      code,
    };
  });

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

/** A piece of the vocabulary: words in order, on how many pages each stands as it is typed, and its list. */
const vocabulary = (bytes) => {
  const number = reader(bytes);
  const [count, first, size] = [number(), number(), number()];
  const endings = new TextDecoder().decode(bytes.subarray(number.at, number.at + size)).split("\n");
  number.at += size;
  let before = "";
  const words = Array.from({ length: count }, (_, i) => (before = before.slice(0, number()) + endings[i]));
  const pages = Uint32Array.from(words, number);
  let next = first;
  const lists = Uint32Array.from(words, () => {
    const back = number();
    return back ? next - back : next++;
  });
  return { words, pages, lists, places: new Map(words.map((word, i) => [word, i])) };
};

/** Where each list of a piece begins. */
const listsOf = (bytes) => {
  const found = [];
  for (const number = reader(bytes); number.at < bytes.length; ) {
    const size = number();
    found.push({ bytes, at: number.at });
    number.at += size;
  }
  return found;
};

/** The pages of a list, each with its passages; what stands there how often, by kind. */
const decoded = ({ bytes, at }) => {
  const number = reader(bytes, at);
  let page = -1;
  return Array.from({ length: number() }, () => {
    const packed = number();
    page += (packed >>> 4) + 1;
    const times = [packed & 1 ? number() : 0, 0, 0];
    const place = packed & 1 ? number() : 0;
    for (const kind of [1, 2]) if ((packed >>> kind) & 1) times[kind] = number();
    let ordinal = -1;
    const passages = Array.from({ length: packed & 8 ? number() : 0 }, () => {
      const packed = number();
      ordinal += (packed >>> 5) + 1;
      const has = [0, 1, 2, 3].map((kind) => (packed >>> kind) & 1);
      const times = has.map((has) => (has && packed & 16 ? number() : has));
      return { ordinal, times, place: has[0] ? number() : 0 };
    });
    return { page, times, place, passages };
  });
};

/** How many words stand in each kind of part of pages, and of their passages. */
const sizesOf = (bytes) => {
  const pages = [];
  for (const number = reader(bytes); number.at < bytes.length; ) {
    const sizes = [number(), number(), number(), number()];
    const passages = Array.from({ length: number() }, () => [number(), number(), number()]);
    for (const kind of [1, 2]) sizes.push(passages.reduce((sum, sizes) => sum + sizes[kind], 0));
    pages.push({ sizes, passages });
  }
  return pages;
};

/**
 * `text` with blanks in the place of Chinese, Japanese and Korean words that only ask
 * (`src/search/src/index/stop_words.rs`).
 */
const withoutAsking = (text, asking) => {
  if (!/[\u3041-\u9fff\uac00-\ud7a3]/.test(text)) return text;
  const [chinese, japanese, korean] = asking.map((words) => words.split(" "));
  const blank = (run) => " ".repeat(run.length);
  // Japanese writes things with the same signs.
  const words = /[\u3041-\u30ff]/.test(text) ? [] : [...chinese].sort((a, b) => b.length - a.length);
  const isAsking = (kana) => {
    const ends = new Set([0]);
    for (let at = 0; at < kana.length; at += 1)
      if (ends.has(at)) for (const word of japanese) if (kana.startsWith(word, at)) ends.add(at + word.length);
    return ends.has(kana.length);
  };
  const left = text
    .replace(/[\uac00-\ud7a3]+/g, (run) => (korean.includes(run) ? blank(run) : run))
    .replace(/[\u3041-\u309f]+/g, (run) => (isAsking(run) ? blank(run) : run))
    .replace(new RegExp(words.join("|") || "(?!)", "g"), blank);
  // Signs are found by pairs: one that has lost its neighbors finds nothing.
  const lone = (text) => (text.match(/[\u3041-\u9fff\uac00-\ud7a3]+/g) ?? []).filter((run) => run.length === 1).length;
  return lone(left) === lone(text) && /[\p{Alphabetic}\p{N}]/u.test(left) ? left : text;
};

/** Letters and digits in lower case, by which a title is compared with what is typed. */
const lettersOf = (text) => text.replace(/[^\p{Alphabetic}\p{N}]/gu, "").toLowerCase();

// How many mistyped words are corrected together.
const maxTogether = 8;

/** The piece that holds number `at`, of pieces that begin with `starts`. */
const holding = (starts, at) => starts.findLastIndex((start) => start <= at);
const startsOf = (pieces) => {
  let sum = 0;
  return pieces.map(([count]) => {
    sum += count;
    return sum - count;
  });
};

/** What makes single the numbers of `value`. */
const single = (value) => (typeof value === "number" ? f(value) : Array.isArray(value) ? value.map(single) : value);

/** A searcher of the files below `address`. `read` gets them: the network, unless a test has other means. */
export const searcher = (address, read = fetch, load = (path) => import(path)) => {
  let contents = null;
  let files = new Map();
  let kept = new Map();
  let ready = new Map();

  const file = async (name, options = {}) => {
    const reply = await read(address + name, options);
    if (!reply.ok) throw Object.assign(new Error(`${name} answered ${reply.status}`), { isGone: reply.status === 404 });
    return reply;
  };
  /** What `make` makes of a file, which is read once. */
  const once = (name, make) => {
    if (!files.has(name)) {
      // Not given up with the question that asked first: the next one wants it too.
      const made = file(name)
        .then((reply) => new Response(reply.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer())
        .then((buffer) => make(new Uint8Array(buffer)));
      made.then((value) => ready.set(name, value)).catch(() => files.delete(name));
      files.set(name, made);
    }
    return files.get(name);
  };
  const json = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

  const open = async () => {
    const read = await (await file("index.json", { cache: "no-cache" })).json();
    read.classOf = new Uint16Array(read.pages);
    let page = 0;
    for (const [kind, count] of read.runs) {
      read.classOf.fill(kind, page, page + count);
      page += count;
    }
    Object.assign(spelt, read.letters);
    for (const [key, value] of Object.entries(read.weights)) read.weights[key] = single(value);
    for (const kind of ["sizes", "heads", "texts"]) read[`${kind}At`] = startsOf(read[kind]);
    for (const language of read.languages) {
      language.listsAt = startsOf(language.lists);
      language.stop = new Set(language.stop.split(" "));
    }
    return read;
  };

  /** What few questions need. */
  const seldom = () => load(contents.base + contents.seldom);

  /** What the pieces of `kind` say of each of `pages`, by page. */
  const ofPages = async (kind, pages, make) => {
    const starts = contents[`${kind}At`];
    const wanted = new Set(pages.map((page) => holding(starts, page)));
    /** @returns {Promise<[number, any]>} */
    const read = async (at) => [at, await once(contents[kind][at][1], make)];
    const pieces = new Map(await Promise.all([...wanted].map(read)));
    return (page) => {
      const at = holding(starts, page);
      return pieces.get(at)[page - starts[at]];
    };
  };

  /** The pieces of a vocabulary from that with `word` on, as far as words begin with it. */
  const piecesOf = (language, word, isPrefix) => {
    const { words } = language;
    const from = Math.max(
      0,
      words.findLastIndex(([first]) => first <= word),
    );
    let to = from + 1;
    while (isPrefix && to < words.length && words[to][0].startsWith(word)) to += 1;
    return Promise.all(words.slice(from, to).map(([, name]) => once(name, vocabulary)));
  };

  /** The lists that a word is looked up by, and what tells it from others. */
  const formsOf = async (language, word) => {
    if (word.lists) return word;
    const lists = new Set();
    for (const spelling of word.typed ? [word.lower, word.typed] : []) {
      const [{ places, lists: all }] = await piecesOf(language, spelling);
      if (places.has(spelling)) lists.add(all[places.get(spelling)]);
    }
    let stem;
    if (!lists.size && word.typed && language.code === "en") {
      const tools = await seldom();
      stem = tools.stem(word.typed);
      const [list] = tools.byStem(stem, await piecesOf(language, tools.alike(stem), true));
      if (list !== undefined) lists.add(list);
    }
    word.lists = [...lists];
    word.key = word.lists[0] ?? `${stem ?? word.typed}`;
    return word;
  };

  /** The words of a text as a question, without those that say nothing unless there are no others. */
  const questionOf = async (language, text, codes) => {
    const all = wordsOf(withoutAsking(text, contents.asking), 256, codes);
    await Promise.all(all.flatMap((word) => [word, ...word.parts]).map((word) => formsOf(language, word)));
    const seen = new Set();
    // A word that also stands by itself is no mere piece of a code.
    const alone = new Set(all.filter(({ code }) => !code).map(({ key }) => key));
    for (const word of all) if (alone.has(word.key)) word.code = undefined;
    const words = all.filter(({ key }) => !seen.has(key) && seen.add(key));
    const telling = words.filter(({ typed }) => !language.stop.has(typed));
    return telling.length ? telling : words;
  };

  /** What an unfinished word may become. */
  const completionsOf = async (language, { typed }) => {
    if ([...typed].length < 3 && /^[\0-\x7f]*$/.test(typed)) return [];
    const found = [];
    for (const { words, pages, lists } of await piecesOf(language, typed, true)) {
      let [from, to] = [0, words.length];
      while (from < to) {
        const middle = (from + to) >>> 1;
        if (words[middle] < typed) from = middle + 1;
        else to = middle;
      }
      for (; words[from]?.startsWith(typed); from += 1)
        if (pages[from] && words[from] !== typed)
          found.push({ word: words[from], pages: pages[from], list: lists[from] });
    }
    return found;
  };

  /**
   * `words` with the codes that the pages have behind them, without the single characters of codes
   * (`src/search/src/index/expand.rs`).
   */
  const withCodes = async (language, words, codes, size) => {
    if (!codes.length) return words;
    const added = [];
    for (const code of codes) {
      for (const { lower, end } of code.within) {
        const isWhole = end === code.end && lower === code.within[0].lower;
        const one = await formsOf(language, {
          lower,
          typed: fold(lower),
          parts: [],
          isEnd: end === size,
          code: isWhole ? undefined : code,
        });
        if (isWhole) code.isKnown = one.lists.length > 0;
        if ([...words, ...added].some(({ key }) => key === one.key)) continue;
        if (one.lists.length || (one.isEnd && (await completionsOf(language, one)).length)) added.push(one);
      }
    }
    const isLone = ({ code, typed }) => code && [...typed].length === 1;
    return !added.length && words.every(isLone) ? words : [...words.filter((word) => !isLone(word)), ...added];
  };

  /**
   * What `words` ask for, as lists, each with what it is worth and which of them it answers
   * (`src/search/src/index/expand.rs`).
   */
  const termsOf = async (language, words, weights) => {
    let terms = new Map();
    /** What words that were corrected are near to, as they are typed, in order. */
    const corrected = new Map();
    const chosen = new Map();
    const known = ({ lists }, weight, asked) => {
      for (const list of lists) {
        const before = terms.get(list);
        if (before) before.weight = Math.max(before.weight, weight);
        else terms.set(list, { list, weight, asked });
        return true;
      }
      return false;
    };
    /**
     * Adds the words of `found` that stand on most pages, as many as `limit`; the first in the alphabet among equals.
     */
    const most = (found, limit, weight, asked) => {
      found.sort((a, b) => b.pages - a.pages || (a.word < b.word ? -1 : 1));
      for (const { list } of found.slice(0, limit)) known({ lists: [list] }, weight, asked);
      return found.length > 0;
    };
    const unfinished = async (word, weight, asked) =>
      most(await completionsOf(language, word), weights.max_unfinished, weight, asked);
    const mistyped = async ({ typed }, asked, isUnfinished) => {
      const letters = [...typed].length;
      // What is longer was not typed by hand.
      if (letters < 4 || letters > 64) return;
      if (chosen.has(typed)) {
        const { list, slips } = chosen.get(typed);
        known({ lists: [list] }, weights.mistyped[slips - 1], asked);
        return;
      }
      const { near, holding } = await seldom();
      const pieces = await piecesOf(language, "", true);
      const found = near(typed, letters < 8 ? 1 : 2, pieces);
      const slips = found.findIndex((words) => words.length);
      if (slips < 0) most(holding(typed, pieces), weights.max_holding, weights.holding, asked);
      else {
        most([...found[slips]], weights.max_mistyped, weights.mistyped[slips - 1], asked);
        // One that may be the beginning of another may be typed right.
        if (!isUnfinished && corrected.size < maxTogether) corrected.set(typed, found);
      }
    };
    const all = async () => {
      terms = new Map();
      for (const [asked, word] of words.entries()) {
        if (word.code?.isKnown) {
          if (!known(word, weights.piece_of_code, asked))
            for (const part of word.parts) known(part, weights.piece_of_code, asked);
          continue;
        }
        const isKnown = known(word, 1, asked);
        const isUnfinished = word.isEnd && (await unfinished(word, weights.unfinished[isKnown ? 0 : 1], asked));
        if (isKnown) continue;
        if (!word.parts.length) await mistyped(word, asked, isUnfinished);
        for (const part of word.parts) if (!known(part, 1, asked)) await mistyped(part, asked, isUnfinished);
      }
    };
    await all();
    if (corrected.size > 1) {
      const { correctionsOf, together } = await seldom();
      const placed = [...corrected.values()].map(async (near) =>
        (await pagesOf(language, correctionsOf(near))).map((one) => ({
          ...one,
          on: new Set(one.pages.map(({ page }) => page)),
          sections: new Set(
            one.pages.flatMap(({ page, passages }) => passages.map(({ ordinal }) => `${page} ${ordinal}`)),
          ),
        })),
      );
      const found = together(await Promise.all(placed));
      for (const [i, typed] of [...corrected.keys()].entries()) if (found[i]) chosen.set(typed, found[i]);
      // From the beginning: scores are added up in the order of the words.
      if (chosen.size) await all();
    }
    const placeOf = (name) => words.findIndex((word) => word.typed === name.typed && word.key === name.key);
    for (const group of contents.synonyms) {
      const names = await Promise.all(group.map((name) => questionOf(language, name)));
      const said = names.find((name) => name.length && name.every((word) => placeOf(word) >= 0));
      for (const name of said ? names.flat() : []) known(name, weights.other_name, placeOf(said[0]));
    }
    // Other names of the field, of one word, for what is asked for.
    const met = words.map((_, asked) => [...terms.values()].some((term) => term.asked === asked && term.weight >= 1));
    const isAsked = (key) => words.some((word) => word.key === key);
    for (const [asked, { key }] of words.entries()) {
      for (const group of language.names ?? []) {
        if (!group.some((name) => name[0] === key && name.every(isAsked))) continue;
        for (const [name, ...more] of group)
          if (!more.length && typeof name === "number" && !isAsked(name))
            known({ lists: [name] }, weights.name_of_field[met[asked] ? 0 : 1], asked);
      }
    }
    return [...terms.values()];
  };

  /** The pages of each of `terms`. */
  const pagesOf = (language, terms) =>
    Promise.all(
      terms.map(async (term) => {
        const at = holding(language.listsAt, term.list);
        const name = language.lists[at][1];
        const key = `${name} ${term.list}`;
        if (!kept.has(key)) {
          if (kept.size > 200) kept = new Map();
          kept.set(key, decoded((await once(name, listsOf))[term.list - language.listsAt[at]]));
        }
        return { ...term, pages: kept.get(key) };
      }),
    );

  /** Adds up what words are worth (`src/search/src/index/rank.rs`). */
  const sumsOf = (weights) => {
    const { k1, b, kinds, tie, uncovered } = weights;
    const pages = new Map();
    const rarities = [];
    let [count, unknown] = [0, 0];
    /** Says of how many words the question is, on so many pages of a language. */
    const expect = (words, all) => {
      count = Math.max(count, Math.min(64, words));
      unknown = Math.max(unknown, f(Math.log(f(1 + f(f(all + 0.5) / 0.5)))));
    };
    const rarity = (all, holders) => f(Math.log(f(1 + f(f(f(all - holders) + 0.5) / f(holders + 0.5)))));
    const curve = (weight, kind, all, holders, words) => {
      const most = f(f(f(weight * kinds[kind]) * rarity(all, holders)) * f(k1 + 1));
      const fixed = f(k1 * f(1 - b));
      const byWord = words ? f(f(f(k1 * b) * all) / words) : 0;
      return (times, length) => f(f(most * times) / f(f(times + fixed) + f(byWord * length)));
    };
    const add = (
      { weight, asked, pages: list },
      { pages: allPages, passages: allPassages, page_words, passage_words },
      sizeOf,
    ) => {
      const place = Math.min(asked, 63);
      const isOf = [0, 1, 2].map((kind) =>
        list.reduce((sum, { page, times }) => sum + (times[kind] ? Math.max(1, sizeOf(page).passages.length) : 0), 0),
      );
      const inPassages = [0, 0, 0];
      const onPages = [0, 0, 0, 0, 0, 0];
      let holders = 0;
      for (const one of list) {
        one.all ??= [...one.times, 0, 0, 0];
        if (!one.isSummed) {
          for (const { times } of one.passages)
            for (const [kind, at] of [
              [3, 0],
              [4, 2],
              [5, 3],
            ])
              one.all[kind] += times[at];
          one.isSummed = true;
        }
        for (const { times } of one.passages) {
          if (times[0] || times[1]) inPassages[0] += 1;
          if (times[2]) inPassages[1] += 1;
          if (times[3]) inPassages[2] += 1;
        }
        for (const [kind, times] of one.all.entries()) if (times) onPages[kind] += 1;
        if (one.all.some(Boolean)) holders += 1;
      }
      const shared = isOf.map((holders, kind) => curve(weight, kind, allPassages, holders, passage_words[kind]));
      const own = inPassages.map((holders, kind) =>
        curve(weight, 3 + kind, allPassages, holders, passage_words[3 + kind]),
      );
      const whole = onPages.map((holders, kind) => curve(weight, kind, allPages, holders, page_words[kind]));
      rarities[place] = Math.max(rarities[place] ?? 0, f(rarity(allPages, holders) * weight));
      for (const { page, times, all, passages } of list) {
        const { sizes, passages: lengths } = sizeOf(page);
        let sum = pages.get(page);
        if (!sum) {
          const [own, ownHas] = [new Map(), new Map()];
          const [sharedHas, has, titled] = [new Set(), new Set(), new Set()];
          sum = { page, words: sizes[0], whole: 0, shared: 0, own, ownHas, sharedHas, has, titled };
          pages.set(page, sum);
        }
        for (const kind of [0, 1, 2]) {
          if (!times[kind]) continue;
          sum.sharedHas.add(place);
          sum.shared = f(sum.shared + shared[kind](times[kind], sizes[kind]));
        }
        for (const {
          ordinal,
          times: [heading, above, body, code],
        } of passages) {
          let worth = sum.own.get(ordinal) ?? 0;
          for (const [kind, times] of [heading + above, body, code].entries())
            if (times) worth = f(worth + own[kind](times, lengths[ordinal]?.[kind] ?? 0));
          sum.own.set(ordinal, worth);
          sum.ownHas.set(ordinal, new Set(sum.ownHas.get(ordinal)).add(place));
        }
        if (!all.some(Boolean)) continue;
        sum.has.add(place);
        if (times[0]) sum.titled.add(place);
        let [best, every] = [0, 0];
        for (const [kind, times] of all.entries()) {
          if (!times) continue;
          const worth = whole[kind](times, sizes[kind]);
          best = Math.max(best, worth);
          every = f(every + worth);
        }
        sum.whole = f(sum.whole + f(best + f(tie * f(every - best))));
      }
    };
    /**
     * The pages that are wanted, each with what its words are worth beside the best, 0 to 1, and its passages, best
     * first.
     */
    const best = (isWanted) => {
      const found = [...pages.values()].filter(({ page, whole }) => whole > 0 && isWanted(page));
      const asked = Array.from(rarities, (worth) => worth ?? 0);
      const all = asked.reduce((sum, worth) => f(sum + worth), 0);
      const share = (worth, most) => (most > 0 ? f(worth / most) : 0);
      // What the whole question is worth, with words that no page has, and what a passage may get for it.
      let whole = 0;
      for (let i = 0; i < Math.max(count, asked.length); i += 1) whole = f(whole + (asked[i] > 0 ? asked[i] : unknown));
      const attainable = f(whole * f(k1 + 1));
      for (const one of found) {
        const worths = [...one.own].map(([ordinal, own]) => [ordinal, f(own + one.shared)]);
        one.passage = worths.reduce((most, [, worth]) => Math.max(most, worth), one.shared);
        const held = (places) =>
          all > 0 ? f(asked.reduce((sum, worth, place) => (places.has(place) ? f(sum + worth) : sum), 0) / all) : 1;
        one.coverage = f(uncovered + f(f(1 - uncovered) * held(one.has)));
        const words = Math.max(1, one.words);
        const own = f(Math.sqrt(Math.min(1, f(one.titled.size / words))));
        one.title = one.titled.size ? f(held(one.titled) * own) : 0;
        // How sure a passage is (`src/search/src/index/confidence.rs`).
        const of = (places) => share(f(held(places) * all), whole);
        const title = f(of(one.titled) * own);
        const sure = (worth, coverage) => {
          const figures = [1, Math.min(1.5, share(worth, attainable)), coverage, title];
          return f(
            1 / f(1 + f(Math.exp(-figures.reduce((sum, figure, i) => f(sum + f(figure * weights.confidence[i])), 0)))),
          );
        };
        one.sure = sure(one.shared, of(one.sharedHas));
        one.passages = worths.map(([ordinal, worth]) => {
          const coverage = of(new Set([...one.ownHas.get(ordinal), ...one.sharedHas]));
          return [ordinal, worth, coverage, sure(worth, coverage)];
        });
      }
      const mostWhole = found.reduce((most, { whole }) => Math.max(most, whole), 0);
      const mostPassage = found.reduce((most, { passage }) => Math.max(most, passage), 0);
      for (const one of found) {
        for (const passage of one.passages)
          passage[1] = f(share(passage[1], mostPassage) * f(uncovered + f(f(1 - uncovered) * passage[2])));
        one.passages.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
        if (one.passages.length) one.sure = Math.max(...one.passages.map(([, , , sure]) => sure));
      }
      for (const one of found)
        one.both = f(f(share(one.whole, mostWhole) + share(one.passage, mostPassage)) * one.coverage);
      const top = found.reduce((most, { both }) => Math.max(most, both), 0);
      for (const one of found) one.score = f(share(one.both, top) + f(weights.title * one.title));
      return found;
    };
    return { add, best, expect };
  };

  /** Whether a question looks something up (`src/search/src/index/lookup.rs`). */
  const looksUp = (text) => {
    const { methods, words, signs } = contents.lookup;
    return text.split(/\s+/).some((word) => {
      const bare = word.replace(/^[?!,;"']+|[?!,;"']+$/g, "");
      return (
        /[a-z][A-Z]/.test(bare) ||
        [...signs].some((sign) => bare.includes(sign)) ||
        words.includes(bare.toLowerCase()) ||
        methods.includes(bare)
      );
    });
  };

  /** How much each operation is the one whose path the question is, by page. */
  const operationsLike = async (text, partly) => {
    const likeness = new Map();
    const { methods } = contents.lookup;
    const [first, second, ...more] = text.trim().split(/\s+/);
    const isMethod = methods.includes(first.toUpperCase());
    const target = isMethod ? second : first;
    if (!contents.operations || !target || more.length || (!isMethod && second)) return likeness;
    const path =
      /^.*?:\/\/[^/]*\/(.*)$/.exec(target)?.[1] ?? (target.includes("://") ? "" : (/^\/(.*)$/.exec(target)?.[1] ?? ""));
    const split = (path) => path.split(/[?#]/)[0].split("/").filter(Boolean);
    const wanted = split(path);
    if (!wanted.length) return likeness;
    for (const [page, method, path] of await once(contents.operations, json)) {
      const known = path.split("?")[0].split("/").filter(Boolean);
      if ((isMethod && method !== first.toUpperCase()) || !known.length || known.length > wanted.length) continue;
      // What stands before the path of an operation may be that of its server.
      const own = wanted.slice(wanted.length - known.length);
      const fixed = own.filter((part, i) => part === known[i]).length;
      if (!fixed || !own.every((part, i) => part === known[i] || known[i].includes("{"))) continue;
      const place = methods.includes(method) ? methods.indexOf(method) : methods.length;
      likeness.set(page, { likeness: f(partly + f(f(1 - partly) * f(fixed / wanted.length))), place });
    }
    return likeness;
  };

  const tools = { runsOf, isUnspaced, charactersOf, isData, wordsOf, partsOf, lowerOf, fold, formsOf, pagesOf };

  /** The pages that answer a question, best first (`src/search/src/index/candidates.rs`). */
  const ranked = async (text, filter, languages) => {
    const { weights } = contents;
    const sums = sumsOf(weights);
    const [titles, headings] = [new Set(), new Set()];
    const marks = new Map();
    const phrases = /["“”„]/.test(text) ? (await seldom()).phrasesOf(text, tools) : null;
    for (const language of languages) {
      const codes = codesOf(text);
      const words = await questionOf(language, text, codes);
      const count = words.length;
      const asked = [...(await withCodes(language, words, codes, text.length))];
      for (const word of phrases?.words ?? []) asked.push(await formsOf(language, { ...word }));
      const terms = await pagesOf(language, await termsOf(language, asked, weights));
      const all = terms.flatMap(({ pages }) => pages.map(({ page }) => page));
      const sizeOf = await ofPages("sizes", [...new Set(all)], sizesOf);
      sums.expect(asked.length, language.totals.pages);
      for (const term of terms) sums.add(term, language.totals, sizeOf);
      marks.set(language.code, { language, lists: new Set(terms.map(({ list }) => list)) });
      // A title or heading is what is asked for if each of its words has its place there.
      const places = words.map((_, i) => 1 + (count * (count - 1)) / 2 + i);
      const titled = words.map(
        ({ lists: [list] }) =>
          terms.find((term) => term.list === list) ??
          (list === undefined || !codes.length ? null : pagesOf(language, [{ list }])),
      );
      const lists = (await Promise.all(titled)).flat().map((term) => term?.pages);
      for (const { page, passages } of lists.every(Boolean) ? (lists[0] ?? []) : []) {
        const others = lists.map((list) => list.find((one) => one.page === page));
        if (others.every((one, i) => one?.place === places[i])) titles.add(page);
        if (
          passages.some(({ ordinal }) =>
            others.every((one, i) =>
              one?.passages.some((passage) => passage.ordinal === ordinal && passage.place === places[i]),
            ),
          )
        )
          headings.add(page);
      }
    }
    const classOf = (page) => contents.classes[contents.classOf[page]];
    const isWanted = (page) => {
      const { tab, version, language } = classOf(page);
      return (
        (!filter.tab || tab === filter.tab) &&
        (!filter.version || !version || version === filter.version) &&
        (!filter.language || base(language ?? "en") === base(filter.language))
      );
    };
    const found = sums.best(isWanted);
    // What pages are for, for this question.
    const isLookedUp = looksUp(text);
    const isShort = text.trim().split(/\s+/).length <= 1;
    const isReference = (kind) => ["reference", "operation", "schema"].includes(kind);
    const ofKind = (kind) => {
      if (isLookedUp) return 1;
      const own =
        {
          reference: weights.reference,
          operation: weights.operation,
          schema: weights.operation,
          changelog: weights.changelog,
        }[kind] ?? 1;
      return isShort && isReference(kind) ? f(own * weights.one_word) : own;
    };
    const headOf = await ofPages(
      "heads",
      found.filter(({ page }) => titles.has(page)).map(({ page }) => page),
      json,
    );
    const asked = namedVersion(text);
    for (const one of found) {
      const { kind, old, version } = classOf(one.page);
      const isOther = asked ? version && version !== asked : old && !filter.version;
      const ofVersion = asked && version === asked ? weights.named_version : isOther ? weights.old_version : 1;
      one.score = f(one.score * f(ofVersion * ofKind(kind)));
      const isSame = titles.has(one.page) && lettersOf(headOf(one.page).title) === lettersOf(text);
      if (titles.has(one.page) && (isSame || isLookedUp || !isReference(kind))) {
        // Who types a whole title looks that page up.
        if (isSame && !isShort) one.score = f(one.score / ofKind(kind));
        if (isSame) one.score = f(one.score + f(weights.same_title * weights.by_words));
        one.score = f(one.score + f(weights.exact_title * weights.by_words));
      } else if (headings.has(one.page)) one.score = f(one.score + f(weights.exact_heading * weights.by_words));
    }
    const named = await operationsLike(text, weights.partly_operation);
    for (const [page, { likeness }] of named) {
      const worth = f(weights.exact_operation * likeness);
      const known = found.find((one) => one.page === page);
      if (known) known.score = f(known.score + worth);
      else if (isWanted(page)) found.push({ page, score: worth, passages: [] });
    }
    for (const one of found) {
      const { boost } = classOf(one.page);
      if (boost !== undefined) one.score = f(one.score * f(f(Math.max(0, boost) / 1000) ** weights.boost));
    }
    // Of operations of one path that are worth the same the one with the earlier method.
    const placeOf = ({ page }) => named.get(page)?.place ?? contents.lookup.methods.length + 1;
    found.sort((a, b) => b.score - a.score || placeOf(a) - placeOf(b) || a.page - b.page);
    return { found, marks, phrases };
  };

  /** The words of a text that are asked for, and where they stand. */
  const matchesOf = (text, wanted) => {
    const at = (word, start, length) =>
      wanted.has(word) ? [{ start, end: start + length, list: wanted.get(word) }] : [];
    const codes = codesOf(text).flatMap(({ within }) =>
      within.flatMap(({ lower, start, end }) => at(fold(lower), start, end - start)),
    );
    const words = runsOf(text).flatMap(({ 0: run, index }) => {
      if (isUnspaced.test(run))
        return pairsOf(run).flatMap(({ pair, start, end }) => at(pair, index + start, end - start));
      const parts = partsOf(run);
      if (isData(run, parts)) return [];
      const typed = parts.map((part) => fold(lowerOf(part)));
      let next = 0;
      const own = parts.flatMap((part, i) => {
        const start = run.indexOf(part, next);
        next = start + part.length;
        return at(typed[i], index + start, part.length);
      });
      return parts.length > 1 ? [...at(typed.join(""), index, run.length), ...own] : own;
    });
    return codes.length ? [...codes, ...words].sort((a, b) => a.start - b.start) : words;
  };

  /** Stretches without those that begin in another, as `[start, end]`. */
  const joined = (matches) => {
    const apart = [];
    for (const { start, end } of matches.sort((a, b) => a.start - b.start || a.end - b.end)) {
      const last = apart.at(-1);
      if (last && start <= last[1]) last[1] = Math.max(last[1], end);
      else apart.push([start, end]);
    }
    return apart;
  };

  const [length, lead] = [160, 60];
  // How long nothing is typed before texts are read, in milliseconds.
  const pause = 250;
  // How many results are in view at once, with what their pages say.
  const seen = 3;

  /**
   * The stretch of a text with most of what is asked for, and where that stands in it
   * (`src/search/src/index/snippet.rs`).
   */
  const snippetOf = (text, wanted) => {
    const matches = matchesOf(text, wanted);
    let [most, count, first] = [0, 0, 0];
    for (const [i, { start }] of matches.entries()) {
      const inside = matches.slice(i).filter(({ end }) => end <= start + length - lead / 2);
      const different = new Set(inside.map(({ list }) => list)).size;
      if (different > most || (different === most && inside.length > count))
        [most, count, first] = [different, inside.length, start];
    }
    let start = 0;
    if (first > lead && text.length > length) {
      const before = text.slice(first - lead, first);
      const ends = [...before.matchAll(/[.!?](?=\s|$)|[\n。！？]/g)];
      const word = before.search(/\s/);
      start = ends.length ? first - lead + ends.at(-1).index + 1 : word < 0 ? first : first - lead + word;
    }
    while (/\s/.test(text[start] ?? "")) start += 1;
    const rest = text.slice(start);
    let shown = rest.trimEnd();
    if (shown.length > length) {
      const blank = rest.slice(0, length).search(/\s\S*$/);
      shown = rest.slice(0, /\s/.test(rest[length]) || blank < length / 2 ? length : blank).trimEnd();
    }
    const end = start + shown.length;
    const before = start > 0 ? "…" : "";
    const shift = before.length - start;
    return {
      worth: new Set(matches.map(({ list }) => list)).size,
      text: `${before}${shown.replace(/\s/g, " ")}${end < text.trimEnd().length ? "…" : ""}`,
      matches: joined(
        matches
          .filter((match) => match.start >= start && match.end <= end)
          .map((match) => ({ start: match.start + shift, end: match.end + shift })),
      ),
    };
  };

  const base = (language) => language.split(/[-_]/)[0].toLowerCase();
  /** @param {{ language?: string }} filter */
  const languagesOf = ({ language }) => contents.languages.filter(({ code }) => !language || code === base(language));

  /** The version that a question names, if it names one (`named_version` in `src/search/src/index/versions.rs`). */
  const namedVersion = (text) => {
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .map((word) => word.replace(/^[?!.,;:()[\]"']+|[?!.,;:()[\]"']+$/g, ""));
    const isAfter = (at) => ["version", "release", "v"].includes(words[at - 1]);
    const isNamed = (label) =>
      /[0-9]/.test(label) &&
      words.some(
        (word, at) =>
          (word === label && (!/^[0-9]/.test(label) || isAfter(at))) ||
          word === `v${label}` ||
          (isAfter(at) && `v${word}` === label),
      );
    const labels = new Set(contents.classes.map(({ version }) => version).filter(Boolean));
    const named = [...labels].filter((label) => isNamed(label.toLowerCase()));
    return named.length === 1 ? named[0] : undefined;
  };

  /** Leaves one of the copies that a page has in several versions, in the place of the best of them. */
  const collapsed = (found, headOf, asked) => {
    const places = new Map();
    const kept = [];
    for (const one of found) {
      const { copy } = headOf(one.page);
      const place = copy && places.get(copy);
      if (place === undefined) {
        if (copy) places.set(copy, kept.length);
        kept.push(one);
      } else {
        const classOf = ({ page }) => contents.classes[contents.classOf[page]];
        const best = kept[place];
        const isAsked = (copy) => asked && classOf(copy).version === asked;
        const isNewer = classOf(best).old && !classOf(one).old && one.score >= f(best.score * contents.weights.copy);
        if (isAsked(one) || (!isAsked(best) && isNewer)) kept[place] = { ...one, score: best.score };
      }
    }
    return kept;
  };

  /** Questions near one that finds nothing, that find something (`src/search_service/suggestions.rs`). */
  const suggestionsFor = async (query, filter) => {
    const plain = query.replace(/["“”„]/g, " ").trim();
    const words = plain.split(/\s+/).filter(Boolean).slice(0, 8);
    const tried = new Set(plain === query.trim() ? [] : [words.join(" ")]);
    if (words.length > 2)
      for (const i of [...words.keys()].reverse()) tried.add(words.filter((_, at) => at !== i).join(" "));
    if (words.length > 1) for (const word of [...words].sort((a, b) => [...b].length - [...a].length)) tried.add(word);
    const offered = [];
    for (const other of tried) {
      if (offered.length === 3) break;
      if (other && (await ranked(other, filter, languagesOf(filter))).found.length) offered.push(other);
    }
    return offered;
  };

  const search = async ({ query, filter = {}, limit = 10 }, signal, early) => {
    const text = query.slice(0, 1000);
    const { found, marks, phrases } = await ranked(text, filter, languagesOf(filter));
    signal?.throwIfAborted();
    const textOf = async (page) => (await ofPages("texts", [page], json))(page);
    const restOf = async (page) => {
      const at = holding(contents.textsAt, page);
      const name = contents.texts[at][2];
      return name ? (await once(name, json))[page - contents.textsAt[at]] : [];
    };
    const headsOf = (pages) => ofPages("heads", pages, json);
    // Of a site in several versions more are put in order, as copies of a page collapse.
    const depth = limit * Math.min(4, Math.max(1, contents.versions));
    const held = phrases
      ? await phrases.hold(found, limit, { languages: languagesOf(filter), headsOf, textOf, restOf })
      : found.slice(0, depth);
    const headOf = await headsOf(held.map(({ page }) => page));
    const first = collapsed(held, headOf, namedVersion(text)).slice(0, limit);
    if (!first.length) {
      const suggestions = await suggestionsFor(text, filter);
      return { mode: "keyword", results: [], ...(suggestions.length && { suggestions }) };
    }
    const highest = Math.max(1, first[0].score);
    const { named, named_confidence } = contents.weights;
    const sure = Math.max(first[0].sure ?? 0, first[0].score >= named ? named_confidence : 0);
    // Which spellings are marked, in each language.
    for (const [code, { language, lists }] of marks) {
      const wanted = new Map();
      for (const name of language.words.map(([, name]) => name).filter((name) => files.has(name))) {
        const piece = await once(name, vocabulary);
        for (const [i, list] of piece.lists.entries()) if (lists.has(list)) wanted.set(piece.words[i], list);
      }
      marks.set(code, wanted);
    }
    const results = first.map((one) => {
      const { title, url, leads, method, path } = headOf(one.page);
      const { kind, breadcrumb = [], tab, version, language } = contents.classes[contents.classOf[one.page]];
      const wanted = marks.get(base(language ?? "en")) ?? new Map();
      const matches = { title: joined(matchesOf(title, wanted)), snippet: [] };
      const address = /^[^/]/.test(leads ?? "") ? leads : contents.base + (leads ?? url);
      return {
        ...one,
        wanted,
        result: {
          title,
          url: address,
          snippet: "",
          score: f(f(one.score / highest) * sure),
          kind,
          breadcrumb,
          method,
          path,
          tab,
          version,
          language,
          matches,
          sections: [],
        },
      };
    });
    /** A result with what its page says. */
    const whole = ({ passages, held, wanted, result }, { description, sections }) => {
      const worth = passages.length ? passages : [[0, 0, 0, 0]];
      const places = [...(held?.keys() ?? [])];
      const placeOf = (ordinal) => (places.includes(ordinal) ? places.indexOf(ordinal) : places.length);
      const order = held?.size ? [...worth].sort((a, b) => placeOf(a[0]) - placeOf(b[0])) : worth;
      const shown = order.slice(0, 3).map(([ordinal, , , score]) => {
        const [anchor, heading, text] = sections[ordinal] ?? ["", "", ""];
        /** @type {any[]} */
        const texts = [held?.get(ordinal), text, ordinal === 0 ? description : ""]
          .filter(Boolean)
          .map((text) => snippetOf(text, wanted));
        const best = texts.reduce(
          (best, next) => (next.worth > best.worth ? next : best),
          texts[0] ?? { text: "", matches: [] },
        );
        const title = heading || result.title;
        return {
          title,
          anchor: anchor || null,
          snippet: best.text,
          score,
          matches: { title: joined(matchesOf(title, wanted)), snippet: best.matches },
        };
      });
      const [{ snippet, matches }] = shown;
      return { ...result, snippet, matches: { ...result.matches, snippet: matches.snippet }, sections: shown };
    };
    // What was read before is shown at once; the rest is read when nothing more is typed for a moment.
    const known = ({ page }) => {
      const at = holding(contents.textsAt, page);
      return ready.get(contents.texts[at][1])?.[page - contents.textsAt[at]];
    };
    const read = async (one) => whole(one, known(one) ?? (await textOf(one.page)));
    if (!early) return { mode: "keyword", results: await Promise.all(results.map(read)) };
    const listed = (one) => (known(one) ? whole(one, known(one)) : { ...one.result, read: () => read(one) });
    if (!results.every(known)) {
      signal?.throwIfAborted();
      early({ mode: "keyword", results: results.map((one) => (known(one) ? listed(one) : one.result)) });
      await new Promise((resolve) => setTimeout(resolve, pause));
      signal?.throwIfAborted();
    }
    // Those below are read when they come into view.
    const inView = await Promise.all(results.slice(0, seen).map(read));
    return { mode: "keyword", results: [...inView, ...results.slice(seen).map(listed)] };
  };

  /**
   * Answers a question. `early` is told which pages there will be before their texts are read; with it, results below
   * the first may have a function `read` in place of their texts, which gives the result with them.
   */
  return async (question, signal, early) => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        contents ??= await open();
        const answer = await search(question, signal, early);
        signal?.throwIfAborted();
        return answer;
      } catch (error) {
        if (!error.isGone || attempt > 0) throw error;
        contents = null;
        files = new Map();
        [kept, ready] = [new Map(), new Map()];
      }
    }
  };
};
