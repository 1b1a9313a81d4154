// Sends a request: through the site, or straight to the API.
const timeLimit = 60_000;

/** Why nothing came back; `kind` is `network`, `relay`, `time` or `cancelled`. */
export class SendError extends Error {
  constructor(kind, message, code) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

/** What the relay says of a refusal, by its code; `about` is the host, the reason or the number that it names. */
const refusals = {
  "relay-target": (about) =>
    about &&
    say("RelayTarget", "{} is no server of this API. Whoever runs this site can allow it with --relay-allow.", about),
  "relay-address": (about) =>
    about &&
    say(
      "RelayAddress",
      "{} is not at a public address. Whoever runs this site can allow it with --relay-allow.",
      about,
    ),
  "relay-unreachable": (about) => about && say("RelayUnreached", "The API cannot be reached: {}", about),
  "body-too-large": (about) => about && say("RelayTooLong", "The body is longer than {} MiB.", about),
  "malformed-request": (about) => about && say("RelayMalformed", "The site cannot pass this request on: {}", about),
  "relay-timeout": (_, status) => status === 504 && say("RelayTimeout", "The API did not answer in time."),
  "relay-limit": () => say("RelayBusy", "There are too many requests. Wait a moment."),
  stopping: () => say("RelayStops", "The site is being restarted. Send the request again in a moment."),
  "cross-origin": () => say("RelayForeign", "Only the pages of this site send requests through it."),
};
/**
 * The words for a refusal: those of the page, else those of the site.
 * @param {number} status
 * @param {{ code?: string, message?: string, about?: any }} [refusal]
 */
const refusalOf = (status, { code, message, about } = {}) =>
  (Object.hasOwn(refusals, code ?? "") && refusals[code](about, status)) ||
  message ||
  say("RelayStatus", "The site answers with status {}.", status);

/** The media type and the pieces of what is sent. */
const payloadOf = ({ body, headers }) => {
  if (!body) return { pieces: [], headers };
  if (body.kind !== "multipart") return { pieces: [body.file ?? body.text], headers };
  const random = crypto.getRandomValues(new Uint8Array(12));
  const boundary = `----quire${[...random].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  return {
    pieces: multipartOf(body.parts, boundary),
    headers: [...headers, ["Content-Type", `multipart/form-data; boundary=${boundary}`]],
  };
};

// What a page may not set; a browser drops them without a word.
const forbidden =
  /^(accept-charset|accept-encoding|access-control-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/i;

/** The names of the headers that a browser does not let a page send. */
export const droppedHeaders = ({ headers }) => headers.map(([name]) => name).filter((name) => forbidden.test(name));

/** A text whose characters are the bytes of UTF-8: `fetch` sends a character of a header as one byte. */
const asBytes = (text) => Array.from(utf8.encode(text), (byte) => String.fromCharCode(byte)).join("");

/** The bytes of a stream behind its first line, and that line. */
const firstLine = async (reader) => {
  let head = new Uint8Array();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new SendError("relay", say("RelayUnread", "The answer of the site cannot be read."));
    const at = value.indexOf(10);
    const piece = at < 0 ? value : value.subarray(0, at);
    const whole = new Uint8Array(head.length + piece.length);
    whole.set(head);
    whole.set(piece, head.length);
    head = whole;
    if (head.length > 1 << 20)
      throw new SendError("relay", say("RelayUnread", "The answer of the site cannot be read."));
    if (at >= 0) return { line: new TextDecoder().decode(head), rest: value.subarray(at + 1) };
  }
};

/** Whether an address is of the site itself: nothing stands between it and its own page. */
const isOwn = (url) => {
  try {
    return new URL(url, location.href).origin === location.origin;
  } catch {
    return false;
  }
};

/** Where `part` is in `bytes` from `from` on; -1 if nowhere. The beginning of it at the end of the bytes counts. */
const findBytes = (bytes, part, from = 0) => {
  for (let at = bytes.indexOf(part[0], from); at >= 0; at = bytes.indexOf(part[0], at + 1)) {
    if (part.every((byte, i) => at + i >= bytes.length || bytes[at + i] === byte)) return at;
  }
  return -1;
};

/** The pieces of a body without what the site says behind one that has no proper end, which `tell` is told. */
const withoutMark = async function* (pieces, mark, tell) {
  const sign = utf8.encode(mark);
  let held = new Uint8Array();
  let isOver = false;
  for await (const piece of pieces) {
    const whole = held.length ? new Uint8Array([...held, ...piece]) : piece;
    const at = isOver ? 0 : findBytes(whole, sign);
    isOver ||= at >= 0 && whole.length >= at + sign.length;
    if (at > 0) yield whole.subarray(0, at);
    else if (at < 0) yield whole;
    held = at < 0 ? new Uint8Array() : whole.slice(at);
  }
  if (isOver) tell(new TextDecoder().decode(held.subarray(sign.length)));
  else if (held.length) yield held;
};

/**
 * Sends `request`. `relay` is the address that passes it on, if the site does and the request is for another origin;
 * with `isOpen` the browser asks itself where the site may not. Returns status, reason, headers, `url`, `redirects`,
 * `isRelayed`, `chunks` (the body as it arrives), `cut` behind them, if the body has no proper end (why, as the site
 * says), and `keepGoing`, which lifts the limit of time. `signal` cancels it at any time.
 * @param {any} request
 * @param {{ relay: any, credentials: boolean, signal: AbortSignal, isOpen?: boolean }} how
 * @returns {Promise<any>}
 */
export const sendRequest = async (request, { relay: site, credentials, signal, isOpen }) => {
  const relay = isOwn(request.url) ? null : site;
  const { pieces, headers } = payloadOf(request);
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new SendError("time", say("NoAnswerInTime", "The API did not answer within 60 seconds."))),
    timeLimit,
  );
  const stop = () => limit.abort(new SendError("cancelled", say("Cancelled", "Cancelled")));
  signal.addEventListener("abort", stop);
  const done = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  };
  const failed = (error) => {
    done();
    if (limit.signal.aborted) return limit.signal.reason;
    return error instanceof SendError ? error : new SendError("network", error.message);
  };
  const chunksOf = async function* (reader, first) {
    try {
      if (first?.length) yield first;
      for (;;) {
        const { done: isEnd, value } = await reader.read();
        if (isEnd) return;
        yield value;
      }
    } catch (error) {
      throw failed(error);
    } finally {
      done();
      reader.cancel().catch(() => {});
    }
  };

  const throughSite = async () => {
    // As in a header that a browser sends, each character of a value stands for a byte.
    const bytes = headers.map(([name, value]) => [name, asBytes(value)]);
    const line = JSON.stringify({ method: request.method, url: request.url, headers: bytes });
    const reply = await fetch(relay, {
      method: "POST",
      headers: { "Quire-Relay": "1", "Content-Type": "application/octet-stream" },
      body: new Blob([line, "\n", ...pieces]),
      cache: "no-store",
      signal: limit.signal,
    });
    if (reply.status === 404 || reply.status === 405) return null;
    if (!reply.ok) {
      const { error } = await reply.json().catch(() => ({}));
      if (isOpen && (["relay-target", "relay-address"].includes(error?.code) || error?.about?.startsWith("DNS:")))
        return null;
      throw new SendError("relay", refusalOf(reply.status, error ?? undefined), error?.code);
    }
    const reader = reply.body.getReader();
    const { line: told, rest } = await firstLine(reader);
    const { status, reason, url, headers: received, redirects, limit: most, mark } = JSON.parse(told);
    const made = { status, reason, url, redirects, headers: received, isRelayed: true, most };
    made.chunks = withoutMark(chunksOf(reader, rest), mark, (why) => (made.cut = why));
    return made;
  };
  const straight = async () => {
    const reply = await fetch(request.url, {
      method: request.method,
      headers: headers.filter(([name]) => !forbidden.test(name)).map(([name, value]) => [name, asBytes(value)]),
      body: pieces.length ? new Blob(pieces) : undefined,
      credentials: credentials ? "include" : "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
      signal: limit.signal,
    });
    const body = reply.body ?? new Response("").body;
    return {
      status: reply.status,
      reason: reply.statusText,
      url: reply.url,
      redirects: reply.redirected ? 1 : 0,
      headers: [...reply.headers],
      isRelayed: false,
      chunks: chunksOf(body.getReader()),
    };
  };

  try {
    const reply = (relay && (await throughSite())) || { ...(await straight()), wasRefused: Boolean(relay) };
    return Object.assign(reply, { keepGoing: () => clearTimeout(timer) });
  } catch (error) {
    throw failed(error);
  }
};
