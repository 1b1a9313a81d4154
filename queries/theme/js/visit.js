// Goes from page to page without reading everything anew: the text, the contents list and the head are exchanged, the
// header and the sidebar stay. Where that cannot be, the browser goes there as it always did.
(() => {
  const root = document.documentElement;
  const one = (selector, scope = document) => scope.querySelector(selector);
  /** @param {ParentNode} [scope] */
  const all = (selector, scope = document) => [...scope.querySelectorAll(selector)];
  const place = (url) => url.pathname + url.search;

  // ---- What is on the page

  const styleOf = (page) => one("head link[rel='stylesheet']", page)?.getAttribute("href");
  // What a script has done cannot be undone. Those that scripts have added themselves are not the page's: they have no
  // `defer`.
  const scriptsOf = (page) =>
    all("head script[src][defer]", page)
      .map((script) => script.getAttribute("src"))
      .join(" ");
  const frameOf = (page) => one("head style:not([data-live])", page)?.textContent;
  const isAlike = (page) =>
    one(".layout", page) &&
    page.documentElement.dataset.themeName === root.dataset.themeName &&
    styleOf(page) === styleOf(document) &&
    scriptsOf(page) === scriptsOf(document) &&
    frameOf(page) === frameOf(document);

  // The rules of the page's own classes stand in front of the site's stylesheets. They come before the text that needs
  // them, so that nothing is painted without.
  const restyle = (page) => {
    const old = one("head style[data-live='styles']");
    const fresh = one("head style[data-live='styles']", page);
    if (old && fresh) {
      if (old.textContent !== fresh.textContent) old.textContent = fresh.textContent;
    } else if (fresh) {
      one("head style").after(document.adoptNode(fresh));
    } else {
      old?.remove();
    }
  };

  // The site's own stylesheets: their addresses hold the digest of their content. One that changed stays until the next
  // one is there, so that nothing is painted without. Those of the theme that were read when they were wanted, for a
  // panel, stay.
  const ownStyles = (page) => all("head link[rel='stylesheet']:not([href*='/_theme/'])", page);
  const relink = (page) => {
    const bare = (link) => link.getAttribute("href").split("?")[0];
    const old = new Map(ownStyles(document).map((link) => [bare(link), link]));
    let last = one("head style[data-live='styles']") || one("head style");
    for (const fresh of ownStyles(page)) {
      const known = old.get(bare(fresh));
      old.delete(bare(fresh));
      if (known?.getAttribute("href") === fresh.getAttribute("href")) {
        last = known;
        continue;
      }
      const link = document.adoptNode(fresh);
      const gone = () => known?.remove();
      link.addEventListener("load", gone);
      link.addEventListener("error", gone);
      (known || last).after(link);
      last = link;
    }
    for (const link of old.values()) link.remove();
  };

  // What a page says of itself to programs.
  const said =
    "meta[name]:not([name='viewport'], [name='color-scheme']), meta[property], link[rel='canonical'], link[rel='alternate'], script[type='application/ld+json'], #quire-words";
  const rename = (page) => {
    document.title = page.title;
    // A language that is set anew, the same or not, has the browser work out the style of every element again.
    for (const name of ["lang", "dir", "data-current-path"]) {
      const says = page.documentElement.getAttribute(name) ?? "";
      if (root.getAttribute(name) !== says) root.setAttribute(name, says);
    }
    for (const old of all(said, document.head)) old.remove();
    document.head.append(...all(said, page.head).map((fresh) => document.adoptNode(fresh)));
  };

  // Brings what is there to say what `fresh` says, and touches nothing that says it: pictures stay drawn.
  const bring = (old, fresh) => {
    if (old.isEqualNode(fresh)) return;
    if (
      old.nodeType !== 1 ||
      old.nodeName !== fresh.nodeName ||
      old.childNodes.length !== fresh.childNodes.length ||
      old.id !== fresh.id
    ) {
      old.replaceWith(document.adoptNode(fresh));
      return;
    }
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    const next = [...fresh.childNodes];
    [...old.childNodes].forEach((child, i) => bring(child, next[i]));
  };

  const tellWhole = () => {
    const address = one(".sidebar")?.dataset.whole;
    if (!address) return;
    const script = document.createElement("script");
    script.src = address;
    script.onload = script.onerror = () => script.remove();
    document.body.append(script);
  };

  const rest = (sidebar) =>
    all(".sidebar-group[data-active], li[data-active]", sidebar).forEach((one) => one.removeAttribute("data-active"));
  // What a sidebar lists, whichever page it is shown beside.
  const listed = (sidebar) => {
    const copy = one(".sidebar-scroll", sidebar)?.cloneNode(true);
    if (!copy) return "";
    for (const link of all("[aria-current]", copy)) link.removeAttribute("aria-current");
    rest(copy);
    for (const group of all("details", copy)) group.removeAttribute("open");
    return copy.innerHTML;
  };
  const isSameSidebar = (old, fresh) => {
    const [is, shall] = [old.dataset.holds ?? old.dataset.whole, fresh.dataset.whole];
    return is || shall ? is === shall : listed(old) === listed(fresh);
  };
  const exchangeSidebar = (page) => {
    const [old, fresh] = [one(".sidebar"), one(".sidebar", page)];
    if (!old || !fresh || !isSameSidebar(old, fresh)) return false;
    if (old.dataset.whole) {
      // The rest of it is on its way, or was not had: what the page holds will do.
      const scrolled = one(".sidebar-scroll", old).scrollTop;
      one(".sidebar-body", old).replaceChildren(...one(".sidebar-body", fresh).childNodes);
      one(".sidebar-scroll", old).scrollTop = scrolled;
      return true;
    }
    const here = one("[aria-current='page']", fresh)?.getAttribute("href");
    const body = one(".sidebar-body", old);
    if (!body) return true;
    for (const link of all("[aria-current='page']", body)) link.removeAttribute("aria-current");
    rest(body);
    if (!here) return true;
    // A menu that leads to the page is none of its places.
    for (const link of all(`a[href="${CSS.escape(here)}"]:not(.menu *)`, body)) {
      link.setAttribute("aria-current", "page");
      link.closest(".sidebar-group")?.toggleAttribute("data-active", true);
      if (link.parentElement.localName === "li") link.parentElement.dataset.active = "";
      // What the reader has opened stays open.
      for (let at = link.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
    }
    return true;
  };

  const exchange = (name, page, keep, isOther) => {
    const find = (where) => one(`[data-live="${name}"]`, where);
    const [old, fresh] = [find(document), find(page)];
    if (!old || !fresh || (!isOther && old.outerHTML === fresh.outerHTML)) return;
    keep?.(old, fresh);
    old.replaceWith(document.adoptNode(fresh));
  };

  /**
   * Shows `page` in place of what is shown; `false` if only the browser can. With `isOther` it is not compared: it is
   * another one.
   * @param {any} page
   * @param {{ keep?: any, isOther?: boolean }} [how]
   */
  const show = (page, { keep, isOther } = {}) => {
    if (!isAlike(page)) return false;
    const [old, fresh] = [one(".layout"), one(".layout", page)];
    const parts = (layout) =>
      [...layout.children]
        .map((part) => part.dataset.live ?? part.className)
        .filter(Boolean)
        .join(" ");
    restyle(page);
    relink(page);
    rename(page);
    for (const name of ["[data-banner]", "[data-live='header']", "[data-live='drawer']", ".site-footer"]) {
      const [is, shall] = [one(name), one(name, page)];
      if (is && shall) bring(is, shall);
    }
    if (parts(old) !== parts(fresh)) {
      // It is laid out otherwise: without a sidebar, without a list of contents.
      old.replaceWith(document.adoptNode(fresh));
      tellWhole();
    } else {
      old.dataset.mode = fresh.dataset.mode;
      if (!exchangeSidebar(page)) {
        const scrolled = one(".sidebar-scroll")?.scrollTop;
        exchange("sidebar", page, keep);
        for (const anew of all(".sidebar-scroll")) anew.scrollTop = scrolled;
        tellWhole();
      }
      exchange("main", page, keep, isOther);
      exchange("toc", page, keep, isOther);
    }
    // A script that was parsed apart from the page does not run by itself.
    for (const script of all("[data-islands]")) import(script.src);
    document.dispatchEvent(new CustomEvent("quire:update"));
    return true;
  };
  // An edit, which the script of previews hears of.
  document.addEventListener("quire:exchange", (event) => {
    if (!show(event.detail.page, event.detail)) event.preventDefault();
  });

  // ---- Pages that are asked for

  const isHttp = /^https?:$/.test(location.protocol);
  const most = 24;
  const freshFor = 15000;
  const asked = new Map();
  /** The page at `url`, and where it was found; rejects if what is there is none. */
  const read = (url) => {
    const key = place(url);
    const known = asked.get(key);
    if (known && performance.now() - known.at < freshFor) return known.page;
    const page = fetch(key, { headers: { Accept: "text/html" }, credentials: "same-origin" }).then(async (reply) => {
      const is = new URL(reply.url);
      if (!reply.ok || is.origin !== location.origin || !reply.headers.get("content-type")?.startsWith("text/html"))
        throw new Error(key);
      return { text: await reply.text(), place: place(is) };
    });
    asked.delete(key);
    asked.set(key, { page, at: performance.now() });
    if (asked.size > most) asked.delete(asked.keys().next().value);
    page.catch(() => asked.delete(key));
    return page;
  };

  const parse = (text) => new DOMParser().parseFromString(text, "text/html");
  // The page that a reader is about to ask for is taken apart beforehand, while nothing else is to be done. One at a
  // time.
  let prepared = null;
  const prepare = (url) =>
    read(url)
      .then((found) => {
        const ready = () => {
          if (found.place === shown) return;
          if (prepared && prepared !== found) prepared.page = null;
          prepared = found;
          found.page ??= parse(found.text);
        };
        if (window.requestIdleCallback) requestIdleCallback(ready, { timeout: 200 });
      })
      .catch(() => {});

  /**
   * Where a link leads, if that is a page that can be shown in place of this one; this one itself only with `isHere`.
   */
  const wanted = (link, isHere) => {
    if (
      !link?.href ||
      link.hasAttribute("download") ||
      (link.target && link.target !== "_self") ||
      link.relList?.contains("external")
    )
      return null;
    const url = new URL(link.href, location.href);
    if (!isHttp || url.origin !== location.origin) return null;
    if (place(url) === place(location) && (!isHere || link.hash || link.href.endsWith("#"))) return null;
    // Files: what has a page's name has no dot, or ends like one.
    const dot = /\.([^./]+)$/.exec(url.pathname);
    return dot && !/^html?$/.test(dot[1]) && !/\d/.test(dot[1]) ? null : url;
  };

  // ---- The places of the tab

  const key = "quire-places";
  let here = history.state?.quire ?? 0;
  let last = here;
  let places = {};
  try {
    places = JSON.parse(sessionStorage.getItem(key)) ?? {};
    last = Math.max(here, ...Object.keys(places).map(Number));
  } catch {
    // Nothing is known of them.
  }
  const leave = () => {
    places[here] = Math.round(scrollY);
  };
  const enter = (id) => {
    here = id;
    last = Math.max(last, id);
    if (history.state?.quire === id) return;
    history.replaceState({ ...history.state, quire: id }, "");
  };
  // Within the visits it is up to us where the page stands; a page that is read anew is up to the browser.
  addEventListener("pagehide", () => {
    leave();
    history.scrollRestoration = "auto";
    try {
      sessionStorage.setItem(key, JSON.stringify(places));
    } catch {
      // They are forgotten.
    }
  });

  const target = (hash) => {
    try {
      return hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
    } catch {
      return null;
    }
  };

  const announce = () => {
    const box = one(".announcer") || document.createElement("p");
    box.className = "announcer";
    box.setAttribute("aria-live", "polite");
    if (!box.isConnected) document.body.append(box);
    box.textContent = document.title;
  };

  /** Where a reader begins to read: at what the address names, or at the top. */
  const settle = (y) => {
    const at = target(location.hash);
    if (y !== undefined) scrollTo({ top: y, behavior: "instant" });
    else if (at) at.scrollIntoView({ behavior: "instant" });
    else scrollTo({ top: 0, behavior: "instant" });
    one("main")?.focus({ preventScroll: true });
    const active = one(".sidebar [aria-current='page']");
    const box = active?.closest(".sidebar-scroll");
    if (box) {
      const [inner, outer] = [active.getBoundingClientRect(), box.getBoundingClientRect()];
      if (inner.top < outer.top || inner.bottom > outer.bottom)
        box.scrollTop += inner.top - outer.top - outer.height / 3;
    }
    announce();
  };

  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  // A browser that takes longer than two frames for its pictures of both pages shows pages at once from then on.
  const isSlow = () => {
    try {
      return sessionStorage.getItem("quire-slow") !== null;
    } catch {
      return true;
    }
  };
  const noteDelay = (delay) => {
    if (delay > 34 && !isSlow()) sessionStorage.setItem("quire-slow", "");
  };
  let visit = 0;
  let shown = place(location);

  /** Exchanges what is shown for the page at `url`; `commit` takes its address when it is certain. */
  const go = async (url, commit, y) => {
    const mine = ++visit;
    const late = setTimeout(() => root.setAttribute("data-visiting", ""), 250);
    try {
      const reply = await read(url);
      if (mine !== visit) return;
      const page = reply.page ?? parse(reply.text);
      // What is shown is taken out of it.
      reply.page = null;
      if (!isAlike(page) || one("[data-alone]") || one("[data-alone]", page)) throw new Error("another frame");
      // Address and text change at once, and nothing comes between the two.
      const exchanged = () => {
        if (mine !== visit) return;
        leave();
        commit(reply.place + url.hash);
        shown = place(location);
        for (const dialog of all("dialog[open]")) dialog.close();
        // Who begins at the top sees what stands there one frame before the rest of it is laid out.
        const fresh = y || url.hash ? null : one("main", page);
        fresh?.setAttribute("data-arriving", "");
        show(page, { isOther: true });
        settle(y);
        const arrived = () => {
          fresh?.removeAttribute("data-arriving");
          document.dispatchEvent(new CustomEvent("quire:arrived"));
        };
        if (fresh && !scrollY) requestAnimationFrame(() => setTimeout(arrived));
        else arrived();
        document.dispatchEvent(new CustomEvent("quire:visited"));
      };
      if (document.startViewTransition && !calm.matches && !document.hidden && !isSlow()) {
        const asked = performance.now();
        let own = 0;
        const transition = document.startViewTransition(() => {
          const began = performance.now();
          exchanged();
          own = performance.now() - began;
        });
        // It is skipped when the reader goes on.
        transition.ready.then(() => noteDelay(performance.now() - asked - own)).catch(() => {});
        transition.finished.catch(() => {});
      } else exchanged();
    } catch {
      if (mine === visit) location.assign(url);
    } finally {
      clearTimeout(late);
      root.removeAttribute("data-visiting");
    }
  };
  const push = (address) => {
    history.scrollRestoration = "manual";
    enter(here);
    here = ++last;
    history.pushState({ quire: here }, "", address);
  };

  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    const link = event.target.closest?.("a[href]");
    if (!link) return;
    if (link.hash && place(new URL(link.href, location.href)) === place(location)) leave();
    const url = wanted(link, true);
    if (!url) return;
    event.preventDefault();
    if (place(url) !== place(location)) return go(url, push);
    // The page that is shown: its beginning, and whatever else was on its way is not wanted any more.
    visit += 1;
    leave();
    if (location.hash) push(place(url));
    settle(0);
  });
  // What is no link leads on too: whoever asks goes there itself if nobody prevents it.
  document.addEventListener("quire:visit", (event) => {
    const link = document.createElement("a");
    link.href = event.detail;
    const url = wanted(link);
    if (!url) return;
    event.preventDefault();
    go(url, push);
  });
  addEventListener("popstate", ({ state }) => {
    const isHere = place(location) === shown;
    // A heading of this page was gone to, and the page stands there already: where it stood was noted at the click.
    if (isHere && state?.quire === undefined) return enter(++last);
    leave();
    if (isHere) {
      here = state.quire;
      if (history.scrollRestoration === "manual") scrollTo({ top: places[here] ?? 0, behavior: "instant" });
      return;
    }
    here = state?.quire ?? 0;
    const y = places[here];
    go(new URL(location.href), () => {}, y ?? (location.hash ? undefined : 0));
  });
  if (history.state?.quire === undefined) enter(0);

  // ---- Read ahead what a reader is about to follow

  const saves = () => navigator.connection?.saveData;
  let resting = 0;
  document.addEventListener("pointerover", (event) => {
    clearTimeout(resting);
    if (event.pointerType !== "mouse" || saves()) return;
    const url = wanted(event.target.closest?.("a[href]"));
    if (url) resting = setTimeout(() => prepare(url), 65);
  });
  for (const sign of ["pointerdown", "focusin"]) {
    document.addEventListener(sign, (event) => {
      const link = event.target.closest?.("a[href]");
      if (saves() || (sign === "focusin" && !link?.matches(":focus-visible"))) return;
      const url = wanted(link);
      if (url) prepare(url);
    });
  }
})();
