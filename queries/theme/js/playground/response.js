// Shows what came back. Nothing of it is ever run.
const maxColored = 1e6;
const maxWhole = 5e6;
const windowSize = 200_000;

const typeOf = (headers) =>
  (headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "").split(";")[0].trim().toLowerCase();
const charsetOf = (headers) =>
  /charset="?([^";\s]+)/i.exec(headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "")?.[1];

const streamed = {
  "text/event-stream": "events",
  "application/x-ndjson": "lines",
  "application/ndjson": "lines",
  "application/jsonl": "lines",
  "application/x-jsonlines": "lines",
  "application/jsonlines": "lines",
  "application/stream+json": "lines",
  "application/json-seq": "records",
};
const isText = (type) =>
  type === "" ||
  /^text\/|[/+](json|xml|yaml|javascript|html|csv|x-www-form-urlencoded|graphql|toml|sql|http)$|x-yaml/.test(type);

/** The name that a server gives a file, without a folder. */
const fileNameOf = (headers, url, type) => {
  const said = headers.find(([name]) => name.toLowerCase() === "content-disposition")?.[1] ?? "";
  const extended = /filename\*=\s*utf-8''([^;]+)/i.exec(said)?.[1];
  const plainName = /filename=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(said);
  let name = "";
  try {
    name = extended ? decodeURIComponent(extended) : (plainName?.[1]?.replace(/\\(.)/g, "$1") ?? plainName?.[2] ?? "");
    name ||= decodeURIComponent(new URL(url).pathname.split("/").pop());
  } catch {
    // A usual one.
  }
  name = name
    .split(/[\\/]/)
    .pop()
    .replace(/[\u0000-\u001f]/g, "");
  const ending = {
    "application/json": "json",
    "text/html": "html",
    "text/plain": "txt",
    "text/csv": "csv",
    "application/pdf": "pdf",
  }[type];
  return name || `response${ending ? `.${ending}` : ""}`;
};

/** The entries of a stream as they become whole: `[type, text]`. `end` tells what is left. */
export const splitter = (kind) => {
  let left = "";
  const cut = (separator) => {
    const parts = left.split(separator);
    left = parts.pop();
    return parts;
  };
  /** @returns {[string, string][]} */
  const event = (block) => {
    let type = "message";
    const data = [];
    for (const line of block.split(/\r\n|\r|\n/)) {
      const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);
      if (name === "event") type = value || "message";
      if (name === "data") data.push(value);
    }
    // A block without data is a comment that keeps the connection open.
    return data.length ? [[type, data.join("\n")]] : [];
  };
  /** @returns {[string, string][]} */
  const of = (part) => {
    if (kind === "events") return event(part);
    const text = part.trim();
    return text ? [[kind === "lines" ? "line" : "record", text]] : [];
  };
  const separator = { events: /\r\n\r\n|\n\n|\r\r/, lines: /\r?\n/, records: /\u001e/ }[kind];
  return {
    push: (text) => {
      left += text;
      return cut(separator).flatMap(of);
    },
    end: () => of(left),
  };
};

const pieceSize = 20_000;

/** The pieces of a long text, cut where lines end; a piece of JSON takes its colors when it comes into sight. */
const piecesOf = (text, isColored) => {
  const watcher = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      target.replaceChildren(withColors(target.textContent));
    }
  });
  const pieces = [];
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from + pieceSize);
    const to = end < 0 ? text.length : end + 1;
    const piece = h("span", { class: "play-piece" }, text.slice(from, to));
    if (isColored) watcher.observe(piece);
    pieces.push(piece);
    from = to;
  }
  return pieces;
};

