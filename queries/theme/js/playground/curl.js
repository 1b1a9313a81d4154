// A command of curl, read into the form: what it sends, and what of that the form has a place for.
//
// Nothing here touches the page, and nothing is run: quotes are taken off as a shell does, and what a shell would put
// in is left.

const ansi = { n: "\n", r: "\r", t: "\t", a: "\u0007", b: "\b", e: "\u001b", f: "\f", v: "\v" };

/** The words of a command as a POSIX shell parts them; `null` if a quote has no end. */
export const shellWords = (text) => {
  const words = [];
  let word = null;
  let at = 0;
  const add = (part) => (word = (word ?? "") + part);
  while (at < text.length) {
    const sign = text[at];
    if (/\s/.test(sign)) {
      if (word !== null) words.push(word);
      word = null;
      at += 1;
    } else if (sign === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return null;
      add(text.slice(at + 1, end));
      at = end + 1;
    } else if (sign === "$" && text[at + 1] === "'") {
      const quoted = /^\$'((?:[^'\\]|\\[^])*)'/.exec(text.slice(at));
      if (!quoted) return null;
      const put = (_, code, octal, one) =>
        code
          ? String.fromCodePoint(parseInt(code, 16))
          : octal
            ? String.fromCharCode(parseInt(octal, 8))
            : (ansi[one] ?? one);
      add(quoted[1].replace(/\\(?:[xuU]([0-9a-fA-F]{1,8})|([0-7]{1,3})|([^]))/g, put));
      at += quoted[0].length;
    } else if (sign === '"') {
      const quoted = /^"((?:[^"\\]|\\[^])*)"/.exec(text.slice(at));
      if (!quoted) return null;
      add(quoted[1].replace(/\\(\r?\n)/g, "").replace(/\\(["\\$`])/g, "$1"));
      at += quoted[0].length;
    } else if (sign === "\\") {
      const line = /^\\\r?\n/.exec(text.slice(at));
      if (!line && at + 1 < text.length) add(text[at + 1]);
      at += line ? line[0].length : 2;
    } else if (/[|;<>]/.test(sign) || (sign === "&" && (word === null || /\s|&|$/.test(text[at + 1] ?? " ")))) {
      // What follows is another command.
      break;
    } else {
      add(sign);
      at += 1;
    }
  }
  if (word !== null) words.push(word);
  return words;
};

const valued = {
  X: "method",
  request: "method",
  H: "header",
  header: "header",
  d: "data",
  data: "data",
  "data-ascii": "data",
  "data-raw": "raw",
  "data-binary": "data",
  "data-urlencode": "encoded",
  json: "json",
  F: "part",
  form: "part",
  "form-string": "text",
  u: "user",
  user: "user",
  b: "cookie",
  cookie: "cookie",
  url: "url",
  "oauth2-bearer": "bearer",
  A: "none",
  "user-agent": "none",
  e: "none",
  referer: "none",
  o: "none",
  output: "none",
};
// What holds a part of the request that stands elsewhere.
const bodies = ["T", "upload-file", "K", "config"];
// What says nothing of the request itself.
const unused = [
  ...bodies,
  "m",
  "max-time",
  "connect-timeout",
  "retry",
  "x",
  "proxy",
  "cacert",
  "E",
  "cert",
  "key",
  "w",
  "write-out",
  "c",
  "cookie-jar",
  "resolve",
  "D",
  "dump-header",
  "max-redirs",
  "limit-rate",
  "C",
  "r",
  "range",
  "t",
  "U",
  "y",
  "Y",
  "z",
];
const flags = { G: "get", get: "get", I: "head", head: "head" };

/** The request of a command: `{method, url, headers, data, parts, user, left}`; `null` if it is none of curl. */
export const curlRequest = (text) => {
  const words = shellWords(text.trim().replace(/^[$#>]\s+/, ""));
  const from = words?.findIndex((word) => /^(?:.*\/)?curl(?:\.exe)?$/.test(word)) ?? -1;
  if (from < 0) return null;
  const found = { headers: [], data: undefined, parts: [], left: [] };
  const given = {};
  const list = words.slice(from + 1);
  const join = (more) => (found.data = found.data === undefined ? more : `${found.data}&${more}`);
  const take = (name, value) => {
    if (value === undefined) return;
    const kind = valued[name];
    if (kind === undefined && bodies.includes(name)) found.left.push(`${name.length > 1 ? "--" : "-"}${name} ${value}`);
    else if (kind === "method" || kind === "user" || kind === "url" || kind === "bearer") given[kind] = value;
    else if (kind === "header") {
      const [, key, rest] = /^([^:;]+)[:;]\s*([^]*)$/.exec(value) ?? [];
      if (key) found.headers.push([key.trim(), rest]);
    } else if (kind === "data" && value.startsWith("@")) found.left.push(`-d ${value}`);
    else if (kind === "data" || kind === "raw") join(value);
    else if (kind === "json") {
      join(value);
      given.json = true;
    } else if (kind === "encoded") {
      const cut = value.indexOf("=");
      if (cut < 0 && value.includes("@")) found.left.push(`--data-urlencode ${value}`);
      else
        join(
          cut > 0
            ? `${value.slice(0, cut)}=${encodeURIComponent(value.slice(cut + 1))}`
            : encodeURIComponent(value.slice(cut + 1)),
        );
    } else if (kind === "part" || kind === "text") {
      const cut = value.indexOf("=");
      const [key, rest] = [value.slice(0, cut), value.slice(cut + 1)];
      if (kind === "part" && /^[@<]/.test(rest)) found.left.push(`-F ${value}`);
      else
        found.parts.push([
          key,
          kind === "part"
            ? rest
                .replace(/;headers="(?:[^"\\]|\\.)*"/g, "")
                .replace(/;type=[^;]*$/, "")
                .replace(/^"([^]*)"$/, "$1")
            : rest,
        ]);
    } else if (kind === "cookie") {
      if (value.includes("=")) found.headers.push(["Cookie", value]);
      else found.left.push(`-b ${value}`);
    }
  };
  for (let i = 0; i < list.length; i += 1) {
    const word = list[i];
    if (word.startsWith("--") && word.length > 2) {
      const name = word.slice(2);
      if (valued[name] !== undefined || unused.includes(name)) take(name, list[++i]);
      else if (flags[name]) given[flags[name]] = true;
    } else if (word.startsWith("-") && word.length > 1) {
      for (let at = 1; at < word.length; at += 1) {
        const name = word[at];
        if (valued[name] !== undefined || unused.includes(name)) {
          take(name, at + 1 < word.length ? word.slice(at + 1) : list[++i]);
          break;
        }
        if (flags[name]) given[flags[name]] = true;
      }
    } else if (given.url === undefined) given.url = word;
  }
  if (given.url === undefined) return null;
  let { url } = given;
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) url = ["http:", "", url].join("/");
  url = url.replace(/#.*$/s, "");
  if (given.get && found.data !== undefined) {
    url += `${url.includes("?") ? "&" : "?"}${found.data}`;
    found.data = undefined;
  }
  const hasBody = found.data !== undefined || found.parts.length > 0;
  if (given.json && !found.headers.some(([name]) => /^content-type$/i.test(name)))
    found.headers.push(["Content-Type", "application/json"]);
  if (given.bearer) found.headers.push(["Authorization", `Bearer ${given.bearer}`]);
  const method = given.method ?? (given.head ? "HEAD" : hasBody ? "POST" : "GET");
  return { ...found, method, url, user: given.user };
};

const decodedPart = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
const decodedPair = (text) => decodedPart(text.replaceAll("+", " "));
const pairsOf = (text) =>
  text
    .split("&")
    .filter(Boolean)
    .map((pair) => {
      const cut = pair.indexOf("=");
      return cut < 0 ? [decodedPair(pair), ""] : [decodedPair(pair.slice(0, cut)), decodedPair(pair.slice(cut + 1))];
    });

/** A text as the value of an input. */
const valueFor = (input, text) => {
  if (!input || input.input === "text" || input.input === "file") return text;
  if (input.input === "choice") return input.values.find((value) => textOf(value) === text) ?? text;
  if (input.input === "number")
    return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? new Raw(text) : text;
  if (input.input === "boolean") return ["true", "false"].includes(text) ? new Raw(text) : undefined;
  try {
    const value = parseJson(text);
    return input.input === "list" && !Array.isArray(value) ? [valueFor(input.item, text)] : value;
  } catch {
    return input.input === "list" ? [valueFor(input.item, text)] : text;
  }
};

/** The value of a parameter or a property among pairs of names and texts, which it takes out of them. */
const takenFrom = (pairs, spec, name) => {
  const take = (is) => {
    const taken = pairs.filter(([key]) => is(key));
    for (const pair of taken) pairs.splice(pairs.indexOf(pair), 1);
    return taken;
  };
  const fieldOf = (key) => spec.fields?.find((field) => field.name === key) ?? spec.others;
  if (spec.input === "object" && spec.style === "deepObject") {
    const members = take((key) => key.startsWith(`${name}[`) && /^\[[^[\]]+\](\[\])?$/.test(key.slice(name.length)));
    const found = new Map();
    for (const [key, text] of members) {
      const inner = key.slice(name.length + 1).replace(/\](\[\])?$/, "");
      const field = fieldOf(inner);
      const value = valueFor(field, text);
      found.set(inner, field?.input === "list" && found.has(inner) ? [...found.get(inner), ...value] : value);
    }
    return found.size ? found : undefined;
  }
  if (spec.input === "object" && spec.explode && !spec.json && spec.in) {
    const members = take((key) => spec.fields.some((field) => field.name === key));
    return members.length ? new Map(members.map(([key, text]) => [key, valueFor(fieldOf(key), text)])) : undefined;
  }
  const texts = take((key) => key === name || (spec.input === "list" && key === `${name}[]`)).map(([, text]) => text);
  if (!texts.length) return undefined;
  if (spec.input === "list" && !spec.json) {
    const between = { spaceDelimited: " ", pipeDelimited: "|" }[spec.style] ?? ",";
    const items = spec.explode === false ? texts.flatMap((text) => text.split(between)) : texts;
    return items.map((text) => valueFor(spec.item, text));
  }
  return valueFor(spec, texts[0]);
};

const escapedPattern = (text) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");

/** The server that a base address is of, and the values of its variables; `null` if it is of none. */
const serverFor = (island, base) => {
  for (const server of island.servers) {
    const names = [];
    const pattern = escapedPattern(server.url.replace(/\/$/, "")).replace(/\{([^}]*)\}/g, (_, name) => {
      names.push(name);
      return "([^/]*)";
    });
    const found = new RegExp(`^${pattern}/?$`).exec(base);
    if (found)
      return {
        url: server.url,
        variables: Object.fromEntries(names.map((name, i) => [name, decodedPart(found[i + 1])])),
      };
  }
  return null;
};

/** What a command fills in: `{start, auth, left}` for the form, or `{error}` for its reader. */
export const importCurl = (island, text) => {
  const request = curlRequest(text);
  if (!request) return { error: say("CurlUnread", "This is not a curl command.") };
  const [address, search = ""] = [request.url.split("?")[0], request.url.split("?").slice(1).join("?")];
  const [, origin, path] = /^([a-z][a-z0-9+.-]*:\/\/[^/]*)([^]*)$/i.exec(address);
  const names = [];
  const pattern = escapedPattern(island.path.split("?")[0]).replace(/\{([^}]*)\}/g, (_, name) => {
    names.push(name);
    return "([^/]*)";
  });
  const found = new RegExp(`^(.*?)${pattern}/?$`).exec(path);
  if (!found || request.method.toUpperCase() !== island.method.toUpperCase()) {
    return {
      error: say("CurlOther", "The command sends {}, which is another operation.", `${request.method} ${path || "/"}`),
    };
  }
  const left = [...request.left];
  const base = `${origin}${found[1]}`;
  const server = serverFor(island, base);
  if (!server) left.push(base);
  const inside = new Map(names.map((name, i) => [name, decodedPart(found[i + 2])]));
  const query = pairsOf(search);
  const headers = [...request.headers];
  const takeHeader = (name) => {
    const at = headers.findIndex(([key]) => key.toLowerCase() === name.toLowerCase());
    return at < 0 ? undefined : headers.splice(at, 1)[0][1];
  };
  const cookies = (takeHeader("Cookie") ?? "")
    .split(/;\s*/)
    .filter(Boolean)
    .map((pair) => [pair.split("=")[0], pair.split("=").slice(1).join("=")]);
  const media = takeHeader("Content-Type");
  for (const name of ["Accept", "User-Agent", "Content-Length", "Host"]) takeHeader(name);

  // The alternative of which most is there.
  const authorization = takeHeader("Authorization");
  const bearer = /^bearer\s+(.+)$/i.exec(authorization ?? "")?.[1];
  let user = request.user;
  const basic = /^basic\s+(\S+)$/i.exec(authorization ?? "")?.[1];
  if (basic && user === undefined) {
    try {
      user = new TextDecoder().decode(Uint8Array.from(atob(basic), (sign) => sign.charCodeAt(0)));
    } catch {
      // No credentials that anybody can read.
    }
  }
  const credentialOf = (scheme) => {
    if (scheme.kind === "basic")
      return user === undefined
        ? undefined
        : { user: user.split(":")[0], password: user.split(":").slice(1).join(":") };
    if (scheme.kind === "bearer") return bearer && { value: bearer };
    const listed = { query, cookie: cookies }[scheme.in] ?? headers;
    const value = listed.find(([name]) =>
      listed === headers ? name.toLowerCase() === scheme.name?.toLowerCase() : name === scheme.name,
    )?.[1];
    return value && { value, listed };
  };
  const alternatives = island.security ?? [];
  const scores = alternatives.map(
    (schemes) => schemes.filter((scheme) => credentialOf(scheme)).length / Math.max(1, schemes.length),
  );
  const best = Math.max(0, ...scores);
  const alternative = best > 0 ? scores.indexOf(best) : undefined;
  const auth = {};
  for (const scheme of alternatives[alternative] ?? []) {
    const credential = credentialOf(scheme);
    if (!credential) continue;
    const { listed, ...typed } = credential;
    auth[scheme.key] = typed;
    if (listed)
      listed.splice(
        listed.findIndex(([name]) => name.toLowerCase() === scheme.name.toLowerCase()),
        1,
      );
  }
  const used = (kind) => (alternatives[alternative] ?? []).some((scheme) => scheme.kind === kind);
  if (authorization && !(bearer && used("bearer")) && !(basic && used("basic"))) left.push("Authorization");

  const parameters = (island.parameters ?? []).map((spec) => {
    if (spec.in === "path") {
      const text = inside.get(spec.name);
      // The samples of the page have the name where a value is to be put.
      return text === undefined || text === `{${spec.name}}`
        ? undefined
        : spec.input === "list"
          ? text.split(",").map((one) => valueFor(spec.item, one))
          : valueFor(spec, text);
    }
    if (spec.in === "query") return takenFrom(query, spec, spec.name);
    if (spec.in === "cookie") return takenFrom(cookies, spec, spec.name);
    const value = takeHeader(spec.name);
    if (value === undefined) return undefined;
    return spec.input === "list" && !spec.json
      ? value.split(/,\s*/).map((one) => valueFor(spec.item, one))
      : valueFor(spec, value);
  });

  let body;
  const forms = island.bodies ?? [];
  if (request.data !== undefined || request.parts.length) {
    const kind = request.parts.length ? "multipart/form-data" : mediaOf(media ?? "application/x-www-form-urlencoded");
    const form =
      forms.find((one) => mediaOf(one.media) === kind) ??
      forms.find((one) => one.media.includes("*") || (media === undefined && isJsonMedia(one.media)));
    if (!form) left.push(request.parts.length ? "-F" : "-d");
    else if (["form", "multipart"].includes(kindOf(form))) {
      const pairs = request.parts.length ? [...request.parts] : pairsOf(request.data);
      const fields = form.input?.fields ?? [];
      const members = fields.map((field) => [
        field.name,
        takenFrom(pairs, { ...encodingOf(form, field.name), ...field }, field.name),
      ]);
      const value = new Map([...members.filter(([, member]) => member !== undefined), ...pairs]);
      body = { of: form.media, value: jsonText(value) };
    } else body = { of: form.media, text: request.data, media: form.media.includes("*") ? media : undefined };
  }
  left.push(
    ...query.map(([name]) => `?${name}`),
    ...headers.map(([name]) => name),
    ...cookies.map(([name]) => `Cookie ${name}`),
  );
  const texts = parameters.map((value) => (value === undefined ? undefined : jsonText(value)));
  return {
    start: { url: server?.url, variables: server?.variables ?? {}, alternative, parameters: texts, body },
    auth,
    left,
  };
};
