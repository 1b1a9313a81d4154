// Code that sends a request, by the templates that the samples of the page were made by: `sampleTable`, the text of
// `openapi/src/code/languages/*.tpl`. What is written is what the build writes (`tests/wire/samples.json`).

/** The words of a tag: names, `|`, and texts in quotes as `{text}`. */
const wordsOf = (tag) =>
  [...tag.matchAll(/"((?:[^"\\]|\\[^])*)"|\||[^\s|"]+/g)].map(([all, text]) =>
    text === undefined
      ? all
      : { text: text.replace(/\\([^])/g, (_, sign) => ({ n: "\n", r: "\r", t: "\t", g: "`" })[sign] ?? sign) },
  );

const branchWords = new Set(["if", "elif", "else", "end", "each"]);

const split = (words, at) => {
  const parts = [[]];
  for (const word of words) {
    if (word === at) parts.push([]);
    else parts.at(-1).push(word);
  }
  return parts;
};

const conditionOf = (words) =>
  split(words, "or").map((all) =>
    split(all, "and").map((test) => {
      const isNegated = test[0] === "not";
      const [subject, verb, ...rest] = test.slice(Number(isNegated));
      return { isNegated, subject, verb, given: rest.map((word) => word.text ?? word) };
    }),
  );

/** A template as nodes: texts, `{put, filters}`, `{branches}`, `{each, nodes}`. */
const nodesOf = (body) => {
  const pieces =
    body.match(/[^\n]*\n|[^\n]+/g)?.flatMap((line) => {
      const parts = line.split(/«(.*?)»/s).map((part, i) => (i % 2 ? wordsOf(part) : part));
      // A line of nothing but branches leaves no line.
      const isControl = parts.length > 1 && parts.every((part, i) => (i % 2 ? branchWords.has(part[0]) : !part.trim()));
      return isControl ? parts.filter(Array.isArray) : parts.filter((part) => part !== "");
    }) ?? [];
  let at = 0;
  const block = () => {
    const nodes = [];
    while (at < pieces.length) {
      const piece = pieces[at];
      at += 1;
      if (typeof piece === "string") nodes.push(piece);
      else if (piece[0] === "if") nodes.push({ branches: branches(piece) });
      else if (piece[0] === "each") nodes.push({ each: piece[1], nodes: block().nodes });
      else if (branchWords.has(piece[0])) return { nodes, end: piece };
      else {
        const [[put], ...filters] = split(piece, "|");
        nodes.push({ put, filters: filters.map((filter) => filter.map((word) => word.text ?? word)) });
      }
    }
    return { nodes, end: [] };
  };
  const branches = (first) => {
    const made = [];
    for (let open = first; open[0] !== "end" && open.length; ) {
      const { nodes, end } = block();
      made.push({ condition: open[0] === "else" ? [[]] : conditionOf(open.slice(1)), nodes });
      open = end;
    }
    return made;
  };
  return block().nodes;
};

const sections = new Map();
/** The languages of the table: `{id, label, highlight}`. */
export const languages = [];
for (const part of sampleTable.split("=== ").slice(1)) {
  const cut = part.indexOf("\n");
  const [id, label, highlight] = part.slice(0, cut).split(" | ");
  const body = part.slice(cut + 1).replace(/\n+$/, "");
  let nodes = null;
  // Most languages of the table are not looked at.
  sections.set(id, () => (nodes ??= nodesOf(body)));
  if (label) languages.push({ id, label, highlight });
}

const hidden = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
const code = (sign) => sign.codePointAt(0).toString(16);
/** A text between double quotes: `also` needs a backslash too, `control` writes what is not seen. */
const doubled = (text, also, control = (sign) => `\\u${code(sign).padStart(4, "0")}`) =>
  `"${text
    .replace(/["\\]/g, "\\$&")
    .replace(/[\n\r\t]/g, (sign) => ({ "\n": "\\n", "\r": "\\r", "\t": "\\t" })[sign])
    .replace(also ?? /(?!)/g, "\\$&")
    .replace(hidden, control)}"`;
