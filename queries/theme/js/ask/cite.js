// The passage that an answer was taken from: brought into view on its page, and marked for a moment.
const shownFor = 4500;

/** Texts are compared by their words. */
const wordsIn = (text) => [...text.matchAll(/[\p{L}\p{N}]+/gu)];

/** The elements of the section that begins at `start`: up to the next heading of its rank or above. */
const sectionAt = (start) => {
  const rank = /^H[1-6]$/.test(start.tagName) ? Number(start.tagName[1]) : 0;
  if (!rank) return [start];
  const found = [start];
  for (let at = start.nextElementSibling; at; at = at.nextElementSibling) {
    if (/^H[1-6]$/.test(at.tagName) && Number(at.tagName[1]) <= rank) break;
    found.push(at);
  }
  return found;
};

/** The place of `quote` in `elements`, as its words stand there; `null` if they do not. */
const quotedIn = (elements, quote) => {
  const wanted = wordsIn(quote).map(([word]) => word.toLowerCase());
  if (wanted.length < 3) return null;
  const words = [];
  for (const element of elements) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const match of wordsIn(node.data))
        words.push({ node, at: match.index, word: match[0].toLowerCase(), end: match.index + match[0].length });
    }
  }
  for (let from = 0; from + wanted.length <= words.length; from += 1) {
    if (!wanted.every((word, i) => words[from + i].word === word)) continue;
    const range = new Range();
    const last = words[from + wanted.length - 1];
    range.setStart(words[from].node, words[from].at);
    range.setEnd(last.node, last.end);
    return range;
  }
  return null;
};

let markedElements = [];
let markTimer = 0;
const unmark = () => {
  clearTimeout(markTimer);
  window.CSS?.highlights?.delete("quire-cited");
  for (const element of markedElements) element.removeAttribute("data-cited");
  markedElements = [];
};

/** Marks what `quotes` say in the section at `anchor` of this page, or else all of the section. */
const mark = ({ anchor, quotes = [] }) => {
  unmark();
  const main = document.querySelector("main");
  const target = anchor ? document.getElementById(anchor) : null;
  const first = target ?? main?.querySelector("article");
  if (!first) return;
  const section = target ? sectionAt(target) : [first];
  const ranges = quotes.map((quote) => quotedIn(section, quote)).filter(Boolean);
  if (ranges.length && window.Highlight && CSS.highlights) {
    CSS.highlights.set("quire-cited", new Highlight(...ranges));
    // The anchor brought the heading into view; the sentence may stand far below.
    const place = ranges[0].getBoundingClientRect();
    if (place.top < 0 || place.bottom > innerHeight) {
      const at = ranges[0].startContainer.parentElement;
      at.scrollIntoView({ block: "center" });
    }
  } else if (target) {
    markedElements = section;
    for (const element of section) element.setAttribute("data-cited", "");
  }
  markTimer = setTimeout(unmark, shownFor);
};

const anchorOf = (url) => {
  try {
    return decodeURIComponent(url.hash.slice(1));
  } catch {
    return "";
  }
};

/** Leads to `href` and marks what `quotes` say there; whether this page is left is up to the address. */
const leadTo = (href, quotes) => {
  const url = new URL(href, location.href);
  const told = { path: url.pathname, anchor: anchorOf(url), quotes };
  if (url.pathname !== location.pathname || url.search !== location.search) {
    retain(shelf.cited, told);
    return false;
  }
  if (url.hash && url.hash !== location.hash) location.hash = url.hash;
  else if (told.anchor) document.getElementById(told.anchor)?.scrollIntoView();
  // What is folded around it opens first.
  requestAnimationFrame(() => mark(told));
  return true;
};

/** Marks what the page before this one led to. */
export const arrive = () => {
  const told = recall(shelf.cited);
  retain(shelf.cited, null);
  if (told && told.path === location.pathname) requestAnimationFrame(() => mark(told));
};
