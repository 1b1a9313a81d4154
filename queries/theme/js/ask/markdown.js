// A reader of the Markdown of answers. It makes elements whose texts are texts: nothing of an answer is read as HTML,
// no picture is asked for, and links lead to the web, to mail or to pages of the site. While an answer grows, the
// blocks that are whole stay.

/** An element; `props` are attributes, functions of `on…` listeners. Texts are only ever texts. */
const h = (name, props = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(
    ...children.flat(3).filter((child) => child !== undefined && child !== null && child !== false && child !== ""),
  );
  return element;
};

/** Where a link leads, if it may be followed: within the site, or to another host. */
const linkTo = (address) => {
  let url;
  try {
    url = new URL(address, location.href);
  } catch {
    return null;
  }
  if (url.protocol === "mailto:") return { href: url.href, isMail: true };
  if (url.protocol !== "http:" && url.protocol !== "https:") return null;
  return url.origin === location.origin
    ? { href: url.pathname + url.search + url.hash }
    : { href: url.href, host: url.host };
};

const entities = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  mdash: "—",
  ndash: "–",
};
const sign = /[!-/:-@[-`{-~]/;
const blank = /\s/;
const letter = /[\p{L}\p{N}_]/u;
/**
 * How deep blocks and emphasis may be nested, and how many characters a link or an emphasis may be long; what is more
 * is text.
 */
const deepest = 12;
const longest = 3000;

/** The end of the code that begins with the backticks at `at`, or of those if nothing closes them. */
const codeAt = (text, at) => {
  let from = at;
  while (text[from] === "`") from += 1;
  const fence = text.slice(at, from);
  for (let to = text.indexOf(fence, from); to >= 0; ) {
    let end = to;
    while (text[end] === "`") end += 1;
    if (end - to === fence.length) return { from, to, end };
    to = text.indexOf(fence, end);
  }
  return { from, to: -1, end: from };
};

/** The link whose label begins with the bracket at `at`. */
const linkAt = (text, at) => {
  let depth = 0;
  let close = at;
  for (; close < text.length && close < at + longest; close += 1) {
    const c = text[close];
    if (c === "\\") close += 1;
    else if (c === "`") close = codeAt(text, close).end - 1;
    else if (c === "[") depth += 1;
    else if (c === "]" && --depth === 0) break;
  }
  if (text[close] !== "]" || text[close + 1] !== "(") return null;
  const rest =
    /^\(\s*(?:<([^<>\n]*)>|((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*))(?:\s+(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))?\s*\)/.exec(
      text.slice(close + 1, close + 4000),
    );
  if (!rest) return null;
  const address = (rest[1] ?? rest[2]).replace(/\\([!-/:-@[-`{-~])/g, "$1");
  return { label: text.slice(at + 1, close), address, end: close + 1 + rest[0].length };
};

/** Where the emphasis that `mark` opens before `from` ends; -1 if nothing closes it. */
const closing = (text, from, mark) => {
  for (let at = from; at < text.length && at < from + longest; at += 1) {
    const c = text[at];
    if (c === "\\") at += 1;
    else if (c === "`") at = codeAt(text, at).end - 1;
    else if (c === "[") at = (linkAt(text, at)?.end ?? at + 1) - 1;
    else if (text.startsWith(mark, at)) {
      let end = at;
      while (text[end] === mark[0]) end += 1;
      const fits = mark.length === 1 ? (end - at) % 2 === 1 : end - at >= 2;
      const isOut = mark[0] !== "_" || !letter.test(text[end] ?? "");
      if (fits && isOut && at > from && !blank.test(text[at - 1])) return end - mark.length;
      at = end - 1;
    }
  }
  return -1;
};

/** What stands in a line of text. `about` is told of each link. */
const inlines = (text, about, depth = 0) => {
  const nodes = [];
  let plain = "";
  const put = (node) => {
    if (plain) nodes.push(plain);
    plain = "";
    if (node) nodes.push(node);
  };
  const linked = (address, label, children) => {
    const to = linkTo(address);
    if (!to) {
      put();
      nodes.push(...children);
      return;
    }
    put(about.link({ ...to, label, children }));
  };
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at];
    const next = text[at + 1] ?? "";
    if (c === "\\" && sign.test(next)) {
      plain += next;
      at += 1;
    } else if (c === "\\" && next === "\n") put(h("br"));
    else if (c === "\n") {
      if (plain.endsWith("  ")) {
        plain = plain.trimEnd();
        put(h("br"));
      } else plain += "\n";
    } else if (c === "`") {
      const { from, to, end } = codeAt(text, at);
      if (to < 0) plain += text.slice(at, end);
      else {
        const code = text.slice(from, to).replace(/\n/g, " ");
        put(h("code", {}, /^ .*[^ ].* $/.test(code) ? code.slice(1, -1) : code));
      }
      at = end - 1;
    } else if (c === "!" && next === "[" && linkAt(text, at + 1)) {
      // Of a picture there is what it says: none is asked for.
      const { label, end } = linkAt(text, at + 1);
      plain += label;
      at = end - 1;
    } else if (c === "[") {
      const link = depth < deepest && linkAt(text, at);
      if (!link) plain += c;
      else {
        // A link stands in no link.
        const inner = { link: ({ children }) => h("span", {}, children) };
        linked(link.address, link.label, inlines(link.label, inner, depth + 1));
        at = link.end - 1;
      }
    } else if (c === "<") {
      const [whole, address] = /^<((?:https?:|mailto:)[^\s<>]+)>/.exec(text.slice(at, at + 2000)) ?? [];
      if (whole) {
        linked(address, address, [address]);
        at += whole.length - 1;
      } else plain += c;
    } else if (c === "&") {
      const [whole, name] = /^&(#\d{1,6}|#[xX][\da-fA-F]{1,5}|\w{2,6});/.exec(text.slice(at, at + 10)) ?? [];
      const code = name?.[0] === "#" && Number(name[1].toLowerCase() === "x" ? `0x${name.slice(2)}` : name.slice(1));
      const told = code ? String.fromCodePoint(Math.min(code, 0x10ffff)) : entities[name];
      plain += told ?? c;
      if (told) at += whole.length - 1;
    } else if (c === "*" || c === "_" || (c === "~" && next === "~")) {
      let end = at;
      while (text[end] === c) end += 1;
      const size = c === "~" ? 2 : Math.min(end - at, 2);
      const mark = c.repeat(size);
      const isIn = !blank.test(text[end] ?? " ") && (c !== "_" || !letter.test(text[at - 1] ?? ""));
      const to = isIn && depth < deepest && end - at <= 3 ? closing(text, at + size, mark) : -1;
      if (to < 0) {
        plain += text.slice(at, end);
        at = end - 1;
      } else {
        put(
          h(c === "~" ? "del" : size === 2 ? "strong" : "em", {}, inlines(text.slice(at + size, to), about, depth + 1)),
        );
        at = to + size - 1;
      }
    } else plain += c;
  }
  put();
  return nodes;
};

const fence = /^ {0,3}(`{3,}|~{3,}) *([^`\n]*)$/;
const heading = /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/;
const rule = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const quote = /^ {0,3}>/;
const item = /^( {0,3})([-*+]|\d{1,9}[.)])(?:( +)(.*)|$)/;
const delimiters = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const isEmpty = (line) => line.trim() === "";
const begins = (line) =>
  fence.test(line) || heading.test(line) || rule.test(line) || quote.test(line) || item.test(line);

/** The cells of a row of a table. */
const cellsOf = (line) => {
  const cells = [];
  const row = line.trim().replace(/^\|/, "");
  let from = 0;
  for (let at = 0; at < row.length; at += 1) {
    if (row[at] === "\\") at += 1;
    else if (row[at] === "`") at = codeAt(row, at).end - 1;
    else if (row[at] === "|") {
      cells.push(row.slice(from, at));
      from = at + 1;
    }
  }
  if (!isEmpty(row.slice(from))) cells.push(row.slice(from));
  return cells.map((cell) => cell.trim().replace(/\\\|/g, "|"));
};

/** The lines of a list from `at` on, as items, and where it ends. */
const listAt = (lines, at) => {
  const [, , first] = item.exec(lines[at]);
  const kind = first.at(-1);
  const items = [];
  let isLoose = false;
  let wasEmpty = false;
  let indent = 0;
  for (; at < lines.length; at += 1) {
    const line = lines[at];
    const inside = line.length - line.trimStart().length >= indent && items.length > 0;
    const found = !inside && !rule.test(line) && item.exec(line);
    if (isEmpty(line)) {
      wasEmpty = true;
      items.at(-1)?.push("");
    } else if (inside) {
      if (wasEmpty) isLoose = true;
      items.at(-1).push(line.slice(indent));
      wasEmpty = false;
    } else if (found && found[2].at(-1) === kind) {
      if (wasEmpty && items.length) isLoose = true;
      const space = found[3] === undefined || found[3].length > 4 ? 1 : found[3].length;
      indent = found[1].length + found[2].length + space;
      items.push([line.slice(indent)]);
      wasEmpty = false;
    } else if (!wasEmpty && items.length && !begins(line)) items.at(-1).push(line.trimStart());
    else break;
  }
  return { items, isLoose, start: /^\d/.test(first) ? parseInt(first, 10) : null, end: at };
};

/**
 * The blocks of a text, each with the lines that it stands in.
 * @returns {any[]}
 */
const blocksOf = (text) => {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\t/g, "    ").split("\n");
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    const from = at;
    const line = lines[at];
    let block;
    const opened = fence.exec(line);
    if (isEmpty(line)) {
      at += 1;
      continue;
    } else if (opened) {
      const indent = line.length - line.trimStart().length;
      const close = (one) =>
        one.trim().startsWith(opened[1]) &&
        one
          .trim()
          .split(opened[1][0])
          .every((part) => part === "") &&
        !/^ {4}/.test(one);
      for (at += 1; at < lines.length && !close(lines[at]); at += 1);
      const own = lines
        .slice(from + 1, at)
        .map((one) => one.slice(Math.min(indent, one.length - one.trimStart().length)));
      block = { kind: "code", language: opened[2].trim().split(/\s/)[0], text: own.join("\n") };
      at += 1;
    } else if (heading.test(line)) {
      const [, signs, words] = heading.exec(line);
      block = { kind: "heading", level: signs.length, text: words ?? "" };
      at += 1;
    } else if (rule.test(line)) {
      block = { kind: "rule" };
      at += 1;
    } else if (quote.test(line)) {
      for (; at < lines.length && (quote.test(lines[at]) || (!isEmpty(lines[at]) && !begins(lines[at]))); at += 1);
      block = {
        kind: "quote",
        text: lines
          .slice(from, at)
          .map((one) => one.replace(/^ {0,3}> ?/, ""))
          .join("\n"),
      };
    } else if (item.test(line)) {
      const { end, ...list } = listAt(lines, at);
      block = { kind: "list", ...list };
      at = end;
    } else if (/^ {4}/.test(line)) {
      for (; at < lines.length && (/^ {4}/.test(lines[at]) || isEmpty(lines[at])); at += 1);
      block = {
        kind: "code",
        language: "",
        text: lines
          .slice(from, at)
          .map((one) => one.slice(4))
          .join("\n")
          .trimEnd(),
      };
    } else if (
      line.includes("|") &&
      delimiters.test(lines[at + 1] ?? "") &&
      cellsOf(line).length === cellsOf(lines[at + 1]).length
    ) {
      for (at += 2; at < lines.length && !isEmpty(lines[at]) && !begins(lines[at]); at += 1);
      block = { kind: "table", head: cellsOf(line), rows: lines.slice(from + 2, at).map(cellsOf) };
    } else {
      for (
        at += 1;
        at < lines.length && !isEmpty(lines[at]) && !/^ {0,3}(=+|-+) *$/.test(lines[at]) && !begins(lines[at]);
        at += 1
      );
      const words = lines
        .slice(from, at)
        .map((one) => one.trimStart())
        .join("\n")
        .trimEnd();
      const under = /^ {0,3}(=+|-+) *$/.exec(lines[at] ?? "");
      if (under) at += 1;
      block = under
        ? { kind: "heading", level: under[1][0] === "=" ? 1 : 2, text: words }
        : { kind: "text", text: words };
    }
    blocks.push({ ...block, source: lines.slice(from, at).join("\n") });
  }
  return blocks;
};

