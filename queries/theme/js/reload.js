// Keeps a previewed page current: takes over what changed without leaving the place, and shows what is wrong.
(() => {
  let preview = null;
  let digest;
  // The digest of the event stays where the page tells none.
  const adopt = (content) => {
    try {
      preview = JSON.parse(content);
      digest = preview.digest;
    } catch {
      // What was told before stays.
    }
  };
  adopt(document.querySelector("meta[name='quire-preview']")?.content);
  if (!preview) return;
  let updating = null;
  let again = false;

  const panels = (set) => [...set.querySelectorAll(":scope > .tab-panel")];

  // What the reader has opened is known by its id, or by what it says and how often that was said before.
  const named = (scope) => {
    const seen = new Map();
    const names = new Map();
    for (const element of scope.querySelectorAll("details, [data-tabs]")) {
      const label =
        element.id ||
        element.localName +
          ":" +
          (element.localName === "details"
            ? element.querySelector("summary")?.textContent.trim()
            : panels(element)
                .map((panel) => panel.dataset.tab)
                .join("|"));
      const count = seen.get(label) || 0;
      seen.set(label, count + 1);
      names.set(`${label}#${count}`, element);
    }
    return names;
  };

  const keep = (from, to) => {
    const twins = named(to);
    for (const [name, element] of named(from)) {
      const twin = twins.get(name);
      if (!twin) continue;
      if (element.localName === "details") {
        twin.open = element.open;
      } else {
        const at = panels(element).findIndex((panel) => panel.hasAttribute("data-active"));
        if (at < 0 || at >= panels(twin).length) continue;
        panels(twin).forEach((panel, i) => panel.toggleAttribute("data-active", i === at));
        twin.querySelectorAll(":scope > .tab-list > button").forEach((button, i) => {
          button.setAttribute("aria-selected", String(i === at));
          button.tabIndex = i === at ? 0 : -1;
        });
        const list = twin.querySelector(":scope > .tab-select > select");
        if (list) list.selectedIndex = at;
        // The set is as the reader left it: remembered titles must not override it.
        twin.setAttribute("data-kept", "");
      }
    }
  };

  // Text above the window may grow or shrink; the heading nearest to its top stays where it is.
  const anchor = () => {
    let best = null;
    for (const element of document.querySelectorAll(
      "main :is(h1, h2, h3, h4, h5, h6, li, details, .field, .update)[id]",
    )) {
      const top = element.getBoundingClientRect().top;
      if (element.offsetParent === null || top > innerHeight * 0.4) continue;
      if (!best || top >= best.top) best = { id: element.id, top };
    }
    return best;
  };

  // Pictures that changed are at the same addresses: only for another one does a browser ask again.
  let pictures = "";
  const fresh = (written, base) => {
    const address = new URL(written, base || document.baseURI);
    if (address.origin !== location.origin || address.searchParams.get("quire-at") === pictures) return written;
    address.searchParams.set("quire-at", pictures);
    return address.href;
  };
  const freshAll = (value, base) =>
    value.replace(/url\((["']?)([^"')]+)\1\)/g, (_, _quote, written) => `url("${fresh(written, base)}")`);
  const freshSet = (set) =>
    set
      .split(/,\s+/)
      .map((one) => one.trim().replace(/^\S+/, (written) => fresh(written)))
      .join(", ");
  const replace = (owner, property, value) => {
    if (owner[property] !== value) owner[property] = value;
  };
  const freshStyle = (style, base) => {
    for (const property of [...style]) {
      const value = style.getPropertyValue(property);
      if (!value.includes("url(")) continue;
      const next = freshAll(value, base);
      if (next !== value) style.setProperty(property, next, style.getPropertyPriority(property));
    }
  };
  const freshRules = (rules, base) => {
    for (const rule of rules) {
      // A font is no picture.
      if (rule.style && !(rule instanceof CSSFontFaceRule)) freshStyle(rule.style, base);
      if (rule.cssRules) freshRules(rule.cssRules, base);
    }
  };
  const freshen = () => {
    if (!pictures) return;
    for (const image of document.querySelectorAll("img, picture > source")) {
      if (image.getAttribute("src")) replace(image, "src", fresh(image.src));
      if (image.srcset) replace(image, "srcset", freshSet(image.srcset));
    }
    for (const video of document.querySelectorAll("video[poster]")) replace(video, "poster", fresh(video.poster));
    for (const element of document.querySelectorAll("[style*='url(']")) freshStyle(element.style);
    for (const sheet of document.styleSheets) {
      try {
        freshRules(sheet.cssRules, sheet.href);
      } catch {
        // A sheet of another origin is not read.
      }
    }
  };

  const update = async () => {
    const answer = await fetch(location.href.split("#")[0], { headers: { Accept: "text/html" }, cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const mark = anchor();
    const y = scrollY;
    const focused = document.activeElement?.id;
    const exchange = new CustomEvent("quire:exchange", { cancelable: true, detail: { page, keep } });
    const told = page.querySelector("meta[name='quire-preview']")?.content;
    if (!document.dispatchEvent(exchange)) return location.reload();
    if (told) adopt(told);
    freshen();
    const again = mark && document.getElementById(mark.id);
    if (again) scrollBy({ top: again.getBoundingClientRect().top - mark.top, behavior: "instant" });
    else scrollTo({ top: y, behavior: "instant" });
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  };

  // One update at a time; what arrives meanwhile asks for one more.
  const refresh = () => {
    if (updating) {
      again = true;
      return;
    }
    updating = update()
      .catch(() => {})
      .finally(() => {
        updating = null;
        if (again) {
          again = false;
          refresh();
        }
      });
  };

  // The overlay
  let dismissed = "";
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // What stands between backticks is code.
  const sentence = (tag, className, text) => {
    const element = make(tag, className);
    const parts = text.split("`");
    if (parts.length % 2 === 0) element.textContent = text;
    else element.append(...parts.map((part, i) => (i % 2 ? make("code", "", part) : part)));
    return element;
  };

  const problem = (entry) => {
    const error = entry.severity === "error";
    const card = make("section", "problem");
    card.dataset.kind = error ? "error" : "warning";
    const title = make("p", "problem-title");
    title.append(make("strong", "", error ? quireSay("Error", "Error") : quireSay("Warning", "Warning")));
    if (entry.code) title.append(make("code", "", entry.code));
    card.append(title, sentence("p", "problem-message", entry.message || ""));
    const place = [entry.path, entry.line, entry.line && entry.column].filter(Boolean).join(":");
    if (place) {
      const row = make("p", "problem-place", entry.open ? undefined : place);
      if (entry.open) {
        const link = make("a", "", place);
        link.href = entry.open;
        link.title = quireSay("OpenInEditor", "Open in the editor");
        row.append(link);
      }
      card.append(row);
    }
    if (entry.frame) {
      const { line_number: line, text, column, width } = entry.frame;
      const pre = make("pre", "code-frame");
      // Wider than its card: keys scroll it.
      pre.tabIndex = 0;
      const code = make("code");
      const characters = [...text];
      const indent = characters
        .slice(0, Math.max(0, column - 1))
        .map((c) => (c === "\t" ? c : " "))
        .join("");
      const carets = "^".repeat(Math.max(1, Math.min(width, characters.length - column + 1)));
      code.append(
        make("span", "code-frame-number", `${line} │ `),
        `${text}\n`,
        make("span", "code-frame-number", `${" ".repeat(String(line).length)} │ `),
        indent,
        make("span", "code-frame-caret", carets),
      );
      pre.append(code);
      card.append(pre);
    }
    if (entry.hint) {
      const hint = make("p", "problem-hint");
      hint.append(make("strong", "", quireSay("Hint", "Hint:")), sentence("span", "", entry.hint));
      card.append(hint);
    }
    return card;
  };

  const overlay = () => document.querySelector(".overlay");
  const badge = () => document.querySelector(".problem-badge");
  // What is wrong with the site stands beside every page, so that it stays put away from page to page.
  const key = "quire-put-away";
  const isPutAway = (text) => {
    try {
      return sessionStorage.getItem(key) === text;
    } catch {
      return false;
    }
  };
  const putAway = () => {
    if (!badge()) return;
    try {
      sessionStorage.setItem(key, badge().dataset.content);
    } catch {
      // It comes back with the next page.
    }
    badge().remove();
  };
  const dismiss = () => {
    if (!overlay()) return putAway();
    if (overlay().dataset.of === "site") putAway();
    else dismissed = overlay().dataset.content;
    overlay()?.remove();
  };

  const rank = (entry) => (entry.severity === "error" ? 0 : 1);
  const counted = (entries) => {
    const errors = entries.filter((entry) => rank(entry) === 0).length;
    const warnings = entries.length - errors;
    const of = (n, one, many) => (n ? (n === 1 ? one() : many(n)) : "");
    return [
      of(
        errors,
        () => quireSay("OneError", "1 error"),
        (n) => quireSay("ManyErrors", "{} errors", n),
      ),
      of(
        warnings,
        () => quireSay("OneWarning", "1 warning"),
        (n) => quireSay("ManyWarnings", "{} warnings", n),
      ),
    ]
      .filter(Boolean)
      .join(", ");
  };

  const showOverlay = (entries, of) => {
    const box = make("div", "overlay");
    box.dataset.content = JSON.stringify(entries);
    box.dataset.of = of;
    box.setAttribute("role", "region");
    box.setAttribute(
      "aria-label",
      of === "site" ? quireSay("SiteProblems", "Problems of the site") : quireSay("Problems", "Problems"),
    );
    const head = make("div", "overlay-head");
    // An alert is read aloud when it is added, without moving the focus.
    const summary = make(
      "span",
      "",
      of === "site" ? `${quireSay("Site", "Site")}: ${counted(entries)}` : counted(entries),
    );
    summary.setAttribute("role", "alert");
    const close = make("button", "", `${quireSay("Close", "Close")} (Esc)`);
    close.type = "button";
    close.addEventListener("click", dismiss);
    head.append(summary, close);
    const list = make("div", "overlay-list");
    list.tabIndex = 0;
    list.append(...entries.map(problem));
    box.append(head, list);
    overlay()?.remove();
    document.body.append(box);
  };

  const showBadge = (entries) => {
    const text = JSON.stringify(entries);
    if (badge()?.dataset.content === text) return;
    badge()?.remove();
    if (overlay()?.dataset.of === "site") overlay().remove();
    if (!entries.length || isPutAway(text)) return;
    const box = make("button", "problem-badge", counted(entries));
    box.type = "button";
    box.dataset.content = text;
    box.dataset.kind = entries.some((entry) => rank(entry) === 0) ? "error" : "warning";
    box.title = `${quireSay("SiteProblems", "Problems of the site")} (Esc)`;
    box.addEventListener("click", () => showOverlay(entries, "site"));
    document.body.append(box);
  };

  const showProblems = (text) => {
    let entries;
    try {
      entries = JSON.parse(text);
    } catch {
      return;
    }
    if (!Array.isArray(entries)) return;
    entries.sort((a, b) => rank(a) - rank(b));
    const isOfSite = (entry) => entry.scope === "site";
    showBadge(entries.filter(isOfSite));
    const own = entries.filter((entry) => !isOfSite(entry));
    const content = JSON.stringify(own);
    if (!own.length) {
      dismissed = "";
      if (overlay()?.dataset.of === "page") overlay().remove();
      return;
    }
    if (content === dismissed || overlay()?.dataset.content === content) return;
    showOverlay(own, "page");
  };

  // A component of a page threw: what it showed before stays.
  addEventListener("error", ({ error }) => {
    if (error && document.querySelector("[data-islands]"))
      showOverlay([{ severity: "error", message: `${quireSay("Error", "Error")}: ${error.message ?? error}` }], "page");
  });

  // A component that was edited goes on with the state of the one before, if it calls the same hooks.
  const hooks = (call) =>
    String(call)
      .match(/\buse[A-Z]\w*/g)
      ?.join();
  const takeOver = (vnode, before, after) => {
    if (!vnode) return;
    const next = after.get(before.get(vnode.type));
    if (typeof next === "function" && hooks(next) === hooks(vnode.type)) {
      vnode.type = next;
      if (vnode.__c) vnode.__c.constructor = next;
    }
    vnode.__k?.forEach?.((child) => takeOver(child, before, after));
  };
  globalThis.quireAdopt = (vnode, { scopes }, module) => {
    if (module.scopes === scopes) return;
    const names = scopes.flatMap((scope) => Object.entries(scope));
    const next = module.scopes.flatMap((scope) => Object.entries(scope));
    takeOver(vnode, new Map(names.map(([name, value]) => [value, name])), new Map(next));
  };

  // Shows the cost of the last change in a corner for a few seconds. Its style is here: no published page needs it.
  const COST_STYLE =
    "position: fixed; inset-block-end: 1rem; inset-inline-start: 1rem; z-index: 65; max-inline-size: calc(100vw - 2rem); margin: 0; padding: 0.375rem 0.75rem; overflow: hidden; border: 1px solid var(--line); border-radius: 999px; background: var(--ground-raised); box-shadow: var(--shadow); color: var(--ink-soft); font-size: 0.8125rem; text-overflow: ellipsis; white-space: nowrap; pointer-events: none;";
  let costTimer = 0;
  const showCost = ({ queries, ms, because }) => {
    if (!because) return;
    const box = document.querySelector(".live-cost") || make("p", "live-cost");
    box.setAttribute("role", "status");
    const count = queries === 1 ? quireSay("OneQuery", "1 query") : quireSay("ManyQueries", "{} queries", queries);
    const figures = make("strong", "", `${count}, ${Number(ms).toFixed(1)} ms`);
    figures.style.cssText = "color: var(--ink); font-weight: 550";
    box.style.cssText = COST_STYLE;
    box.replaceChildren(figures, ` ${because}`);
    if (!box.isConnected) document.body.append(box);
    clearTimeout(costTimer);
    costTimer = setTimeout(() => box.remove(), 4000);
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && !document.querySelector("dialog[open]")) dismiss();
  });

  // EventSource comes back by itself after a lost connection, but not after a refused one. Where many pages are refused
  // they come back less and less often, and not all at once; whoever looks at one again does not wait.
  const SHORTEST = 500;
  const LONGEST = 30000;
  // A server that is started again is there soon.
  const LONGEST_AWAY = 4000;
  let delay = SHORTEST;
  let waiting = 0;
  let source = null;
  // The server is another run than that the page is of. Where loading it brings the page of the old one, once is
  // enough.
  const reload = () => {
    const key = "quire-reloaded";
    try {
      if (sessionStorage.getItem(key) === preview.events) return;
      sessionStorage.setItem(key, preview.events);
    } catch {
      // Nobody can tell whether it was loaded before.
    }
    location.reload();
  };
  const listen = () => {
    clearTimeout(waiting);
    waiting = 0;
    const url = new URL(preview.events, location.href);
    url.searchParams.set("digest", digest);
    source = new EventSource(url);
    source.addEventListener("open", () => {
      delay = SHORTEST;
    });
    source.addEventListener("page", (event) => {
      try {
        const told = JSON.parse(event.data);
        if (told.digest && told.digest === digest) return;
        digest = told.digest || digest;
        showCost(told);
      } catch {
        // An event without a digest still says that the page changed.
      }
      refresh();
    });
    // The page is at another address now: an operation moves with its summary.
    source.addEventListener("moved", (event) => {
      try {
        const address = new URL(JSON.parse(event.data).href + location.hash, location.href);
        history.replaceState(history.state, "", address);
      } catch {
        // Its old address tells that it has gone.
      }
    });
    source.addEventListener("pictures", (event) => {
      try {
        pictures = String(JSON.parse(event.data).count);
      } catch {
        return;
      }
      freshen();
    });
    source.addEventListener("diagnostics", (event) => showProblems(event.data));
    source.addEventListener("reload", reload);
    source.addEventListener("error", () => {
      const isRefused = source.readyState === EventSource.CLOSED;
      // Closed here, opened again with the digest of what is shown now.
      source.close();
      waiting = setTimeout(listen, delay * (0.5 + Math.random() / 2));
      delay = Math.min(delay * 2, isRefused ? LONGEST : LONGEST_AWAY);
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (waiting && !document.hidden) listen();
  });
  // Another page is shown: its changes are other ones, and so is what is wrong with it.
  document.addEventListener("quire:visited", () => {
    adopt(document.querySelector("meta[name='quire-preview']")?.content);
    if (overlay()?.dataset.of === "page") overlay().remove();
    freshen();
    source?.close();
    listen();
  });
  addEventListener("pagehide", () => source?.close());
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  listen();
})();
