// The colors of code that follows the form: those that the build gives it (`queries/highlight/`), by one small
// reader. The words are those that stand in samples.
const slashes = { comment: "\\/\\/[^\\n]*|\\/\\*[^]*?\\*\\/" };
const hash = { comment: "#[^\\n]*" };
const script = {
  ...slashes,
  multiline: ["`"],
  keywords: "await const from import new type",
  constants: "false null true",
};
const block = { ...slashes, multiline: ['"""'], decorators: true };
const grammars = {
  bash: {
    comment: "(?<!\\S)#[^\\n]*",
    dollars: true,
    flags: true,
    isShell: true,
    keywords: "case do done else export fi for function if in local return set then until while",
    constants: "false true",
  },
  python: {
    ...hash,
    multiline: ['"""', "'''"],
    decorators: true,
    keywords: "import",
    constants: "False None True",
    types: "list",
  },
  javascript: script,
  typescript: script,
  php: {
    comment: `${slashes.comment}|${hash.comment}`,
    dollars: true,
    keywords: "echo new php",
    constants: "false null true",
  },
  go: {
    ...slashes,
    multiline: ["`"],
    keywords: "defer func if import package",
    constants: "false nil true",
    types: "string",
  },
  java: {
    ...block,
    keywords: "class import new public static throws var",
    constants: "false null true",
    types: "void",
  },
  kotlin: { ...block, keywords: "fun import val", constants: "false null true" },
  swift: { ...block, keywords: "as await for import let self try var", constants: "false nil true" },
  dart: { ...block, keywords: "as async await final import", constants: "false null true", types: "void" },
  csharp: { ...slashes, keywords: "await new using var", constants: "false null true", types: "string" },
  c: { ...slashes, keywords: "include return struct", constants: "NULL false true", types: "int void" },
  rust: { ...slashes, quotes: '"', keywords: "dyn fn let", constants: "false true" },
  ruby: { ...hash, keywords: "do end puts require", constants: "false nil true" },
  powershell: { comment: "#[^\\n]*|<#[^]*?#>", dollars: true, flags: true, isQuiet: true },
};

const prepared = new Map();
/** A grammar as one pattern, whose groups tell what was found, and a table of its words. */
const readerOf = (language) => {
  if (prepared.has(language)) return prepared.get(language);
  const grammar = grammars[language];
  const kinds = new Map(
    Object.entries({ k: grammar.keywords, b: grammar.constants, t: grammar.types }).flatMap(([kind, words]) =>
      (words ?? "").split(" ").map((word) => [word, kind]),
    ),
  );
  const quoted = [...(grammar.quotes ?? "\"'")].map((quote) => `${quote}(?:\\\\[^]|[^${quote}\\\\\\n])*${quote}?`);
  const rules = {
    word: `[A-Za-z_\\u0080-\\uffff]${grammar.isShell ? "[\\w\\u0080-\\uffff\\-./:]*" : "[\\w\\u0080-\\uffff]*"}`,
    comment: grammar.comment,
    string: [
      ...(grammar.multiline ?? []).map((quote) => `${quote}(?:\\\\[^]|(?!${quote})[^])*(?:${quote})?`),
      ...quoted,
    ].join("|"),
    variable: grammar.dollars && "\\$\\{[^}]*\\}|\\$[\\w\\u0080-\\uffff]*",
    decorator: grammar.decorators && "@[\\w\\u0080-\\uffff][\\w.\\u0080-\\uffff]*",
    flag: grammar.flags && "(?<!\\S)-[\\w-]+",
    number: "\\d[A-Za-z0-9._]*",
    sign: "[^\\s]",
  };
  const pattern = Object.entries(rules)
    .filter(([, rule]) => rule)
    .map(([name, rule]) => `(?<${name}>${rule})`)
    .join("|");
  const reader = { ...grammar, kinds, pattern: new RegExp(`${pattern}|\\s`, "g") };
  prepared.set(language, reader);
  return reader;
};

