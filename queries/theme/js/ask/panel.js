// The panel: a column beside the page where there is room, a sheet over it where there is not, or the page itself.
const widths = { least: 320, usual: 400, most: 640 };
/** Most messages of a conversation that are sent, most characters of each, and of all. */
const sent = { messages: 24, each: 15_000, all: 120_000 };
/** Most characters of what a reader selects. */
const mostSelected = 8_000;

/** Makes the panel of a site. */
export const panelOf = ({ address, feedback, words: given }) => {
  const words = { ...english, ...given };
  const fill = (text, value) => text.replace("{}", () => value);
  const root = document.documentElement;
  const isWide = matchMedia("(min-width: 80rem)");
  let messages = conversationOf();
  let contexts = [];
  let running = null;
  let opener = null;
  let isOpen = false;
  let isPage = false;

  const button = (kind, label, act, ...children) =>
    h("button", { type: "button", class: `ask-${kind}`, "aria-label": label, title: label, onclick: act }, ...children);

  // The frame.
  const title = h("h2", { class: "ask-title", id: "quire-ask-title" }, words.AskTitle);
  const fresh = button("icon", words.AskFresh, () => restart(), picture("fresh"));
  const shut = button("icon ask-close", words.Close, () => close(), picture("x"));
  const head = h("div", { class: "ask-head chat-assistant-sheet-header" }, picture("ask"), title, fresh, shut);
  const list = h("div", { class: "ask-list" });
  const log = h(
    "div",
    {
      class: "ask-log chat-assistant-sheet-content",
      tabindex: "0",
      role: "group",
      "aria-labelledby": "quire-ask-title",
    },
    list,
  );
  const said = h("p", { class: "ask-said", role: "status", "aria-live": "polite" });
  const chips = h("ul", { class: "ask-chips", hidden: true });
  const field = h("textarea", {
    class: "ask-field",
    id: "chat-assistant-textarea",
    rows: 1,
    maxlength: 4000,
    "aria-label": words.AskField,
    enterkeyhint: "send",
    autocomplete: "off",
  });
  const act = h(
    "button",
    { type: "submit", class: "ask-send chat-assistant-send-button", "aria-label": words.Send, title: words.Send },
    picture("send"),
  );
  const here = h(
    "button",
    { type: "button", class: "ask-here", "aria-pressed": "false", onclick: () => toggleHere() },
    picture("page"),
    words.AskPage,
  );
  const form = h(
    "form",
    { class: "ask-form", onsubmit: (event) => submit(event) },
    h("div", { class: "ask-box chat-assistant-input" }, chips, field, h("div", { class: "ask-row" }, here, act)),
  );
  const edge = h("div", {
    class: "ask-edge",
    role: "separator",
    tabindex: "0",
    "aria-orientation": "vertical",
    "aria-label": words.AskWidth,
    "aria-valuemin": widths.least,
    "aria-valuemax": widths.most,
  });
  const box = h(
    "div",
    {
      class: "ask chat-assistant-sheet",
      id: "chat-assistant-sheet",
      "aria-labelledby": "quire-ask-title",
      hidden: true,
    },
    edge,
    head,
    log,
    form,
    said,
  );

  const say = (text) => {
    said.textContent = text;
  };

  // What an answer is drawn with.
  const sourceNumber = (message, href) => {
    const at = (message.sources ?? []).findIndex(({ url }) => linkTo(url)?.href === href);
    return at < 0 ? null : at + 1;
  };
  /** What stands below a link that is a line of its own: the passage that is quoted. */
  const quotesBelow = (link) => {
    const line = link?.closest(".ask-text > *");
    if (!line || line.textContent.trim() !== link.textContent.trim()) return [];
    const quotes = [];
    const segmenter = Intl.Segmenter && new Intl.Segmenter(root.lang || "en", { granularity: "sentence" });
    for (let at = line.nextElementSibling; at && quotes.length < 12; at = at.nextElementSibling) {
      if (at.querySelector(":scope > strong:only-child > a")) break;
      for (const block of at.matches("p") ? [at] : at.querySelectorAll("li, p")) {
        const text = block.textContent.trim();
        quotes.push(...(segmenter ? [...segmenter.segment(text)].map(({ segment }) => segment.trim()) : [text]));
      }
    }
    return quotes.filter(Boolean);
  };
  const follow = (event, href, link) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button) return;
    if (!isWide.matches && !isPage) close(false);
    if (leadTo(href, quotesBelow(link))) event.preventDefault();
  };
  const aboutOf = (message) => ({
    link: ({ href, host, isMail, label, children }) => {
      if (host) {
        // A label may say another host than the one that the link leads to.
        const isSaid = label.includes(host);
        return h(
          "a",
          { href, rel: "noopener nofollow", target: "_blank", class: "ask-foreign" },
          children,
          !isSaid && h("span", { class: "ask-host" }, ` (${host})`),
        );
      }
      if (isMail) return h("a", { href }, children);
      const number = /^\^?\d{1,2}$/.test(label) ? (sourceNumber(message, href) ?? label.replace("^", "")) : null;
      const link =
        number === null
          ? h("a", { href }, children)
          : h("a", { href, class: "ask-cite", "aria-label": fill(words.AskSource, number) }, String(number));
      link.addEventListener("click", (event) => follow(event, href, link));
      return link;
    },
    code: ({ language, text }) =>
      h(
        "figure",
        { class: "code-block", "data-code": true },
        language && h("figcaption", { class: "code-title" }, h("span", { class: "code-name" }, language)),
        h(
          "div",
          { class: "code-body" },
          h(
            "button",
            { type: "button", class: "copy-button", "data-copy": true, "aria-label": words.CopyCode },
            h("span", { class: "copy-idle" }, picture("copy")),
            h("span", { class: "copy-done" }, picture("check")),
          ),
          h("pre", { tabindex: "0" }, h("code", {}, text)),
        ),
      ),
    table: (table) =>
      h("div", { class: "table-scroll", tabindex: "0", role: "group", "aria-label": words.Table }, table),
  });

  /** The places that an answer was taken from: the title of the page, and the headings on the way. */
  const sourcesView = (message, textRoot) => {
    const items = (message.sources ?? []).flatMap(({ url, title: place }, i) => {
      const to = linkTo(url);
      if (!to || to.isMail) return [];
      const [page, ...path] = String(place ?? url).split(" › ");
      const link = h(
        "a",
        { href: to.href, ...(to.host ? { rel: "noopener nofollow", target: "_blank" } : {}) },
        h("span", { class: "ask-number", "aria-hidden": "true" }, String(i + 1)),
        h(
          "span",
          { class: "ask-place" },
          h("span", { class: "ask-source" }, page),
          path.length > 0 && h("span", { class: "ask-path" }, path.join(" › ")),
          to.host && h("span", { class: "ask-path" }, to.host),
        ),
      );
      if (!to.host) {
        link.addEventListener("click", (event) => {
          const twin = [...textRoot.querySelectorAll("a[href]")].find(
            (one) => one.getAttribute("href") === to.href && !one.classList.contains("ask-cite"),
          );
          follow(event, to.href, twin);
        });
      }
      return [h("li", {}, link)];
    });
    return items.length
      ? h("div", { class: "ask-sources" }, h("p", { class: "ask-label" }, words.AskSources), h("ol", {}, items))
      : null;
  };

  const copyText = async (text, control) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Plain http has no clipboard: what is selected can be copied the old way.
      const area = h("textarea", { style: "position:fixed;opacity:0" });
      area.value = text;
      box.append(area);
      area.select();
      const isDone = document.execCommand("copy");
      area.remove();
      control.focus();
      if (!isDone) return;
    }
    control.replaceChildren(picture("check"));
    control.setAttribute("aria-label", words.Copied);
    say(words.Copied);
    setTimeout(() => {
      control.replaceChildren(picture("copy"));
      control.setAttribute("aria-label", words.AskCopy);
    }, 1600);
  };

  const rate = async (message, isHelpful, redraw) => {
    const before = message.rated;
    message.rated = isHelpful ? "up" : "down";
    redraw();
    try {
      const body = JSON.stringify({ kind: "assistant", path: location.pathname, helpful: isHelpful, id: message.id });
      const reply = await fetch(feedback, { method: "POST", headers: { "content-type": "application/json" }, body });
      if (!reply.ok) throw new Error(String(reply.status));
      say(words.AskThanks);
    } catch {
      message.rated = before;
      say(words.AskUnsent);
      redraw();
    }
    keep();
  };

  /** The view of an answer, with what draws it again. */
  const answerView = (message) => {
    const text = h("div", { class: "prose ask-text" });
    const below = h("div", { class: "ask-below" });
    const view = h("div", { class: "ask-answer", role: "group", "aria-label": words.AskAnswer }, text, below);
    const drawText = drawer(text, aboutOf(message));
    const thumbs = (kind, label) => {
      const isHelpful = kind === "up";
      const made = button("tool", label, () => rate(message, isHelpful, drawBelow), picture(kind));
      made.setAttribute("aria-pressed", String(message.rated === kind));
      return made;
    };
    const drawBelow = () => {
      const at = [...below.querySelectorAll("button")].findIndex((one) => one === document.activeElement);
      const isGoing = message.state === "going";
      const fault = { stopped: words.AskStopped, cut: words.AskCut, failed: message.note || words.AskFailed }[
        message.state
      ];
      const engine = message.metadata?.engine;
      const notice =
        engine === "degraded"
          ? message.metadata.notice || words.AskDegraded
          : engine === "model" && message.metadata.answered !== false
            ? words.AskModel
            : "";
      const isTold = !isGoing && message.content;
      below.replaceChildren(
        ...[
          isGoing &&
            !message.content &&
            h("p", { class: "ask-wait" }, h("span", { class: "ask-pulse", "aria-hidden": "true" }), words.AskWaiting),
          isGoing && message.content && h("span", { class: "ask-pulse", "aria-hidden": "true" }),
          fault &&
            h(
              "div",
              { class: "ask-fault", "data-state": message.state },
              h("p", {}, fault),
              h(
                "button",
                { type: "button", class: "ask-retry", onclick: () => again(message) },
                picture("again"),
                words.TryAgain,
              ),
            ),
          !isGoing && sourcesView(message, text),
          isTold && notice && h("p", { class: "ask-notice chat-assistant-disclaimer-text" }, notice),
          isTold &&
            h(
              "div",
              { class: "ask-tools" },
              button("tool", words.AskCopy, (event) => copyText(message.content, event.currentTarget), picture("copy")),
              feedback &&
                message.id &&
                message.state === "whole" && [thumbs("up", words.AskHelpful), thumbs("down", words.AskUnhelpful)],
            ),
        ].filter(Boolean),
      );
      if (at >= 0) below.querySelectorAll("button")[at]?.focus();
    };
    let frame = 0;
    const draw = () => {
      cancelAnimationFrame(frame);
      frame = 0;
      drawText(message.content, message.state !== "going");
      view.setAttribute("aria-busy", String(message.state === "going"));
      drawBelow();
    };
    draw();
    return { view, draw, soon: () => (frame ||= requestAnimationFrame(draw)) };
  };

  const names = { page: words.AskThisPage, textSelection: words.AskSelection, code: words.Code };
  const signs = { page: "page", textSelection: "quote", code: "code" };
  const chipView = (context, remove) =>
    h(
      "li",
      { class: "ask-chip chat-assistant-payload-item" },
      picture(signs[context.type] ?? "quote"),
      h(
        "span",
        { class: "ask-chip-text" },
        h("span", { class: "ask-chip-kind" }, names[context.type]),
        " ",
        h("span", {}, context.label),
      ),
      remove && button("chip-x", fill(words.RemoveOf, `${names[context.type]} ${context.label}`), remove, picture("x")),
    );

  const questionView = (message) =>
    h(
      "div",
      { class: "ask-question" },
      h("span", { class: "ask-hidden" }, `${words.AskYou}: `),
      message.context?.length > 0 &&
        h(
          "ul",
          { class: "ask-chips" },
          message.context.map((one) => chipView(one)),
        ),
      h("p", {}, message.content),
    );

  /** The conversation, or what it may begin with. */
  const views = new Map();
  const draw = () => {
    views.clear();
    fresh.hidden = !messages.length;
    field.placeholder = messages.length ? words.AskFurther : words.AskPlaceholder;
    if (!messages.length) {
      const starters = startersOf(words);
      const offer = (text, kind, begin) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: "ask-starter", onclick: begin },
            picture(kind),
            h("span", { class: "starter-question-text" }, text),
          ),
        );
      const offers = starters.map((text) => offer(text, "ask", () => ask(text)));
      // A page of nothing but the panel has nothing to sum up.
      const own = isPage ? [] : [offer(words.AskSummarize, "page", () => ask(words.AskSummarize, [pageContext()]))];
      list.replaceChildren(
        h(
          "div",
          { class: "ask-start" },
          h("p", { class: "ask-greeting" }, words.AskGreeting),
          h("p", { class: "ask-about" }, words.AskOrigin),
          h("ul", { class: "ask-starters" }, own, offers),
        ),
      );
      return;
    }
    const turns = [];
    for (const message of messages) {
      if (message.role === "user") turns.push(h("div", { class: "ask-turn" }, questionView(message)));
      else {
        const made = answerView(message);
        views.set(message, made);
        turns.at(-1)?.append(made.view);
      }
    }
    list.replaceChildren(...turns);
  };
  const keep = () => retain(shelf.conversation, messages.length ? messages : null);

  // What the question is about.
  const pageContext = () => {
    const label = document.querySelector("main h1")?.firstChild?.textContent?.trim() || document.title;
    return { type: "page", value: label, label, path: location.pathname };
  };
  const drawChips = () => {
    chips.replaceChildren(
      ...contexts.map((one) =>
        chipView(one, () => {
          contexts = contexts.filter((other) => other !== one);
          drawChips();
          field.focus();
        }),
      ),
    );
    chips.hidden = !contexts.length;
    here.setAttribute("aria-pressed", String(contexts.some(({ type }) => type === "page")));
    here.hidden = isPage;
    showAct();
  };
  const toggleHere = () => {
    const others = contexts.filter(({ type }) => type !== "page");
    contexts = others.length < contexts.length ? others : [...contexts, pageContext()];
    drawChips();
    field.focus();
  };
  const addContext = (context) => {
    const value = context.value.slice(0, mostSelected);
    const label = value.trim().replace(/\s+/g, " ").slice(0, 80);
    contexts = [
      ...contexts.filter((one) => one.value !== value),
      { ...context, value, label: context.label ?? label, path: location.pathname },
    ].slice(-5);
    drawChips();
  };

  // Asking.
  const showAct = () => {
    const label = running ? words.AskStop : words.Send;
    act.replaceChildren(picture(running ? "stop" : "send"));
    act.ariaLabel = act.title = label;
    act.toggleAttribute("data-running", Boolean(running));
    const isEmptyNow = !field.value.trim() && !contexts.some(({ type }) => type !== "page");
    act.setAttribute("aria-disabled", String(!running && isEmptyNow));
  };
  const grow = () => {
    field.style.blockSize = "auto";
    field.style.blockSize = `${Math.min(field.scrollHeight, 200)}px`;
  };
  const submit = (event) => {
    event.preventDefault();
    if (running) return running.abort("stop");
    const text = field.value.trim() || (contexts.some(({ type }) => type !== "page") ? words.AskExplainThis : "");
    if (!text) return field.focus();
    const about = contexts;
    contexts = [];
    field.value = "";
    grow();
    drawChips();
    ask(text, about);
  };
  const ask = (text, context = []) => {
    running?.abort("stop");
    messages = [...messages, { role: "user", content: text, context }];
    answer();
  };
  const again = (message) => {
    const at = messages.indexOf(message);
    if (at < 1) return;
    running?.abort("stop");
    // What came after it leaned on it.
    messages = messages.slice(0, at);
    answer();
    field.focus();
  };
  /** What is sent of the conversation: its end, as far as it fits. */
  const sendable = () => {
    let room = sent.all;
    const kept = [];
    for (const { role, content } of messages.slice(-sent.messages).reverse()) {
      const text = content.slice(0, sent.each);
      room -= text.length;
      if (room < 0 && kept.length) break;
      if (text.trim()) kept.unshift({ role, content: text });
    }
    return kept;
  };
  const answer = async () => {
    const question = messages.at(-1);
    const path = location.pathname.length <= 200 ? { currentPath: location.pathname } : {};
    const context =
      question.context?.map(({ type, value, path: at, elementId }) => ({ type, value, path: at, elementId })) ?? [];
    const body = { messages: sendable(), ...(context.length ? { context } : {}), ...path };
    const message = { role: "assistant", content: "", sources: [], state: "going" };
    messages = [...messages, message];
    const mine = new AbortController();
    running = mine;
    showAct();
    draw();
    log.scrollTop = list.lastElementChild?.offsetTop ?? 0;
    say(words.AskWaiting);
    let last = performance.now();
    const hear = (event) => {
      if (event.messageMetadata) message.metadata = { ...message.metadata, ...event.messageMetadata };
      if (event.type === "start" && event.messageId) message.id = event.messageId;
      else if (event.type === "text-delta") message.content += String(event.delta ?? "");
      else if (event.type === "source-url" && event.url) {
        if (!message.sources.some(({ url }) => url === event.url))
          message.sources.push({ url: String(event.url), title: event.title });
      } else if (event.type === "error") {
        message.state = "failed";
        message.note = message.content ? words.AskCut : words.AskFailed;
      } else if (event.type === "abort") message.state = "cut";
      views.get(message)?.soon();
      // A page that is left in the middle finds what came on the next one.
      if (performance.now() - last > 400) {
        last = performance.now();
        keep();
      }
    };
    try {
      const isWhole = await converse({ address, body, signal: mine.signal, hear });
      if (message.state === "going") message.state = isWhole ? "whole" : message.content ? "cut" : "failed";
    } catch (error) {
      if (mine.signal.aborted) message.state = mine.signal.reason === "leave" ? "cut" : "stopped";
      else {
        message.state = message.content ? "cut" : "failed";
        if (error instanceof Refused) message.note = error.status === 429 ? words.AskBusy : words.AskFailed;
        else if (navigator.onLine === false) message.note = words.Offline;
      }
    }
    if (running === mine) running = null;
    // Another conversation may have begun meanwhile.
    if (!messages.includes(message)) return;
    keep();
    showAct();
    const made = views.get(message);
    made?.draw();
    const fault = { stopped: words.AskStopped, cut: words.AskCut, failed: message.note || words.AskFailed }[
      message.state
    ];
    const told = made?.view.querySelector(".ask-text").innerText.trim() ?? "";
    say([told, fault].filter(Boolean).join("\n"));
  };
  const restart = () => {
    running?.abort("stop");
    running = null;
    messages = [];
    contexts = [];
    keep();
    say("");
    draw();
    drawChips();
    field.focus();
  };

  // Where it is.
  const width = () =>
    Math.min(Math.max(recall(shelf.width) ?? widths.usual, widths.least), widths.most, Math.round(innerWidth / 2));
  const place = () => {
    const isDocked = isOpen && !isPage && isWide.matches;
    const isSheet = isOpen && !isPage && !isWide.matches;
    root.toggleAttribute("data-ask", isDocked);
    root.toggleAttribute("data-ask-sheet", isSheet);
    if (isDocked) root.style.setProperty("--ask-width", `${width()}px`);
    edge.hidden = !isDocked;
    edge.setAttribute("aria-valuenow", width());
    if (isPage) box.setAttribute("role", "region");
    else box.setAttribute("role", isSheet ? "dialog" : "complementary");
    box.toggleAttribute("data-page", isPage);
    if (isSheet) box.setAttribute("aria-modal", "true");
    else box.removeAttribute("aria-modal");
    for (const other of document.body.children) {
      if (other === box || other.localName === "dialog" || other.localName === "script") continue;
      if (isSheet && !other.inert) {
        other.inert = true;
        other.dataset.askInert = "";
      } else if (!isSheet && "askInert" in other.dataset) {
        other.inert = false;
        delete other.dataset.askInert;
      }
    }
    for (const control of document.querySelectorAll("[data-ask-open]")) {
      control.setAttribute("aria-expanded", String(isOpen));
      if (isOpen) control.setAttribute("aria-controls", box.id);
      else control.removeAttribute("aria-controls");
    }
    retain(shelf.dock, isDocked ? width() : null);
  };
  const close = (isReturning = true) => {
    if (isPage || !isOpen) return;
    isOpen = false;
    box.hidden = true;
    place();
    if (!isReturning) return;
    const to = opener?.isConnected && opener !== document.body ? opener : document.querySelector("[data-ask-open]");
    to?.focus({ preventScroll: true });
  };
  /** @param {{ from?: any, context?: any, question?: string, isQuiet?: boolean }} [options] */
  const open = ({ from, context, question, isQuiet } = {}) => {
    if (!isOpen) {
      opener = from ?? null;
      isOpen = true;
      box.hidden = false;
      if (!box.isConnected) document.body.append(box);
      place();
      draw();
      drawChips();
      log.scrollTop = log.scrollHeight;
    }
    if (context) addContext(context);
    if (question) ask(question);
    if (!isQuiet) field.focus({ preventScroll: true });
    grow();
  };
  const toggle = (from) => {
    if (!isOpen) open({ from });
    else if (isPage || (!box.contains(document.activeElement) && from?.localName !== "button")) field.focus();
    else close();
  };
  /** Puts the panel into the page, in place of what stands there. */
  const mount = (slot) => {
    isPage = isOpen = true;
    box.hidden = false;
    slot.replaceChildren(box);
    place();
    draw();
    drawChips();
    grow();
  };

  // Its width, by pointer and by keys.
  const resize = (to) => {
    retain(shelf.width, Math.min(Math.max(Math.round(to), widths.least), widths.most));
    place();
  };
  const isRightToLeft = () => getComputedStyle(root).direction === "rtl";
  edge.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    edge.setPointerCapture(event.pointerId);
    const move = (at) => resize(isRightToLeft() ? at.clientX : root.clientWidth - at.clientX);
    edge.addEventListener("pointermove", move);
    edge.addEventListener("lostpointercapture", () => edge.removeEventListener("pointermove", move), { once: true });
  });
  edge.addEventListener("keydown", (event) => {
    const wider = isRightToLeft() ? "ArrowRight" : "ArrowLeft";
    const narrower = isRightToLeft() ? "ArrowLeft" : "ArrowRight";
    const to = { [wider]: width() + 24, [narrower]: width() - 24, Home: widths.most, End: widths.least }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    resize(to);
  });

  field.addEventListener("input", () => {
    grow();
    showAct();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!running) form.requestSubmit();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || isPage) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  });
  isWide.addEventListener("change", place);
  addEventListener("pagehide", () => {
    if (!running) return;
    running.abort("leave");
    keep();
  });
  document.addEventListener("quire:update", () => isOpen && place());

  /** Goes away for one that speaks another language; says whether it was open. */
  const leave = () => {
    const wasOpen = isOpen && !isPage;
    running?.abort("leave");
    keep();
    close(false);
    isOpen = isPage = false;
    box.remove();
    return wasOpen;
  };

  return { open, toggle, mount, leave };
};