/** The element of a block. */
const elementOf = (block, about, depth = 0) => {
  const inside = (text) => (depth < deepest ? blocksOf(text).map((one) => elementOf(one, about, depth + 1)) : [text]);
  switch (block.kind) {
    case "code":
      return about.code(block);
    case "heading":
      return h("h3", { "data-level": block.level }, inlines(block.text, about));
    case "rule":
      return h("hr");
    case "quote":
      return h("blockquote", {}, inside(block.text));
    case "list": {
      const items = block.items.map((lines) => {
        const text = lines
          .join("\n")
          .trimEnd()
          .replace(/^\[([ xX])\] /, (_, is) => (is === " " ? "☐ " : "☑ "));
        if (block.isLoose || depth >= deepest) return h("li", {}, inside(text));
        return h(
          "li",
          {},
          blocksOf(text).map((one) =>
            one.kind === "text" ? inlines(one.text, about) : elementOf(one, about, depth + 1),
          ),
        );
      });
      return h(block.start === null ? "ul" : "ol", { start: block.start > 1 ? block.start : null }, items);
    }
    case "table": {
      const row = (cells, name) =>
        h(
          "tr",
          {},
          block.head.map((_, i) => h(name, {}, inlines(cells[i] ?? "", about))),
        );
      return about.table(
        h(
          "table",
          {},
          h("thead", {}, row(block.head, "th")),
          h(
            "tbody",
            {},
            block.rows.map((cells) => row(cells, "td")),
          ),
        ),
      );
    }
    default:
      return h("p", {}, inlines(block.text, about));
  }
};