/** A text of any length: in colors, in pieces, in windows. */
const textView = (text, isJson) => {
  if (text.length <= pieceSize) return codeBox(isJson ? withColors(text) : text, say("Body", "Body"));
  if (text.length <= maxWhole) return codeBox(piecesOf(text, isJson && text.length <= maxColored), say("Body", "Body"));
  const box = codeBox("", say("Body", "Body"));
  let from = 0;
  const where = h("span", {});
  const show = () => {
    const to = Math.min(text.length, from + windowSize);
    box.firstChild.replaceChildren(...piecesOf(text.slice(from, to), false));
    box.scrollTop = 0;
    where.textContent = `${Math.round((from / text.length) * 100)}–${Math.round((to / text.length) * 100)} % · ${sizeOf(text.length)}`;
    before.disabled = from === 0;
    after.disabled = to === text.length;
  };
  const before = button(
    "small",
    () => {
      from = Math.max(0, from - windowSize);
      show();
    },
    say("Earlier", "Earlier"),
  );
  const after = button(
    "small",
    () => {
      from += windowSize;
      show();
    },
    say("Later", "Later"),
  );
  show();
  return h("div", { class: "play-windows" }, h("div", { class: "play-window-bar" }, before, where, after), box);
};

/** A copy button for what `text` returns. */
export const copier = (text, name) => {
  const made = button(
    "quiet",
    async () => {
      try {
        await navigator.clipboard.writeText(text());
      } catch {
        const area = h("textarea", { class: "play-hidden" });
        area.value = text();
        made.after(area);
        area.select();
        document.execCommand("copy");
        area.remove();
      }
      made.replaceChildren(sign("check"));
      setTimeout(() => made.replaceChildren(sign("copy")), 1600);
    },
    sign("copy"),
    name,
  );
  return made;
};

/**
 * Shows a reply in `place` while it arrives; resolves when it has. `began` is when the request was sent; `release`
 * takes functions that let go of what the reply holds.
 */
