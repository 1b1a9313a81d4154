// What few questions of an exported site need, read when one does: words with a slip, and words in quotes.

/** Whether two words are at most `most` slips apart: a letter more, less, another one, or two that changed places. */
const slips = (a, b, most) => {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let [before, last] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    if (Math.min(...row) > most) return most + 1;
    [before, last] = [last, row];
  }
  return last[b.length];
};

/** The forms of words in `pieces` that are fewest slips from `word`: one from four letters on, two from eight. */
export const near = (word, pieces) => {
  let least = word.length >= 8 ? 2 : 1;
  let found = [];
  for (const { words } of pieces) {
    for (const [surface, families] of words) {
      const count = slips(word, surface, least);
      if (count > least) continue;
      if (count < least) found = [];
      least = count;
      found.push(...families);
    }
  }
  const best = found.sort((a, b) => b.pages - a.pages).slice(0, 3);
  return best.map((family) => ({ family, weight: least === 1 ? 0.8 : 0.6 }));
};

// Words in quotes stand next to each other, in this order. The lists say which pages have the words; whether they stand together
// is seen in their texts, of the best pages first, and of no more than fifty.
const maxRead = 50;
const marks = /["“”„]([^"“”„]*)["“”„]/g;

/** The phrases of a question; `null` if it has none. A quote that is not closed is as if it were not there. */
export const phrasesOf = (text, { runs, isUnspaced, wordsOf, partsOf, piecesOf, lists, recordOf }) => {
  /** The smallest words of a text, in order, a blank around each. */
  const spelt = (text) => ` ${(text.match(runs) ?? []).flatMap((run) => (isUnspaced.test(run) ? [...run] : partsOf(run))).join(" ")} `;

  /** The words that a text with this phrase has. A lone character of a language without blanks may stand within any pair. */
  const needed = (phrase) => {
    const words = wordsOf(phrase).flatMap(({ whole, parts }) => (parts.length ? parts : whole));
    return words.filter((word) => !isUnspaced.test(word) || [...word].length > 1);
  };

  const asked = [...text.matchAll(marks)].map((match) => match[1]).filter((phrase) => needed(phrase).length).slice(0, 16);
  if (!asked.length) return null;
  const words = new Set(asked.flatMap(needed));
  const phrases = asked.map(spelt);

  /** The pages with a form of `word`. */
  const having = async (word) => {
    const pages = new Set();
    for (const piece of await piecesOf(word)) for (const family of piece.words.get(word) ?? []) lists(family, (page) => pages.add(page));
    return pages;
  };

  /** Around two hundred letters of `text` with a phrase in them; none if it has none. */
  const around = (text, phrase) => {
    for (const { index } of text.matchAll(runs)) {
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
    const shown = new Map();
    for (const [i, [heading, ...own]] of texts.entries()) {
      const found = phrases.flatMap((phrase) => own.map((text) => around(text, phrase))).find(Boolean);
      const isNamed = phrases.some((phrase) => spelt(heading).includes(phrase));
      if (found || isNamed) shown.set(i, found ?? own[0].slice(0, 200));
    }
    return shown;
  };

  /** The first `limit` of `ranked`, best first, that hold every phrase. */
  const hold = async (ranked, limit) => {
    for (const word of words) {
      const pages = await having(word);
      ranked = ranked.filter(({ page }) => pages.has(page));
    }
    const found = [];
    for (let from = 0; from < Math.min(ranked.length, maxRead) && found.length < limit; from += limit) {
      const some = ranked.slice(from, from + limit).map(async (one) => ({ ...one, held: held(await recordOf(one.page, true)) }));
      found.push(...(await Promise.all(some)).filter(({ held }) => held));
    }
    return found.slice(0, limit);
  };

  return { words, hold };
};
