// The request that the values of a form make, byte for byte as the samples of the page have it (OpenAPI 3.1, 4.8.12).
//
// Nothing here touches the page: values and the data of the page in, a request out. Values are those of `json.js`; what
// is left blank is `undefined` and is not sent.

const utf8 = new TextEncoder();

/**
 * Percent-encodes what is not unreserved (RFC 3986, 2.3); `keeps` leaves reserved signs that end no value of a query.
 */
export const encode = (text, keeps = false) => {
  let encoded = "";
  const bytes = utf8.encode(text);
  for (const [i, byte] of bytes.entries()) {
    const sign = String.fromCharCode(byte);
    const isEscape = () => sign === "%" && /^[0-9a-fA-F]{2}$/.test(String.fromCharCode(...bytes.slice(i + 1, i + 3)));
    const isKept =
      byte < 128 && (/[A-Za-z0-9\-._~]/.test(sign) || (keeps && (":/?[]@!$'()*,;=".includes(sign) || isEscape())));
    encoded += isKept ? sign : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
};

/** A value as text: texts as they are, everything else as compact JSON. */
export const textOf = (value) => (typeof value === "string" ? value : jsonText(value));
const isNull = (value) => value instanceof Raw && value.text === "null";
/** The text of a value, or of an item of an array; `inner` has what separates the items of arrays within it. */
const nestedText = (value, [between, ...inner] = []) =>
  between !== undefined && Array.isArray(value)
    ? value.map((item) => nestedText(item, inner)).join(between)
    : textOf(value);
const encoded = (value, keeps, inner) => encode(nestedText(value, inner), keeps);

/** The pairs of a value that is a form by itself. */
const formPairs = (value) =>
  value instanceof Map
    ? [...value].flatMap(([name, member]) => inQuery(propertyOf({}, member), name, member))
    : [textOf(value)];
/** How a property of a form is written: an object as JSON, unless a style is said. */
const propertyOf = (spec, value) => ({
  ...usualEncoding,
  ...spec,
  json: spec.json || (!spec.styled && value instanceof Map),
});
/** The text of a value that is not written by its style: that of its media type. */
const contentOf = ({ json, content }, value) =>
  json ? jsonText(value) : content === "text" ? textOf(value) : content && formOf(formPairs(value));

/** What stands between the items of a list, encoded. */
const betweenOf = ({ style, explode }) =>
  (!explode && { spaceDelimited: "%20", pipeDelimited: "%7C", tabDelimited: "%09" }[style]) || ",";

/** A value in a path, encoded. `spec` has the style, as all below. */
export const inPath = (spec, name, value) => {
  const { style, explode } = spec;
  const whole = contentOf(spec, value);
  if (whole !== undefined) return encode(whole);
  const isMatrix = style === "matrix";
  const first = isMatrix ? ";" : style === "label" ? "." : "";
  const between = isMatrix && explode ? ";" : style === "label" && explode ? "." : betweenOf(spec);
  const named = isMatrix ? `;${encode(name)}=` : first;
  if (isNull(value)) return isMatrix ? `;${encode(name)}` : first;
  if (Array.isArray(value)) {
    const items = value.map((item) => encoded(item, false, spec.inner));
    if (isMatrix && explode) return items.map((item) => named + item).join("");
    return named + items.join(between);
  }
  if (value instanceof Map) {
    if (explode) return first + [...value].map(([key, member]) => `${encode(key)}=${encoded(member)}`).join(between);
    return named + [...value].flatMap(([key, member]) => [encode(key), encoded(member)]).join(",");
  }
  return named + encoded(value);
};

/** The pairs that a value adds to a query, encoded; also those of a form. */
export const inQuery = (spec, name, value) => {
  const { style, explode, allowReserved = false, content, whole, inner: separators } = spec;
  const of = (member) => encoded(member, allowReserved, separators);
  const key = encode(name);
  if (whole && content === "form") return formPairs(value);
  const text = contentOf(spec, value);
  if (text !== undefined) return [`${whole ? "" : `${key}=`}${encode(text, allowReserved)}`];
  const isJoined = !explode;
  const between = betweenOf(spec);
  if (isNull(value)) return [`${key}=`];
  if (Array.isArray(value)) {
    return isJoined ? [`${key}=${value.map(of).join(between)}`] : value.map((item) => `${key}=${of(item)}`);
  }
  if (value instanceof Map) {
    if (!value.size) return [];
    const members = [...value];
    if (style === "deepObject")
      return members.flatMap(([inner, member]) => deep(`${key}%5B${encode(inner)}%5D`, member, of));
    if (explode) return members.map(([inner, member]) => `${encode(inner)}=${of(member)}`);
    return [`${key}=${members.flatMap(([inner, member]) => [encode(inner), of(member)]).join(between)}`];
  }
  return [`${key}=${of(value)}`];
};

const isScalar = (value) => !Array.isArray(value) && !(value instanceof Map);

/**
 * `a[b][c]=1`, arrays as repeated pairs; those that hold objects or arrays with the number of each item,
 * `a[b][0][c]=1`.
 */
const deep = (name, value, of) => {
  if (value instanceof Map)
    return [...value].flatMap(([key, member]) => deep(`${name}%5B${encode(key)}%5D`, member, of));
  if (Array.isArray(value)) {
    if (value.every(isScalar)) return value.map((item) => `${name}=${of(item)}`);
    return value.flatMap((item, at) => deep(`${name}%5B${at}%5D`, item, of));
  }
  return [isNull(value) ? `${name}=` : `${name}=${of(value)}`];
};

const oneLine = (text) => text.replace(/[\r\n]/g, " ");

/** The value of a header: neither encoded nor quoted, without line breaks. */
export const inHeader = (spec, value) => {
  const { explode } = spec;
  const text = contentOf(spec, value);
  if (text !== undefined) return oneLine(text);
  if (isNull(value)) return "";
  if (Array.isArray(value))
    return oneLine(value.map((item) => nestedText(item, spec.inner)).join(decodeURIComponent(betweenOf(spec))));
  if (value instanceof Map) {
    return oneLine([...value].map(([key, member]) => `${key}${explode ? "=" : ","}${textOf(member)}`).join(","));
  }
  return oneLine(textOf(value));
};

/** A name as it stands in the `Cookie` header: what a name cannot have is encoded (RFC 6265, 4.1.1). */
const cookieName = (name) => name.replace(/[^!#-'*+\-.0-9A-Z[\]^-z|~]/gu, (sign) => encode(sign));

/**
 * The pairs that a value adds to the `Cookie` header: encoded, but for the style `cookie` and JSON, which are written
 * as they are.
 */
export const inCookie = (spec, name, value) => {
  const { style, explode, json } = spec;
  const whole = contentOf(spec, value);
  const isRaw = json || (style === "cookie" && whole === undefined);
  const [key, coded] = isRaw ? [oneLine, oneLine] : [cookieName, encode];
  const of = (member) => coded(nestedText(member, spec.inner));
  const pair = (to, text) => `${key(to)}=${text}`;
  if (whole !== undefined) return [pair(name, coded(whole))];
  if (isNull(value)) return [pair(name, "")];
  if (Array.isArray(value))
    return explode ? value.map((item) => pair(name, of(item))) : [pair(name, value.map(of).join(","))];
  if (value instanceof Map) {
    if (!value.size) return [];
    if (explode) return [...value].map(([to, member]) => pair(to, of(member)));
    return [pair(name, [...value].flatMap(([to, member]) => [coded(to), of(member)]).join(","))];
  }
  return [pair(name, of(value))];
};

/** A form (`application/x-www-form-urlencoded`) of pairs as `inQuery` gives them. */
export const formOf = (pairs) => pairs.join("&").replaceAll("%20", "+");

/** An address: a base, one trailing slash removed, and a path. */
export const addressOf = (base, path) => base.replace(/\/$/, "") + path;

/** An address with the values of the variables of a server, each a part of an address and nothing else. */
export const withVariables = (address, { variables = [] }, values = {}) => {
  let url = address;
  for (const { name, default: usual } of variables) {
    const value = encodeURI((values[name] ?? "").trim() || usual).replace(/['$]/g, (sign) =>
      sign === "$" ? "%24" : "%27",
    );
    url = url.replaceAll(`{${name}}`, () => value);
  }
  return url;
};

/** A base address with the values of its variables. */
export const baseOf = (server, values) => withVariables(server.url, server, values);

/** Whether a variable of the host of a server may have any value: the site may not know it. */
export const isFree = ({ url, variables = [] }) =>
  variables.some(({ name, values }) => !values?.length && /^[^/]*(\/\/[^/]*)?/.exec(url)[0].includes(`{${name}}`));

const mediaOf = (media) => media.split(";")[0].trim().toLowerCase();
export const isJsonMedia = (media) => /(\/|\+)json$/.test(mediaOf(media));
/** How a form of the body is edited and written: `json`, `form`, `multipart`, `file` or `text`. */
export const kindOf = ({ media, input }) => {
  if (input?.input === "file") return "file";
  const name = mediaOf(media);
  if (isJsonMedia(name)) return "json";
  if (name === "application/x-www-form-urlencoded") return "form";
  return name.startsWith("multipart/") ? "multipart" : "text";
};

const usualEncoding = { style: "form", explode: true, allowReserved: false };
const encodingOf = (body, name) => (body.encodings ?? []).find((one) => one.name === name) ?? usualEncoding;
const isFile = (value) => typeof Blob === "function" && value instanceof Blob;

/** The text of a form; properties whose type is JSON are JSON, unless a style is said. */
const formText = (body, value) => {
  if (!(value instanceof Map)) return textOf(value);
  return formOf(
    [...value].flatMap(([name, member]) => inQuery(propertyOf(encodingOf(body, name), member), name, member)),
  );
};

/** The parts of a form: one for each property, one for each item of an array. */
export const partsOf = (body, value) => {
  if (!(value instanceof Map)) return [];
  return [...value].flatMap(([name, member]) => {
    const said = encodingOf(body, name);
    const { contentType: fixed, headers } = said;
    const isOfFiles = [member].flat().some(isFile);
    if (said.styled && !isOfFiles && !isNull(member)) {
      // Nothing in a part is encoded.
      return inQuery({ ...said, json: false }, name, member).map((pair) => {
        const [part, ...text] = pair.split("=").map(decodeURIComponent);
        return { name: part, text: text.join("="), type: null };
      });
    }
    const type = fixed && !/[*,]/.test(fixed) ? fixed : null;
    const more = headers ? { headers } : {};
    return (Array.isArray(member) ? member : [member]).map((item) => {
      if (isFile(item))
        return {
          name,
          file: item,
          fileName: item.name ?? "file",
          type: type ?? (item.type || "application/octet-stream"),
          ...more,
        };
      const isNested = Array.isArray(item) || item instanceof Map;
      const text = typeof item === "string" && type && isJsonMedia(type) ? jsonText(item) : textOf(item);
      return { name, text, type: type ?? (isNested ? "application/json" : null), ...more };
    });
  });
};

/** The pieces of a `multipart/form-data` body (RFC 7578), texts and files. */
export const multipartOf = (parts, boundary) => {
  const quoted = (text) => text.replace(/\r\n|\r|\n/g, "%0D%0A").replaceAll('"', "%22");
  const pieces = [];
  for (const part of parts) {
    const file = part.file ? `; filename="${quoted(part.fileName)}"` : "";
    const headers = [...(part.type ? [["Content-Type", part.type]] : []), ...(part.headers ?? [])];
    const lines = headers.map(([name, value]) => `${oneLine(name)}: ${oneLine(value)}\r\n`).join("");
    pieces.push(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(part.name)}"${file}\r\n${lines}\r\n`);
    pieces.push(part.file ?? part.text, "\r\n");
  }
  pieces.push(`--${boundary}--\r\n`);
  return pieces;
};

const base64 = (text) => btoa(String.fromCharCode(...utf8.encode(text)));

/**
 * The credentials of the schemes of an alternative: `given` has what was typed by the key of the scheme. With `secrets`
 * they are left out (`"none"`) or stand as the samples of the page have them where nothing was typed (`"placeholder"`).
 */
const credentials = (schemes, given, secrets) => {
  const put = { query: [], headers: [], cookies: [] };
  for (const scheme of schemes) {
    const typed = given[scheme.key] ?? {};
    const hidden = { key: "<api-key>", bearer: "<token>" }[scheme.kind];
    if (scheme.kind === "none" || secrets === "none") continue;
    if (scheme.kind === "basic") {
      const has = typed.user || typed.password;
      if (has) put.headers.push(["Authorization", `Basic ${base64(`${typed.user ?? ""}:${typed.password ?? ""}`)}`]);
      else if (secrets === "placeholder") put.headers.push(["Authorization", "Basic <credentials>"]);
      continue;
    }
    const value = oneLine(typed.value?.trim() || (secrets === "placeholder" ? hidden : ""));
    if (!value) continue;
    if (scheme.kind === "bearer")
      put.headers.push(["Authorization", /^bearer\s/i.test(value) ? value : `Bearer ${value}`]);
    else if (scheme.in === "query") put.query.push(`${encode(scheme.name)}=${encode(value)}`);
    else if (scheme.in === "cookie") put.cookies.push(`${scheme.name}=${value}`);
    else put.headers.push([scheme.name, value]);
  }
  return put;
};

/**
 * The request of the form: `{method, url, headers, cookies, body}`. `body` is `null` or `{kind, text | file | parts}`;
 * the type of parts is told by whoever chooses their boundary. `island` is the data of the page; `values` has `server`
 * and `variables`, `alternative` and `auth`, `parameters` in the order of the island's, and `body` with `index`,
 * `value` or `text` and `media`.
 * @param {any} island
 * @param {any} values
 * @param {{ secrets?: any }} [options]
 */
export const requestOf = (island, values, { secrets } = {}) => {
  const schemes = island.security?.[values.alternative ?? 0] ?? [];
  const { query: keys, headers, cookies } = credentials(schemes, values.auth ?? {}, secrets);
  const query = [];
  let path = island.path;
  for (const [i, spec] of (island.parameters ?? []).entries()) {
    const value = values.parameters?.[i];
    if (value === undefined) continue;
    if (spec.in === "path") path = path.replaceAll(`{${spec.name}}`, () => inPath(spec, spec.name, value));
    else if (spec.in === "query") query.push(...inQuery(spec, spec.name, value));
    else if (spec.in === "header") headers.push([spec.name, inHeader(spec, value)]);
    else cookies.push(...inCookie(spec, spec.name, value));
  }
  query.push(...keys);
  if (island.accept) headers.push(["Accept", island.accept]);
  if (cookies.length) headers.push(["Cookie", cookies.join("; ")]);
  const form = island.bodies?.[values.body?.index ?? 0];
  const body = form ? bodyOf(form, values.body ?? {}) : null;
  if (body && body.kind !== "multipart") {
    const usual = body.kind === "file" ? body.file.type || "application/octet-stream" : "application/json";
    const media = values.body?.media?.trim() || (form.media.includes("*") ? usual : form.media);
    headers.push(["Content-Type", oneLine(media)]);
  }
  let url = addressOf(baseOf(island.servers[values.server ?? 0], values.variables), path);
  // A path of the document may hold a query of its own.
  if (query.length) url += `${url.includes("?") ? "&" : "?"}${query.join("&")}`;
  return { method: island.method, url, headers, body };
};

/**
 * The body of a form: `text` as it was typed, or a value.
 * @param {any} form
 * @param {{ value?: any, text?: string }} body
 */
const bodyOf = (form, { value, text }) => {
  const kind = kindOf(form);
  if (kind === "file") return isFile(value) ? { kind, file: value } : null;
  if (kind === "multipart") return value === undefined ? null : { kind, parts: partsOf(form, value) };
  if (text !== undefined) return text === "" ? null : { kind, text };
  if (value === undefined) return null;
  if (kind === "form") return { kind, text: formText(form, value) };
  return { kind, text: kind === "json" ? prettyJson(value) : textOf(value) };
};
