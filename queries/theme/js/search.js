// The search dialog. It asks a service or files of the site, whichever the page names, and shows what they find.
const say = globalThis.quireSay;
const icons = {
  search: "M4.5 10.8a6.3 6.3 0 1 0 12.6 0a6.3 6.3 0 1 0-12.6 0m11 4.7 5 5",
  page: "M13.5 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8.5zm0 0v5.5H19",
  hash: "M5 9h14M5 15h14M10 4 8 20M16 4l-2 16",
  enter: "M19 6v5a3 3 0 0 1-3 3H5m4-4-4 4 4 4",
  clock: "M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17M12 7.5V12l3 2",
  x: "m6 6 12 12M18 6 6 18",
};

/** An element with attributes and children; texts are only ever texts. */
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.filter((child) => child));
  return element;
};
/** A button that does `act`. */
const button = (kind, act, ...children) => {
  const made = make("button", { type: "button", class: `search-${kind}` }, ...children);
  made.addEventListener("click", act);
  return made;
};
const icon = (name) => {
  const template = make("template");
  template.innerHTML = `<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${icons[name]}"/></svg>`;
  return template.content.firstChild;
};

// Words are compared without case and accents.
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const wordsOf = (text) => text.replace(/\b['’]\w\w?\b/g, "").match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
const common = new Set(
  "a an and are as at be by can do does for from how i in is it my of on or our should that the this to we what when where which who why with you your".split(
    " ",
  ),
);

/** The words of a question that are worth showing. */
const telling = (query) => {
  const all = wordsOf(query).map(fold);
  const rare = all.filter((word) => !common.has(word));
  return rare.length ? rare : all;
};

/** How much of `word` the question names: its beginning, or all of it where the question has another ending of it. */
const named = (word, wanted) => {
  const folded = fold(word);
  let length = 0;
  for (const want of wanted) {
    if (folded.startsWith(want)) length = Math.max(length, folded.length === word.length ? want.length : word.length);
    else if (folded.length > 3 && want.startsWith(folded) && want.length - folded.length < 4) length = word.length;
  }
  return length;
};

/** Where the words of the question stand in a text, as far as its answer does not say it. */
const guessed = (text, wanted) =>
  [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap((match) => {
    const length = named(match[0], wanted);
    return length ? [[match.index, match.index + length]] : [];
  });

/** The text with `ranges` of it marked, and as code what stands between backticks. */
const marked = (text, ranges) => {
  const piece = (start, end) => {
    const parts = [];
    let at = start;
    for (const [from, to] of ranges) {
      if (to <= at || from >= end) continue;
      const first = Math.max(from, at);
      parts.push(text.slice(at, first), make("mark", {}, text.slice(first, Math.min(to, end))));
      at = Math.min(to, end);
    }
    return [...parts, text.slice(at, end)];
  };
  const parts = [];
  let at = 0;
  for (const { 0: whole, 1: sign, index } of text.matchAll(/(`+)[^`]+\1/g)) {
    parts.push(
      ...piece(at, index),
      make("code", {}, ...piece(index + sign.length, index + whole.length - sign.length)),
    );
    at = index + whole.length;
  }
  return [...parts, ...piece(at, text.length)];
};
const plain = (text) => text.replace(/(`+)([^`]+)\1/g, "$2");

// The last searches of this browser.
const shelf = "quire-searches";
const most = 5;
const recent = () => {
  try {
    const kept = JSON.parse(localStorage.getItem(shelf) ?? "[]");
    return kept.filter((text) => typeof text === "string").slice(0, most);
  } catch {
    return [];
  }
};
const keep = (searches) => {
  try {
    localStorage.setItem(shelf, JSON.stringify(searches.slice(0, most)));
  } catch {
    // Nothing is kept.
  }
};
const remember = (query) => query && keep([query, ...recent().filter((other) => fold(other) !== fold(query))]);

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);
const acronyms = /^(api|apis|cli|sdk|sdks|ui|mcp|faq|http|ai|llm|sso|rest|id)$/;

/** Where a page is: the labels above it, else its tab, then what the sidebar says or the folders of its address. */
const placeOf = (result, sidebar) => {
  if (result.breadcrumb) return result.breadcrumb;
  const tab = result.tab ? [result.tab] : [];
  const known = sidebar.get(result.url);
  if (known?.group) return [...tab, known.group];
  let folders = result.url.split(/[?#]/)[0].split("/").filter(Boolean).slice(0, -1);
  try {
    folders = folders.map(decodeURIComponent);
  } catch {
    // They stay as they are.
  }
  folders = folders.map((folder) => {
    const words = folder.split(/[-_ ]+/).map((word) => (acronyms.test(word) ? word.toUpperCase() : word));
    const text = words.join(" ");
    return text.charAt(0).toUpperCase() + text.slice(1);
  });
  // The folder of a tab is called like it.
  return tab.length && folders.length && fold(tab[0]).startsWith(fold(folders[0]))
    ? [...tab, ...folders.slice(1)]
    : [...tab, ...folders];
};

/** What the sidebar of this page says of the pages it lists. */
const sidebarOf = () => {
  const known = new Map();
  for (const link of document.querySelectorAll(".sidebar a.sidebar-link[href]")) {
    const group = link.closest(".sidebar-group")?.querySelector(".sidebar-heading")?.textContent.trim();
    known.set(link.getAttribute("href"), { group, method: link.querySelector(".method")?.textContent.trim() });
  }
  return known;
};
// What a page is for, where its place does not say it.
const kindNames = () => ({
  concept: say("ConceptKind", "Concept"),
  reference: say("ReferenceKind", "Reference"),
  schema: say("ModelKind", "Data model"),
  changelog: say("ChangelogKind", "Changelog"),
});
const kindOf = ({ kind }, place) => {
  const name = kindNames()[kind];
  return !place.some((label) => fold(label).includes(fold(name ?? ""))) && name;
};
const methodOf = (result, sidebar) => {
  const told =
    result.method ??
    sidebar.get(result.url)?.method ??
    /^(GET|PUT|POST|PATCH|DELETE|HEAD|OPTIONS)(?= \/)/.exec(result.title)?.[1];
  return told?.toUpperCase();
};

/** Asks the service of the site. */
const asking = (address) => async (question, signal) => {
  const body = JSON.stringify({ ...question, semantic: true, sections: true, limit: 10 });
  const ask = () => fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body, signal });
  let reply = await ask();
  // The index of a large site is being made; who asks has seconds to see that it is waited for.
  for (let tries = 0; reply.status === 503 && tries < 60; tries += 1) {
    await new Promise((wake) => setTimeout(wake, 2000));
    reply = await ask();
  }
  if (!reply.ok) throw new Error(`the search answered ${reply.status}`);
  return reply.json();
};

/** Reads the files of the site. */
const reading = (told) => {
  let searcher = null;
  return async (question, signal, early) => {
    searcher ??= import(told.searcher).then((module) => module.searcher(told.address));
    try {
      return await (await searcher)(question, signal, early);
    } catch (error) {
      if (error.name !== "AbortError") searcher = null;
      throw error;
    }
  };
};

const dialogFor = (told) => {
  const found = told.searcher ? reading(told) : asking(told.address);
  const scope = Object.fromEntries(["version", "language"].filter((key) => told[key]).map((key) => [key, told[key]]));
  let isNarrow = Object.keys(scope).length > 0;

  const field = make("input", {
    class: "search-field",
    id: "search-input",
    type: "text",
    role: "combobox",
    placeholder: told.prompt ?? say("SearchPrompt", "Search…"),
    maxlength: 500,
    "aria-label": say("Search", "Search"),
    "aria-controls": "quire-search-list",
    "aria-expanded": "false",
    "aria-autocomplete": "list",
    "aria-haspopup": "listbox",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    enterkeyhint: "go",
  });
  const clear = button("clear", () => ask(""), icon("x"));
  clear.ariaLabel = say("ClearSearch", "Clear the search");
  const close = button(
    "close",
    () => dialog.close(),
    make("kbd", {}, "Esc"),
    make("span", {}, say("Cancel", "Cancel")),
  );
  close.title = say("CloseSearch", "Close the search");
  const sign = make("span", { class: "search-sign" }, icon("search"), make("span", { class: "search-wait" }));
  const scopes = make("div", {
    class: "search-scopes",
    role: "group",
    "aria-label": say("WhereToSearch", "Where to search"),
  });
  const list = make("div", {
    class: "search-list",
    id: "quire-search-list",
    role: "listbox",
    "aria-label": say("Results", "Results"),
  });
  const rest = make("div", { class: "search-rest" });
  const said = make("p", { class: "search-said", role: "status", "aria-live": "polite" });
  const key = (name) => make("kbd", {}, name);
  const hints = make(
    "div",
    { class: "search-hints", "aria-hidden": "true" },
    make("span", {}, key("↑"), key("↓"), say("ToMove", "to move")),
    make("span", {}, key("↵"), say("ToOpen", "to open")),
    make("span", { class: "search-tab" }, key(isMac ? "⌘" : "Ctrl"), key("↵"), say("InNewTab", "in a new tab")),
  );
  const body = make("div", { class: "search-body", tabindex: "-1" }, list, rest);
  const box = make(
    "div",
    { class: "search-box" },
    make("div", { class: "search-row" }, sign, field, clear, close),
    scopes,
    body,
    hints,
    said,
  );
  const dialog = make("dialog", { class: "search-dialog", "aria-label": say("Search", "Search") }, box);

  let options = [];
  let chosen = -1;
  // Rows that other scripts put above what is found, and those of the question that is shown.
  const makers = [];
  let above = { text: "", rows: [] };
  let turn = 0;
  let shown = "";
  let request = null;
  let timer = 0;
  let slow = 0;

  const query = () => field.value.trim().replace(/\s+/g, " ");

  const choose = (at, isMoved = true) => {
    options[chosen]?.setAttribute("aria-selected", "false");
    chosen = at;
    const option = options[chosen];
    if (!option) return field.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", option.id);
    // The first result is shown with everything above it.
    if (isMoved) chosen === 0 ? body.scrollTo({ top: 0 }) : option.scrollIntoView({ block: "nearest" });
  };

  const number = () => {
    options = [...list.querySelectorAll("[role=option]")];
    options.forEach((option, i) => (option.id = `quire-search-${i}`));
  };

  // Results whose texts are read when they come into view, each with what draws it anew.
  const unread = new Map();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) unread.get(target)?.();
    },
    { root: body, rootMargin: "80px 0px" },
  );
  const readLater = (group, read, draw) => {
    const fill = async () => {
      unread.delete(group);
      watch.unobserve(group);
      const whole = await read().catch(() => null);
      // Titles stay where texts are gone, and nobody waits for those of another question.
      if (!whole || !group.isConnected) return;
      const href = options[chosen]?.href;
      group.replaceWith(draw(whole));
      number();
      choose(
        options.findIndex((option) => option.href === href),
        false,
      );
    };
    unread.set(group, fill);
    watch.observe(group);
  };

  const leave = () => {
    for (const row of above.rows) row.leave?.();
    above = { text: "", rows: [] };
  };
  const rowsAbove = (text) => {
    if (above.text === text) return above.rows;
    leave();
    // What a row becomes later may be chosen too; what was chosen stays so.
    const changed = () => {
      const option = options[chosen];
      number();
      if (option?.isConnected) choose(options.indexOf(option), false);
    };
    const filter = isNarrow ? scope : {};
    above = {
      text,
      rows: text ? makers.flatMap((maker) => maker({ text, filter, changed, close: () => dialog.close() }) ?? []) : [],
    };
    return above.rows;
  };

  const offer = (fresh, text = "") => {
    watch.disconnect();
    unread.clear();
    list.replaceChildren(...rowsAbove(text), ...fresh);
    number();
    field.setAttribute("aria-expanded", String(options.length > 0));
    list.hidden = options.length === 0;
    hints.hidden = options.length === 0;
    chosen = -1;
    // Enter opens what was found first.
    const first = options.findIndex((option) => !above.rows.some((row) => row.contains(option)));
    choose(first < 0 && options.length ? 0 : first, false);
    body.scrollTop = 0;
  };

  const option = (href, kind, sign, ...texts) =>
    make(
      "a",
      { class: `search-option search-${kind}`, role: "option", tabindex: "-1", href, "aria-selected": "false" },
      sign,
      make("span", { class: "search-texts" }, ...texts),
      make("span", { class: "search-enter" }, icon("enter")),
    );

  const texts = ({ title, snippet, matches }, wanted, ...about) => {
    const shown = (snippet ?? "").replace(/\s/g, " ");
    return [
      make("span", { class: "search-title" }, ...marked(title, matches?.title ?? guessed(title, wanted))),
      about.some(Boolean) && make("span", { class: "search-place" }, ...about),
      shown && make("span", { class: "search-snippet" }, ...marked(shown, matches?.snippet ?? guessed(shown, wanted))),
    ];
  };

  const group = (result, isFirst, wanted, sidebar) => {
    // Sections that say much less than the best one only make the list longer.
    const all = result.sections ?? [];
    const most = Math.max(0, ...all.map((section) => section.score));
    const sections = all.filter((section) => section.anchor && section.score >= most * 0.5).slice(0, isFirst ? 3 : 2);
    const method = methodOf(result, sidebar);
    const pill = method && make("span", { class: "method", "data-method": method.toLowerCase() }, method);
    // What a section shows needs not be shown twice.
    const isSaid = sections.some((section) => section.snippet && section.snippet === result.snippet);
    const place = placeOf(result, sidebar);
    const about = [place.join(" › "), kindOf(result, place), !(isNarrow && scope.version) && result.version].filter(
      Boolean,
    );
    const path = method && result.path && make("code", { class: "search-path" }, result.path);
    const said = texts(
      isSaid ? { ...result, snippet: "" } : result,
      wanted,
      path,
      about.length && make("span", {}, about.join(" · ")),
    );
    const page = option(result.url, "page", make("span", { class: "search-icon" }, icon("page")), pill, ...said);
    const rows = sections.map((section) =>
      option(
        `${result.url}#${encodeURIComponent(section.anchor)}`,
        "section",
        make("span", { class: "search-icon" }, icon("hash")),
        ...texts(section.title ? section : { ...section, title: result.title, matches: undefined }, wanted),
      ),
    );
    return make("div", { class: "search-group", role: "group", "aria-label": plain(result.title) }, page, ...rows);
  };

  const tell = (text) => {
    if (said.textContent !== text) said.textContent = text;
  };

  const ask = (text) => {
    field.value = text;
    field.focus();
    search(0);
  };

  const note = (title, text, ...buttons) =>
    make(
      "div",
      { class: "search-note" },
      make("p", { class: "search-note-title" }, ...title),
      make("p", {}, text),
      buttons.length && make("div", { class: "search-offers" }, ...buttons),
    );

  const showRecent = () => {
    dialog.dataset.shown = shown = "";
    offer([]);
    const kept = recent();
    tell("");
    if (!kept.length) {
      rest.replaceChildren(
        note(
          [say("WhatLookingFor", "What are you looking for?")],
          say("TypeAWord", "Type a word, a question, or the name of an endpoint."),
        ),
      );
      return;
    }
    const rows = kept.map((text) => {
      const forget = () => {
        keep(recent().filter((other) => other !== text));
        showRecent();
        (rest.querySelector(".search-forget") ?? field).focus();
      };
      const remove = button("forget", forget, icon("x"));
      remove.ariaLabel = say("Forget", "Forget “{}”", text);
      return make(
        "li",
        {},
        button("again", () => ask(text), icon("clock"), make("span", {}, text)),
        remove,
      );
    });
    rest.replaceChildren(
      make(
        "div",
        { class: "search-recent" },
        make("p", { class: "search-heading", id: "quire-search-recent" }, say("RecentSearches", "Recent searches")),
        make("ul", { "aria-labelledby": "quire-search-recent" }, ...rows),
      ),
    );
  };

  const showNothing = (text, others) => {
    offer([], text);
    tell(say("NoResults", "No results for {}", text));
    const bare = text.replace(/["“”„]/g, "").trim();
    // One quote is none: what stands in quotes has two.
    const isQuoted = text.length > bare.length + 1;
    const hint = isQuoted
      ? say("NotTogether", "No page has these words next to each other.")
      : others.length
        ? say("TheseFind", "These find something:")
        : say("AnotherWord", "Another word may find it.");
    const offers = others.map((other) => button("offer", () => ask(other), icon("search"), make("span", {}, other)));
    if (isNarrow) offers.push(button("offer", () => narrow(false), say("SearchEverywhere", "Search everywhere")));
    const [before, after] = say("NoResults", "No results for {}", "\n").split("\n");
    rest.replaceChildren(
      note([before, make("strong", {}, text === bare ? `“${text}”` : text), after], hint, ...offers),
    );
  };

  const showFault = () => {
    offer([]);
    tell(say("NoAnswer", "The search did not answer"));
    const retry = button("offer", () => ask(field.value), say("TryAgain", "Try again"));
    const text =
      navigator.onLine === false
        ? say("Offline", "You seem to be offline.")
        : say("BackSoon", "It may be back in a moment.");
    rest.replaceChildren(note([say("NoAnswer", "The search did not answer")], text, retry));
  };

  const show = (answer, text, isWhole = true) => {
    // What comes after its titles leaves the list as it is.
    const before = shown === text && chosen > 0 && options[chosen].href;
    const top = shown === text ? body.scrollTop : 0;
    shown = text;
    if (isWhole) dialog.dataset.shown = text;
    const results = (answer.results ?? []).filter((result) => /^(\/|https?:)/.test(result.url) && result.title);
    if (isWhole)
      document.dispatchEvent(new CustomEvent("quire:answered", { detail: { query: text, found: results.length > 0 } }));
    if (!results.length) return showNothing(text, answer.suggestions ?? []);
    rest.replaceChildren();
    const wanted = telling(text);
    const sidebar = sidebarOf();
    const groups = results.map((result, i) => group(result, i === 0, wanted, sidebar));
    offer(groups, text);
    const again = options.findIndex(({ href }) => href === before);
    if (again > 0) choose(again, false);
    body.scrollTop = top;
    for (const [i, { read }] of results.entries())
      if (read) readLater(groups[i], read, (whole) => group(whole, false, wanted, sidebar));
    tell(say("Found", `{} ${results.length === 1 ? "page" : "pages"} found`, results.length));
  };

  const showProgress = ({ done, of }) => {
    const share = Math.floor((100 * done) / Math.max(1, of));
    rest.append(note([say("StillIndexing", "Not all pages can be found yet ({} %).", share)], ""));
  };

  const isDone = () => {
    clearTimeout(slow);
    dialog.removeAttribute("data-waiting");
  };

  const search = (delay) => {
    const text = query();
    clear.hidden = !field.value;
    clearTimeout(timer);
    // Signs alone, as the quote that opens a phrase, ask for nothing yet.
    if (!wordsOf(text).length) {
      turn += 1;
      request?.abort();
      isDone();
      return showRecent();
    }
    timer = setTimeout(async () => {
      // An answer that was overtaken by another question is nobody's.
      const mine = ++turn;
      request?.abort();
      request = new AbortController();
      clearTimeout(slow);
      slow = setTimeout(() => dialog.setAttribute("data-waiting", ""), 200);
      const { signal } = request;
      try {
        const early = (answer) => mine === turn && show(answer, text, false);
        const answer = await found(isNarrow ? { query: text, filter: scope } : { query: text }, signal, early);
        if (mine !== turn) return;
        show(answer, text);
        if (answer.indexing) showProgress(answer.indexing);
        // Pages that are indexed since may be among the best.
        const isEarly = answer.indexing || answer.revision !== undefined;
        if (isEarly && dialog.open && query() === text) search(1000);
      } catch {
        // What was found stays.
        if (mine === turn && !signal.aborted && shown !== text) showFault();
      } finally {
        if (mine === turn) isDone();
      }
    }, delay);
  };

  const narrow = (wanted) => {
    isNarrow = wanted;
    leave();
    drawScopes();
    field.focus();
    search(0);
  };
  const drawScopes = () => {
    scopes.hidden = Object.keys(scope).length === 0;
    if (scopes.hidden) return;
    const names = [scope.version, scope.language && (nameOf(scope.language) ?? scope.language)]
      .filter(Boolean)
      .join(" · ");
    const choice = (name, value) => {
      const made = button("scope", () => narrow(value), name);
      made.ariaPressed = isNarrow === value;
      return made;
    };
    scopes.replaceChildren(
      choice(say("InScope", "In {}", names), true),
      choice(say("Everywhere", "Everywhere"), false),
    );
  };
  const nameOf = (code) => {
    try {
      return new Intl.DisplayNames([code], { type: "language" }).of(code);
    } catch {
      return null;
    }
  };

  field.addEventListener("input", () => search(60));
  dialog.addEventListener("pointerdown", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    turn += 1;
    request?.abort();
    clearTimeout(timer);
    leave();
    isDone();
  });

  const move = (event, at) => {
    event.preventDefault();
    choose(at);
  };
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const last = options.length - 1;
    if (!options.length) {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      rest.querySelector("button")?.focus();
    } else if (event.key === "ArrowDown") move(event, chosen < last ? chosen + 1 : 0);
    else if (event.key === "ArrowUp") move(event, chosen > 0 ? chosen - 1 : last);
    // In a text these belong to the caret; with a modifier, or where there is nowhere to go, to the list.
    else if (event.key === "Home" && !event.shiftKey && field.selectionEnd === 0) move(event, 0);
    else if (event.key === "End" && !event.shiftKey && field.selectionStart === field.value.length) move(event, last);
    else if (event.key === "PageDown") move(event, Math.min(chosen + 5, last));
    else if (event.key === "PageUp") move(event, Math.max(chosen - 5, 0));
    else if (above.rows.some((row) => row.press?.(event))) event.preventDefault();
    else if (event.key === "Enter" && options[chosen]) {
      event.preventDefault();
      // What is shown may be of an older question than what was just typed.
      if (query() !== shown) return search(0);
      go(options[chosen], event.metaKey || event.ctrlKey);
    }
  });
  // What was searched before, and what is offered where nothing is found, are buttons: arrows walk over them.
  rest.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const buttons = [...rest.querySelectorAll(".search-again, .search-offer")];
    const here = buttons.findIndex(
      (button) =>
        button === event.target ||
        (button.parentElement === event.target.parentElement && button.matches(".search-again")),
    );
    const next = buttons[here + (event.key === "ArrowDown" ? 1 : -1)];
    event.preventDefault();
    if (next) next.focus();
    else if (event.key === "ArrowUp") field.focus();
  });

  const go = (option, isApart) => {
    remember(query());
    if (option.act) return option.act();
    if (isApart) return void window.open(option.href, "_blank", "noopener");
    dialog.close();
    if (document.dispatchEvent(new CustomEvent("quire:visit", { cancelable: true, detail: option.href })))
      location.assign(option.href);
  };

  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (!option) return;
    remember(query());
    if (option.act) {
      event.preventDefault();
      return option.act();
    }
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(option, false);
  });
  // The pointer chooses when it moves, not when the list moves below it.
  list.addEventListener("pointermove", (event) => {
    const at = options.indexOf(event.target.closest("[role=option]"));
    if (at >= 0 && at !== chosen) choose(at, false);
  });
  // Keys go on belonging to the field.
  list.addEventListener("mousedown", (event) => {
    if (event.button === 0) event.preventDefault();
  });

  // The page below stays where it is, with its scroll bar: what cannot be scrolled here scrolls nothing.
  for (const sign of ["wheel", "touchmove"]) {
    const hold = (event) => {
      const isHere = body.contains(event.target) && body.scrollHeight > body.clientHeight;
      if (!isHere && event.target !== field) event.preventDefault();
    };
    dialog.addEventListener(sign, hold, { passive: false });
  }

  drawScopes();
  offer([]);
  document.body.append(dialog);
  document.dispatchEvent(new CustomEvent("quire:search", { detail: { make, add: (maker) => makers.push(maker) } }));

  return () => {
    if (dialog.open) return field.select();
    dialog.showModal();
    field.focus();
    field.select();
    search(0);
  };
};

let show = null;
/** Opens the dialog; `told` is what the page says of its search. */
export const open = (told) => {
  if (!document.querySelector(".search-dialog")) show = dialogFor(told);
  show();
};
