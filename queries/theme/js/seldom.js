// What few questions of an exported site need, read when one does: words that no page has as they are typed, and words
// in quotes.

// The stems of English words, as the build makes them (Snowball, "english").
const whole = new Map(
  Object.entries({
    skis: "ski",
    skies: "sky",
    idly: "idl",
    gently: "gentl",
    ugly: "ugli",
    early: "earli",
    only: "onli",
    singly: "singl",
  }),
);
for (const word of ["andes", "atlas", "bias", "cosmos", "howe", "news", "sky"]) whole.set(word, word);
const second = [
  ["ational", "ate"],
  ["ization", "ize"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["iveness", "ive"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["lessli", "less"],
  ["entli", "ent"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["ousli", "ous"],
  ["iviti", "ive"],
  ["fulli", "ful"],
  ["ogist", "og"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["abli", "able"],
  ["izer", "ize"],
  ["ator", "ate"],
  ["alli", "al"],
  ["bli", "ble"],
  ["ogi", "og"],
  ["li", ""],
];
const third = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["alize", "al"],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ative", ""],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];
const fourth = [
  "ement",
  "ance",
  "ence",
  "able",
  "ible",
  "ment",
  "ant",
  "ent",
  "ism",
  "ate",
  "iti",
  "ous",
  "ive",
  "ize",
  "ion",
  "al",
  "er",
  "ic",
];

/** The stem of an English word in lower case. */
export const stem = (word) => {
  if (whole.has(word)) return whole.get(word);
  if (word.length < 3) return word;
  let w = word
    .replace(/^'/, "")
    .replace(/^y/, "Y")
    .replace(/([aeiouy])y/g, "$1Y");
  const region = (from) => {
    const match = /[aeiouy][^aeiouy]/.exec(w.slice(from));
    return match ? from + match.index + 2 : w.length;
  };
  const known = /^(?:arsen|commun|emerg|gener|inter|later|organ|past|univers)/.exec(w);
  const r1 = known ? known[0].length : region(0);
  const r2 = region(r1);
  const isShort = (text) =>
    /[^aeiouy][aeiouy][^aeiouywxY]$/.test(text) || /^[aeiouy][^aeiouy]$/.test(text) || /past$/.test(text);
  /** The first of `endings` that the word has. */
  const ending = (endings) => endings.find((one) => w.endsWith(Array.isArray(one) ? one[0] : one));
  w = w.replace(/'s'$|'s$|'$/, "");
  if (w.endsWith("sses")) w = w.slice(0, -2);
  else if (/(?:ied|ies)$/.test(w)) w = w.slice(0, w.length > 4 ? -2 : -1);
  else if (/[^us]s$/.test(w) && /[aeiouy].+s$/.test(w)) w = w.slice(0, -1);
  const one = ending(["eedly", "ingly", "edly", "eed", "ing", "ed"]);
  if (one?.startsWith("eed")) {
    const before = w.slice(0, -one.length);
    if (before.length >= r1 && !/^(?:succ|proc|exc)$/.test(before)) w = `${before}ee`;
  } else if (one) {
    const before = w.slice(0, -one.length);
    const isKept = one === "ing" && /^(?:even|cann|inn|earr|herr|out)$/.test(before);
    if (one === "ing" && /^[^aeiouy]y$/.test(before)) w = `${before[0]}ie`;
    else if (!isKept && /[aeiouy]/.test(before)) {
      if (/(?:at|bl|iz)$/.test(before)) w = `${before}e`;
      else if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(before))
        w = /^[aeo]..$/.test(before) ? before : before.slice(0, -1);
      else w = before.length === r1 && isShort(before) ? `${before}e` : before;
    }
  }
  if (/..[yY]$/.test(w) && /[^aeiouy][yY]$/.test(w)) w = `${w.slice(0, -1)}i`;
  const two = ending(second);
  if (two && w.length - two[0].length >= r1) {
    const before = w.slice(0, -two[0].length);
    const isMeant = two[0] === "ogi" ? before.endsWith("l") : two[0] !== "li" || /[cdeghkmnrt]$/.test(before);
    if (isMeant) w = before + two[1];
  }
  const three = ending(third);
  if (three && w.length - three[0].length >= (three[0] === "ative" ? Math.max(r1, r2) : r1))
    w = w.slice(0, -three[0].length) + three[1];
  const four = ending(fourth);
  if (four && w.length - four.length >= r2 && (four !== "ion" || /[st]ion$/.test(w))) w = w.slice(0, -four.length);
  if (w.endsWith("e") && (w.length > r2 || (w.length > r1 && !isShort(w.slice(0, -1))))) w = w.slice(0, -1);
  else if (w.endsWith("ll") && w.length > r2) w = w.slice(0, -1);
  return w.replaceAll("Y", "y");
};

/** What every word with this stem begins with. */
export const alike = (stem) => stem.slice(0, Math.max(1, stem.length - 2));

/** The lists of the words in `pieces` with this stem. */
export const byStem = (wanted, pieces) => {
  const start = alike(wanted);
  for (const { words, pages, lists } of pieces) {
    for (const [i, word] of words.entries())
      if (pages[i] && word.startsWith(start) && stem(word) === wanted) return [lists[i]];
  }
  return [];
};

/**
 * How many slips lie between two words, at most `most`: a letter more, less, another one, or two that changed places.
 */
const slips = (a, b, most) => {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let [before, last] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
      least = Math.min(least, row[j]);
    }
    if (least > most) return most + 1;
    [before, last] = [last, row];
  }
  return last[b.length];
};

/** The words in `pieces` that are at most `most` slips from `word`, by how many those are. */
export const near = (word, most, pieces) => {
  /** @type {any[][]} */
  const found = Array.from({ length: most + 1 }, () => []);
  for (const { words, pages, lists } of pieces) {
    for (const [i, other] of words.entries()) {
      const count = pages[i] ? Math.max(1, slips(word, other, most)) : most + 1;
      if (count <= most) found[count].push({ word: other, pages: pages[i], list: lists[i], slips: count });
    }
  }
  return found;
};

// How many corrections of a mistyped word are compared, of each number of slips.
const maxCorrections = 6;

/** The corrections of a mistyped word that are compared with those of others, of what is `near`. */
export const correctionsOf = (near) => {
  const lists = new Set();
  return near
    .flatMap((found) => found.sort((a, b) => b.pages - a.pages || (a.word < b.word ? -1 : 1)).slice(0, maxCorrections))
    .filter(({ list }) => !lists.has(list) && lists.add(list));
};

const common = (a, b) => [...a].filter((value) => b.has(value)).length;

/** What two corrections share (`src/search/src/index/corrections.rs`). */
const shared = (a, b) => {
  if (a.list === b.list) return [0, 0, 0, 0, 0];
  const [sections, pages] = [common(a.sections, b.sections), common(a.on, b.on)];
  return [Math.min(1, sections), Math.min(1, pages), 0, sections, pages];
};
const sum = (a, b) => a.map((figure, i) => figure + b[i]);
const isMore = (a, b) => {
  const at = a.findIndex((figure, i) => figure !== b[i]);
  return at >= 0 && a[at] > b[at];
};

/**
 * The correction to choose of each mistyped word; `undefined` where none stands on a page with one of a neighbor. Each
 * correction has the `sections` and the pages, `on`, that it stands in.
 */
export const together = (mistyped) => {
  const best = [];
  for (const [i, corrections] of mistyped.entries()) {
    best.push(
      corrections.map((correction) => {
        const own = [0, 0, -correction.slips, 0, 0];
        const ends = i ? best[i - 1].map(({ one, worth }) => sum(sum(worth, shared(one, correction)), own)) : [];
        const most = ends.reduce((most, end, at) => (isMore(end, ends[most]) ? at : most), 0);
        return { one: correction, worth: ends[most] ?? own, before: most };
      }),
    );
  }
  const last = best.at(-1) ?? [];
  let place = last.reduce((most, { worth }, at) => (isMore(worth, last[most].worth) ? at : most), 0);
  const chosen = best
    .reverse()
    .map((ends) => {
      const end = ends[place];
      place = end?.before ?? 0;
      return end?.one;
    })
    .reverse();
  const isMet = (a, b) => a && b && shared(a, b)[1] > 0;
  return chosen.map((one, i) => (isMet(chosen[i - 1], one) || isMet(one, chosen[i + 1]) ? one : undefined));
};

/** The words in `pieces` that hold `word`, which none of them is (`src/index/expand.rs`). */
export const holding = (word, pieces) => {
  const letters = [...word].length;
  if (letters < 6 || !/^\p{Alphabetic}+$/u.test(word)) return [];
  const more = (text) => new TextEncoder().encode(text).length;
  const isHolder = (other) =>
    other.includes(word) &&
    more(other) >= more(word) + 3 &&
    (letters >= 8 || other.startsWith(word) || other.endsWith(word));
  return pieces.flatMap(({ words, pages, lists }) =>
    words.flatMap((other, i) =>
      pages[i] && isHolder(other) ? [{ word: other, pages: pages[i], list: lists[i] }] : [],
    ),
  );
};

// Words in quotes stand next to each other, in this order. The lists say which pages have the words; whether they stand
// together is seen in their texts, of the best pages first, and of no more than fifty.
const maxRead = 50;
const marks = /["“”„]([^"“”„]*)["“”„]/g;

/** The phrases of a question; `null` if it has none. A quote that is not closed is as if it were not there. */
export const phrasesOf = (
  text,
  { runsOf, isUnspaced, charactersOf, isData, wordsOf, partsOf, lowerOf, fold, formsOf, pagesOf },
) => {
  /** The smallest words of a text, in order, a blank around each. */
  const small = (run) => {
    if (isUnspaced.test(run)) return charactersOf(run).map(({ letter }) => letter);
    const parts = partsOf(run);
    return isData(run, parts) ? [] : parts.map((part) => fold(lowerOf(part)));
  };
  const spelt = (text) =>
    ` ${runsOf(text)
      .flatMap(([run]) => small(run))
      .join(" ")} `;

  /**
   * The words that a text with this phrase has. A lone character of a language without blanks may stand within any
   * pair.
   */
  const needed = (phrase) => {
    const words = wordsOf(phrase, 0).flatMap((word) => (word.parts.length ? word.parts : { ...word, isEnd: false }));
    return words.filter(({ typed }) => !isUnspaced.test(typed) || [...typed].length > 1);
  };

  const asked = [...text.matchAll(marks)]
    .map((match) => match[1])
    .filter((phrase) => needed(phrase).length)
    .slice(0, 16);
  if (!asked.length) return null;
  const words = asked.flatMap(needed);
  const phrases = asked.map(spelt);

  /** The pages with a form of `word`. */
  const having = async (word, languages) => {
    const pages = new Set();
    for (const language of languages) {
      const { lists } = await formsOf(language, { ...word });
      for (const list of await pagesOf(
        language,
        lists.map((list) => ({ list })),
      ))
        for (const { page } of list.pages) pages.add(page);
    }
    return pages;
  };

  /** Around two hundred letters of `text` with a phrase in them; none if it has none. */
  const around = (text, phrase) => {
    for (const { index } of runsOf(text)) {
      if (!spelt(text.slice(index, index + phrase.length + 60)).includes(phrase)) continue;
      const piece = text.slice(index, index + 200);
      const isLast = index + 200 >= text.length;
      return `${index > 0 ? "… " : ""}${isLast ? piece : `${piece.replace(/\s+\S*$/, "")} …`}`;
    }
    return "";
  };

  /** What to show of the sections that hold a phrase; `null` if the page does not hold every one. */
  const held = ({ title, description = "", rest, sections }) => {
    const texts = sections.map(([, heading, text], i) => [heading, text, rest[i] ?? ""]);
    // Two blanks between texts: nothing stands in two of them.
    const all = [title, description, ...texts.flat()].map(spelt).join("");
    if (!phrases.every((phrase) => all.includes(phrase))) return null;
    // Those with most phrases first (`src/search/src/index/phrases.rs`).
    const heldBy = (text) => phrases.filter((phrase) => spelt(text).includes(phrase));
    const found = new Set(heldBy(title));
    const shown = [];
    for (const [i, [heading, ...own]] of texts.entries()) {
      if (found.size === phrases.length && shown.length >= 3) break;
      const here = new Set([heading, ...own, i ? "" : description].flatMap(heldBy));
      const text = phrases.flatMap((phrase) => own.map((text) => around(text, phrase))).find(Boolean);
      for (const phrase of here) found.add(phrase);
      if (here.size) shown.push({ i, count: here.size, text: text ?? own[0].slice(0, 200) });
    }
    return new Map(shown.sort((a, b) => b.count - a.count).map(({ i, text }) => [i, text]));
  };

  /** The first `limit` of `ranked`, best first, that hold every phrase. */
  const hold = async (ranked, limit, { languages, headsOf, textOf, restOf }) => {
    for (const word of words) {
      const pages = await having(word, languages);
      ranked = ranked.filter(({ page }) => pages.has(page));
    }
    const found = [];
    for (let from = 0; from < Math.min(ranked.length, maxRead) && found.length < limit; from += limit) {
      const some = ranked.slice(from, from + limit).map(async (one) => {
        const [heads, texts, rest] = await Promise.all([headsOf([one.page]), textOf(one.page), restOf(one.page)]);
        return { ...one, held: held({ ...texts, title: heads(one.page).title, rest }) };
      });
      found.push(...(await Promise.all(some)).filter(({ held }) => held));
    }
    return found.slice(0, limit);
  };

  return { words, hold };
};