const braced = (sign) => `\\u{${code(sign)}}`;
const octal = (sign) => Array.from(utf8.encode(sign), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

const literals = {
  common: (text) => doubled(text),
  dollar: (text) => doubled(text, /\$/g),
  ruby: (text) => doubled(text, /#/g),
  php: (text) => doubled(text, /\$/g, braced),
  braces: (text) => doubled(text, null, braced),
  // Two question marks would begin a trigraph.
  c: (text) => doubled(text, null, octal).replace(/\?(?=\?)/g, "?\\"),
  sh: (text) => `'${text.replaceAll("'", "'\\''")}'`,
  ps: (text) => `'${text.replace(/['\u2018-\u201b]/g, "$&$&")}'`,
  single: (text) => `'${text.replace(/[\\']/g, "\\$&")}'`,
  hashes: (text) => {
    let signs = "#";
    while (text.includes(`"${signs}`)) signs += "#";
    return signs;
  },
  replace: (text, what, by) => text.replaceAll(what, () => by),
  before: (text, what) => what + text,
  lower: (text) => text.toLowerCase(),
  title: (text) => text[0] + text.slice(1).toLowerCase(),
  chop: (text) => text.slice(0, -1),
};

/** A JSON value as a literal of a script. */
const native = (value, words, indent, step) => {
  const [yes, no, none] = words;
  const inner = " ".repeat(indent + step);
  const block = (open, lines, close) =>
    lines.length
      ? `${open}\n${lines.map((line) => inner + line).join(",\n")}\n${" ".repeat(indent)}${close}`
      : open + close;
  const of = (member) => native(member, words, indent + step, step);
  if (typeof value === "string") return literals.common(value);
  if (value instanceof Raw) return { true: yes, false: no, null: none }[value.text] ?? value.text;
  if (Array.isArray(value)) return block("[", value.map(of), "]");
  return block(
    "{",
    [...value].map(([key, member]) => `${literals.common(key)}: ${of(member)}`),
    "}",
  );
};

/** Whether a value stays the same when a script reads it as a literal and writes it as JSON. */
const isNative = (value) => {
  if (Array.isArray(value)) return value.every(isNative);
  if (value instanceof Map)
    return [...value].every(([key, member]) => key !== "__proto__" && !/^\d+$/.test(key) && isNative(member));
  if (!(value instanceof Raw) || !/\d/.test(value.text)) return true;
  const digits = value.text.replace(/^-+/, "");
  if (digits.length > 15 || /e/i.test(digits) || value.text === "-0") return false;
  return !digits.includes(".") || (!digits.endsWith("0") && !digits.startsWith("0.00000"));
};

/**
 * What templates know of a request: `{method, url, headers, body}`, where the body has `text`, `file` (a name) or
 * `parts`, and `json`, its value, if it is JSON.
 */
const scopeOf = ({ method, url, headers, body }) => {
  const rest = url.includes("://") ? url.slice(url.indexOf("://") + 3) : url;
  const cut = rest.search(/[/?]/);
  const target = cut < 0 ? "" : rest.slice(cut);
  const pairs = headers.map(([name, value]) => ({ name, value }));
  const isMedia = ({ name }) => name.toLowerCase() === "content-type";
  const of = (list) => (list.length ? list : undefined);
  const flag = (holds) => (holds ? "" : undefined);
  const names = [...new Set(body?.parts ? body.parts.map(({ file }) => file) : [body?.file])].filter(
    (name) => name !== undefined,
  );
  const files = names.map((file, i) => ({ file, index: String(i), var: i ? `file${i + 1}` : "file" }));
  const parts = body?.parts?.map(({ headers: own, ...part }, i) => ({
    ...part,
    own: of((own ?? []).map(([name, value]) => ({ name, value }))),
    index: String(i),
    var: files.find(({ file }) => file === part.file)?.var,
  }));
  return {
    method,
    url,
    host: cut < 0 ? rest : rest.slice(0, cut),
    target: target.startsWith("/") ? target : `/${target}`,
    headers: of(pairs),
    others: of(pairs.filter((pair) => !isMedia(pair))),
    media: pairs.find(isMedia)?.value,
    body: flag(body),
    text: body?.text,
    is_json: flag(body?.json !== undefined),
    native: body?.json !== undefined && isNative(body.json) ? body.json : undefined,
    is_typed: flag(parts?.some(({ type }) => type !== undefined)),
    text_lines: flag(parts?.some((part) => /[\n\r]/.test(part.text ?? ""))),
    headed: flag(parts?.some(({ own }) => own)),
    typed_text: flag(parts?.some((part) => part.own || (part.text !== undefined && part.type !== undefined))),
    twins: flag(parts && new Set(parts.map(({ name }) => name)).size < parts.length),
    parts,
    file: body?.file,
    files: of(files),
  };
};

const hasAny = (signs, text) => [...signs].some((sign) => text.includes(sign));
const tests = {
  is: (text, one) => text === one,
  in: (text, ...all) => all.includes(text),
  has: (text, signs) => hasAny(signs, text),
  holds: (text, part) => text.includes(part),
  starts: (text, signs) => text !== "" && signs.includes(text[0]),
  ends: (text, signs) => text !== "" && signs.includes(text.at(-1)),
  raw: (text) => text.includes("\n") && !text.replace(/[\n\t]/g, "").match(hidden),
};

const filled = (nodes, frames) => {
  const slot = (name) => frames.findLast((frame) => frame[name] !== undefined)?.[name];
  const holds = ({ isNegated, subject, verb, given }) => {
    const value = slot(subject);
    return (value !== undefined && (!verb || tests[verb](value, ...given))) !== isNegated;
  };
  const filter = (text, [name, ...given]) => {
    const own = sections.get(`|${name}`);
    if (own) return filled(own(), [...frames, { it: text }]);
    if (name === "lines")
      return (text?.match(/[^\n]*\n|[^\n]+/g) ?? [""]).map((line) => filter(line, [given[0]])).join(given[1]);
    return literals[name](text ?? "", ...given);
  };
  return nodes
    .map((node) => {
      if (typeof node === "string") return node;
      if (node.each) return (slot(node.each) ?? []).map((item) => filled(node.nodes, [...frames, item])).join("");
      if (node.branches) {
        const branch = node.branches.find(({ condition }) => condition.some((all) => all.every(holds)));
        return branch ? filled(branch.nodes, frames) : "";
      }
      const value = node.put.text ?? slot(node.put);
      if (node.filters[0]?.[0] !== "native") return node.filters.reduce(filter, value) ?? "";
      const [, yes, no, none, indent, step] = node.filters[0];
      return native(value, [yes, no, none], Number(indent), Number(step));
    })
    .join("");
};

/** The code that sends a request in the language called `id`. */
export const sampleOf = (id, request) => filled(sections.get(id)(), [scopeOf(request)]).replace(/[ \t\r\n]+$/, "");

/** What templates know of a request of the form (`requestOf`). */
export const sampleRequest = ({ method, url, headers, body }) => {
  const of = (made) => ({ method, url, headers, body: made });
  if (!body) return of(null);
  if (body.file) return of({ file: body.file.name || "file" });
  if (body.parts) {
    // What a part is unless it says so (RFC 7578, 4.4).
    const usual = (part) => (part.file ? "application/octet-stream" : "text/plain");
    const kind = (part) => (part.type && part.type !== usual(part) ? { type: part.type } : {});
    return of({
      parts: body.parts.map((part) => ({
        name: part.name,
        ...(part.file ? { file: part.fileName || "file" } : { text: part.text }),
        ...kind(part),
        ...(part.headers && { headers: part.headers }),
      })),
    });
  }
  try {
    return of(body.kind === "json" ? { text: body.text, json: parseJson(body.text) } : { text: body.text });
  } catch {
    // Sent as it was typed.
    return of({ text: body.text });
  }
};