/** A string of a shell with its variables. */
const ofShellString = (text) => text.split(/(?<!\\)(\$\{[^}]*\}|\$\w+)/).map((piece, i) => [i % 2 ? "v" : "s", piece]);

function* tokensOfWords(language, text) {
  const { kinds, pattern, isShell, isQuiet } = readerOf(language);
  let beginsCommand = true;
  for (const { 0: all, index, groups } of text.matchAll(pattern)) {
    const next = text[index + all.length];
    if (groups.word) {
      let kind = kinds.get(all) ?? "";
      if (!kind && isShell) kind = beginsCommand && !all.includes("/") ? (next === "=" ? "v" : "f") : "";
      else if (!kind && !isQuiet) kind = next === "(" ? "f" : /^[A-Z].*[a-z]/.test(all) ? "t" : "";
      beginsCommand = false;
      yield [kind, all];
    } else if (groups.string !== undefined) {
      beginsCommand = false;
      if (isShell && all.startsWith('"')) yield* ofShellString(all);
      else yield ["s", all];
    } else if (groups.sign !== undefined) {
      if (isShell) {
        if ("|;&(".includes(all)) beginsCommand = true;
        yield ["|&;<>".includes(all) ? "o" : "", all];
      } else yield [all === "." || isQuiet ? "" : "(){}[],;:".includes(all) ? "u" : "o", all];
    } else if (groups.number !== undefined) yield [!isShell || next === undefined || /\s/.test(next) ? "n" : "", all];
    else if (groups.comment) yield ["c", all];
    else if (groups.variable !== undefined) {
      beginsCommand = false;
      yield ["v", all];
    } else if (groups.decorator) yield ["f", all];
    else if (groups.flag) yield ["a", all];
    else {
      if (all === "\n") beginsCommand = text[index - 1] !== "\\";
      yield ["", all];
    }
  }
}

function* tokensOfHttp(text) {
  for (const [i, line] of text.split(/(?<=\n)/).entries()) {
    const parts = i
      ? /^([\w\u0080-\uffff-]*)(:)(.*?)(\s*)$/s.exec(line)
      : /^([A-Z]*)(.*?)(HTTP\/\S*)(\s*)$/s.exec(line);
    const kinds = i ? ["p", "u", "s", ""] : ["k", "", "b", ""];
    if (parts) yield* parts.slice(1).map((piece, at) => [kinds[at], piece]);
    else yield ["", line];
  }
}

function* tokensOfJson(text) {
  const pattern =
    /(?<p>"(?:\\[^]|[^"\\\n])*"(?= *:))|(?<s>"(?:\\[^]|[^"\\\n])*"?)|(?<n>-?\d[\w.+-]*)|(?<b>\b(?:true|false|null)\b)|(?<u>[{}[\],:])|[^]/g;
  for (const { 0: all, groups } of text.matchAll(pattern))
    yield [Object.keys(groups).find((kind) => groups[kind] !== undefined) ?? "", all];
}

/** Code in the colors of `language`: pieces that are not plain are elements, none of which runs over lines. */
export const colored = (language, text) => {
  const code = document.createDocumentFragment();
  let [kind, held] = ["", ""];
  const put = () => {
    for (const [i, piece] of held.split("\n").entries()) {
      if (i) code.append("\n");
      if (!piece) continue;
      const element = kind ? document.createElement("span") : null;
      if (element) {
        element.className = `t-${kind}`;
        element.textContent = piece;
      }
      code.append(element ?? piece);
    }
  };
  const tokens =
    language === "http"
      ? tokensOfHttp(text)
      : language === "json"
        ? tokensOfJson(text)
        : grammars[language]
          ? tokensOfWords(language, text)
          : [["", text]];
  for (const [next, piece] of tokens) {
    if (next !== kind) {
      put();
      [kind, held] = [next, ""];
    }
    held += piece;
  }
  put();
  code.normalize();
  return code;
};
