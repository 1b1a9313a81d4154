// JSON without loss: numbers stay the texts they were typed as, objects keep their order.
//
// A value is a string, an array, a Map, a `Raw` (a number, true, false or null as text) or, in forms only, a File.

// The words of the page's language by their names (`words.rs`). Where none were read, they are those that stand here.
let spoken = {};
export const speak = (words) => {
  spoken = words ?? {};
};
/**
 * What `name` says in the language of the page, about `what`.
 * @param {unknown} [what]
 */
const say = (name, english, what = "") => (spoken[name] ?? english).replace("{}", () => what);

export class Raw {
  constructor(text) {
    this.text = text;
  }
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
const plain = /[^"\\\u0000-\u001f]*/y;
const escapes = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Where a text stops being JSON. */
export class JsonError extends Error {
  constructor(message, text, at) {
    const before = text.slice(0, at);
    const line = before.split("\n").length;
    super(`${say("AtLine", "Line {}", `${line}:${at - before.lastIndexOf("\n")}`)}: ${message}`);
    this.at = at;
  }
}

// Deeper than anybody types, and far from where a browser runs out of stack.
const maxDepth = 1000;

/** The value of a JSON text. */
export const parseJson = (text) => {
  let at = 0;
  const fail = (message) => {
    throw new JsonError(at < text.length ? message : say("EndsEarly", "The text ends too early"), text, at);
  };
  const blank = () => {
    while (at < text.length && " \t\n\r".includes(text[at])) at += 1;
  };
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const string = () => {
    at += 1;
    let value = "";
    for (;;) {
      value += match(plain);
      if (text[at] === '"') {
        at += 1;
        return value;
      }
      if (text[at] !== "\\") fail(say("ControlInText", "A line break or control character within a text"));
      const sign = text[at + 1];
      if (sign === "u") {
        const digits = text.slice(at + 2, at + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) fail(say("BadEscape", "An unknown escape"));
        value += String.fromCharCode(parseInt(digits, 16));
        at += 6;
      } else {
        if (!(sign in escapes)) fail(say("BadEscape", "An unknown escape"));
        value += escapes[sign];
        at += 2;
      }
    }
  };
  const value = (depth) => {
    if (depth > maxDepth) fail(say("TooManyLevels", "Too many levels"));
    blank();
    const sign = text[at];
    if (sign === '"') return string();
    if (sign === "[") {
      at += 1;
      const items = [];
      blank();
      if (text[at] === "]") at += 1;
      else {
        for (;;) {
          items.push(value(depth + 1));
          blank();
          if (text[at] === "]") break;
          if (text[at] !== ",") fail(say("Missing", "Missing: {}", ", ]"));
          at += 1;
        }
        at += 1;
      }
      return items;
    }
    if (sign === "{") {
      at += 1;
      const members = new Map();
      blank();
      if (text[at] === "}") at += 1;
      else {
        for (;;) {
          blank();
          if (text[at] !== '"') fail(say("Missing", "Missing: {}", '"…"'));
          const key = string();
          blank();
          if (text[at] !== ":") fail(say("Missing", "Missing: {}", ":"));
          at += 1;
          members.set(key, value(depth + 1));
          blank();
          if (text[at] === "}") break;
          if (text[at] !== ",") fail(say("Missing", "Missing: {}", ", }"));
          at += 1;
        }
        at += 1;
      }
      return members;
    }
    const raw = match(number) || match(word);
    return raw ? new Raw(raw) : fail(say("NotValue", "Not a value"));
  };
  const whole = value(0);
  blank();
  if (at < text.length) fail(say("ExtraText", "Something follows the value"));
  return whole;
};

/** The compact JSON text of a value. */
export const jsonText = (value) => {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (value instanceof Map)
    return `{${[...value].map(([key, member]) => `${JSON.stringify(key)}:${jsonText(member)}`).join(",")}}`;
  return "null";
};

/** The JSON text of a value, indented by two spaces. */
export const prettyJson = (value, indent = "") => {
  const inner = `${indent}  `;
  const block = (open, lines, close) =>
    lines.length ? `${open}\n${inner}${lines.join(`,\n${inner}`)}\n${indent}${close}` : open + close;
  if (Array.isArray(value))
    return block(
      "[",
      value.map((item) => prettyJson(item, inner)),
      "]",
    );
  if (value instanceof Map) {
    return block(
      "{",
      [...value].map(([key, member]) => `${JSON.stringify(key)}: ${prettyJson(member, inner)}`),
      "}",
    );
  }
  return jsonText(value);
};

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]|\s+|[^]/gy;

/** The tokens of a JSON text, finished or not: kind and text; together they are the text. */
export function* jsonTokens(text) {
  for (const [all, string, colon] of text.matchAll(token)) {
    if (string !== undefined) {
      yield [colon === undefined ? "string" : "property", string];
      if (colon) yield ["", colon];
    } else if (/^[-\d]/.test(all)) yield ["number", all];
    else if (/^[a-z]/.test(all) && all.length > 1) yield ["constant", all];
    else yield ["", all];
  }
}

/** Lays tokens out anew, without reading a number: only the blanks between them are others. */
export const layouter = () => {
  const parts = [];
  let indent = "";
  let isOpen = false;
  const layer = {
    count: 0,
    /** @param {any[]} token */
    push: ([kind, piece]) => {
      layer.count += 1;
      const sign = kind === "" ? piece.trim() : piece;
      if (!sign) return;
      if (kind === "" && (sign === "}" || sign === "]")) {
        indent = indent.slice(2);
        parts.push(isOpen ? sign : `\n${indent}${sign}`);
        isOpen = false;
        return;
      }
      if (isOpen) parts.push(`\n${indent}`);
      isOpen = kind === "" && (sign === "{" || sign === "[");
      if (isOpen) indent += "  ";
      if (kind === "" && sign === ",") parts.push(`,\n${indent}`);
      else parts.push(kind === "" && sign === ":" ? ": " : sign);
    },
    text: () => parts.join(""),
  };
  return layer;
};

/** A JSON text laid out anew. */
export const layOut = (text) => {
  const layer = layouter();
  for (const token of jsonTokens(text)) layer.push(token);
  return layer.text();
};