/**
 * What is shown of a block that is still being written: what only its end decides is held back, what is open is closed.
 */
const mended = (block) => {
  if (
    block.kind !== "text" &&
    block.kind !== "list" &&
    block.kind !== "quote" &&
    block.kind !== "heading" &&
    block.kind !== "table"
  )
    return block;
  let source = block.source;
  // A row is shown when it is whole, and the first one when the next says that it is one.
  if (block.kind === "text" && /^ {0,3}\|/.test(source)) return null;
  if (block.kind === "table") {
    return source.trimEnd().endsWith("|") || block.rows.length === 0
      ? block
      : { ...block, rows: block.rows.slice(0, -1) };
  }
  source = source
    .replace(/!?\[[^\]\n]*(?:\](?:\([^)\s]*)?)?$/, "")
    .replace(/<[^\s<>]*$/, "")
    .replace(/\\$/, "");
  // What comes next may be a list, a rule or a heading.
  source = source.replace(/(^|\n)\s*(?:#{1,6}|[-*+_=]{1,3}|\d{1,9}[.)]?|`{1,2}|~{1,2}|>)\s*$/, "$1");
  const last = source.slice(source.lastIndexOf("\n\n") + 1);
  const bare = last.replace(/(`+)[^`]+\1/g, "");
  const open = /(`+)[^`]*$/.exec(bare);
  if (open) source += open[1].length < 3 ? open[1] : "";
  else {
    source = source.replace(/(?<=\s|^)[*_~]+$/, "");
    const ends = [];
    for (const [mark, pattern] of [
      ["**", /\*\*/g],
      ["~~", /~~/g],
    ])
      if ((bare.match(pattern) ?? []).length % 2) ends.push(mark);
    const single =
      bare
        .replace(/\*\*/g, "")
        .replace(/^\s*\* /gm, "")
        .match(/(?<!\s)\*|\*(?!\s)/g) ?? [];
    if (single.length % 2) ends.unshift("*");
    if (ends.length) source = source.replace(/\*$/, "").trimEnd() + ends.join("");
  }
  return blocksOf(source)[0] ?? null;
};

/** Draws a text into `root`, again and again while it grows. */
const drawer = (root, about) => {
  let drawn = [];
  return (text, isWhole) => {
    const blocks = blocksOf(text);
    if (!isWhole && blocks.length) {
      const last = mended(blocks.at(-1));
      if (last) blocks.splice(-1, 1, last);
      else blocks.pop();
    }
    let same = 0;
    while (
      same < blocks.length &&
      same < drawn.length &&
      drawn[same].source === blocks[same].source &&
      drawn[same].rows === blocks[same].rows?.length
    )
      same += 1;
    const fresh = blocks.slice(same).map((block, i) => {
      const old = drawn[same + i];
      // Code that grows stays where the reader has scrolled it to.
      const isGrown =
        old &&
        old.kind === "code" &&
        block.kind === "code" &&
        old.language === block.language &&
        same + i === drawn.length - 1;
      if (isGrown) old.element.querySelector("pre code").textContent = block.text;
      return {
        source: block.source,
        kind: block.kind,
        language: block.language,
        rows: block.rows?.length,
        element: isGrown ? old.element : elementOf(block, about),
      };
    });
    for (const { element } of drawn.slice(same)) if (!fresh.some((one) => one.element === element)) element.remove();
    for (const { element } of fresh) if (element.parentNode !== root) root.append(element);
    drawn = [...drawn.slice(0, same), ...fresh];
  };
};