export const showReply = async (place, reply, { began, release, stop, notes }) => {
  const { status, reason, headers, url } = reply;
  const type = typeOf(headers);
  const facts = h("span", { class: "play-facts" });
  const tell = (size) => {
    facts.textContent = `${Math.round(performance.now() - began)} ms · ${sizeOf(size)}`;
  };
  const tools = h("span", { class: "play-tools" });
  const badge = h(
    "span",
    { class: "play-status", "data-status": String(status)[0] },
    `${status}${reason ? ` ${reason}` : ""}`,
  );
  const body = h("div", { class: "play-body" });
  const list = h(
    "dl",
    { class: "play-headers" },
    headers.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
  const count = `${say("Headers", "Headers")} (${headers.length})`;
  place.replaceChildren(
    h("div", { class: "play-reply-head" }, badge, facts, tools),
    ...notes.map((note) => h("p", { class: "play-note" }, note)),
    h("details", { class: "play-header-list" }, h("summary", {}, sign("chevron"), count), list),
    body,
  );
  tell(0);

  let size = 0;
  const pieces = [];
  /** What came stays where the rest does not come; it is said why that is. */
  const arrived = async (take) => {
    let cut = null;
    try {
      for await (const chunk of reply.chunks) {
        size += chunk.length;
        tell(size);
        take(chunk);
      }
      cut =
        {
          "too-large": () => say("RelayTooLong", "The body is longer than {} MiB.", reply.most >> 20),
          "too-slow": () => say("RelayTimeout", "The API did not answer in time."),
          broken: () => "",
        }[reply.cut]?.() ?? null;
    } catch (error) {
      if (error.kind !== "network" && error.kind !== "time") throw error;
      cut = error.kind === "time" ? error.message : "";
    }
    if (cut !== null)
      body.before(
        h("p", { class: "play-note", "data-cut": true }, `${say("AskCut", "The answer broke off.")} ${cut}`.trim()),
      );
    return cut !== null;
  };
  const save = (content) => {
    const address = URL.createObjectURL(new Blob(content, { type: "application/octet-stream" }));
    h("a", { href: address, download: fileNameOf(headers, url, type) }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
  const saver = () => button("quiet", () => save(pieces), sign("save"), say("SaveBody", "Save the body"));

  if (streamed[type]) {
    reply.keepGoing();
    const cut = splitter(streamed[type]);
    const decoder = new TextDecoder();
    const feed = h("ol", { class: "play-feed", tabindex: "0", role: "log", "aria-label": say("Events", "Events") });
    const texts = [];
    const add = ([kind, text]) => {
      texts.push(text);
      const at = `${((performance.now() - began) / 1000).toFixed(2)} s`;
      const isAtEnd = feed.scrollHeight - feed.scrollTop - feed.clientHeight < 40;
      feed.append(
        h(
          "li",
          {},
          h("span", { class: "play-event" }, h("b", {}, kind), h("span", {}, at)),
          h("code", {}, text.length < 10_000 && /^[[{]/.test(text) ? withColors(text) : text),
        ),
      );
      if (isAtEnd) feed.scrollTop = feed.scrollHeight;
    };
    const stopper = button("small", stop, [sign("stop"), say("AskStop", "Stop")]);
    tools.append(
      stopper,
      copier(() => texts.join("\n"), say("Copy", "Copy")),
    );
    body.append(feed);
    try {
      await arrived((chunk) => {
        for (const entry of cut.push(decoder.decode(chunk, { stream: true }))) add(entry);
      });
      for (const entry of cut.end()) add(entry);
    } catch (error) {
      if (error.kind !== "cancelled") throw error;
      body.append(h("p", { class: "play-note" }, say("Cancelled", "Cancelled")));
    } finally {
      stopper.remove();
    }
    return { size };
  }

  const isCut = await arrived((chunk) => pieces.push(chunk));
  tell(size);
  if (!size) {
    if (isCut) return { size };
    body.append(h("p", { class: "play-quiet-note" }, say("NoBody", "No body")));
    return { size, type, content: pieces };
  }
  tools.append(saver());
  const media = /^(image|audio|video)\//.exec(type)?.[1];
  if (media || type === "application/pdf") {
    const address = URL.createObjectURL(new Blob(pieces, { type }));
    release.push(() => URL.revokeObjectURL(address));
    body.append(
      media === "image"
        ? h("img", { class: "play-media", src: address, alt: say("Picture", "Picture") })
        : media
          ? h(media, { class: "play-media", src: address, controls: true })
          : h("iframe", { class: "play-media", src: address, title: say("Response", "Response") }),
    );
    return { size };
  }
  if (!isText(type)) {
    const isPlain = await looksLikeText(pieces);
    if (!isPlain) {
      body.append(
        h("p", { class: "play-quiet-note" }, `${sizeOf(size)}${type && ` · ${type}`} `),
        button("small", () => save(pieces), [sign("save"), say("SaveBody", "Save the body")]),
      );
      return { size };
    }
  }
  let text;
  try {
    text = new TextDecoder(charsetOf(headers)).decode(await new Blob(pieces).arrayBuffer());
  } catch {
    text = new TextDecoder().decode(await new Blob(pieces).arrayBuffer());
  }
  const isJson = (isJsonMedia(type) || !type) && isWholeJson(text);
  tools.prepend(copier(() => text, say("Copy", "Copy")));
  const shown = isJson ? await laidOut(text) : text;
  const isShort = isJson && shown.length <= maxFolded && shown.split("\n", maxLines + 1).length <= maxLines;
  const view = isShort && shown.includes("\n") ? jsonView(shown) : null;
  body.append(view?.element ?? textView(shown, isJson));
  return { size, type, view, content: pieces };
};

const isWholeJson = (text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const looksLikeText = async (pieces) => {
  const start = new Uint8Array(await new Blob(pieces).slice(0, 1024).arrayBuffer());
  return start.every((byte) => byte > 31 || (byte > 7 && byte < 14));
};

/** A JSON text with its blanks anew; a long one between other work, so that the page goes on. */
const laidOut = async (text) => {
  if (text.length <= maxColored) return layOut(text);
  const layer = layouter();
  let at = performance.now();
  for (const token of jsonTokens(text)) {
    layer.push(token);
    if (layer.count % 2000 === 0 && performance.now() - at > 12) {
      await new Promise((resolve) => setTimeout(resolve));
      at = performance.now();
    }
  }
  return layer.text();
};
