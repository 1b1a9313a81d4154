// Opens the panel of the assistant: by its button, by ⌘I or Ctrl I, from selected text, from code and by the address of
// the page. Its script, its words and its look are read when they are first wanted.
(() => {
  const meta = document.querySelector("meta[name='quire-assistant']");
  if (!meta) return;
  const told = meta.dataset;
  const now = () => document.querySelector("meta[name='quire-assistant']")?.dataset ?? told;
  const root = document.documentElement;
  let parts = null;
  let panel = null;

  const look = (href) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    return new Promise((resolve, reject) => {
      link.onload = resolve;
      link.onerror = () => {
        link.remove();
        reject(new Error(href));
      };
      // Before the site's own stylesheets, which win over the theme's.
      document.querySelector("link[rel='stylesheet']").after(link);
    });
  };
  // A page in another language names other words.
  const none = {};
  const wordsOf = async () => {
    const { words } = now();
    return words ? (await import(words)).default : none;
  };
  const load = () => {
    parts ??= Promise.all([import(told.script), look(told.styles)]).catch((error) => {
      parts = null;
      throw error;
    });
    return Promise.all([parts, wordsOf()]);
  };
  const hint = () => load().catch(() => {});
  const use = async (act) => {
    try {
      const [[module], words] = await load();
      const wasOpen = panel?.words !== words && panel?.leave();
      if (panel?.words !== words)
        panel = { words, ...module.panelOf({ address: meta.content, feedback: told.feedback, words }) };
      if (wasOpen) panel.open({ isQuiet: true });
      act(panel, module);
    } catch (error) {
      // The next attempt reads what is missing again.
      console.error(error);
    }
  };

  /** What is selected of the text of the page. */
  const selected = () => {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    const at = range.commonAncestorContainer;
    const element = at.nodeType === 1 ? at : at.parentElement;
    const value = selection.toString().trim();
    if (!element?.closest("main article") || element.closest(".ask, input, textarea") || value.length < 2) return null;
    const code = element.closest("pre");
    return { range, context: { type: code ? "code" : "textSelection", value, elementId: element.closest("[id]")?.id } };
  };
  const askCode = (button) => {
    const body = button.closest(".code-body");
    const name = body.closest(".code-block")?.querySelector(".code-name")?.textContent;
    const context = {
      type: "code",
      value: body.querySelector("pre code").textContent,
      elementId: body.closest("[id]")?.id,
      ...(name ? { label: name } : {}),
    };
    use((it) => it.open({ from: button, context }));
  };

  // A small button at the end of what is selected.
  const picture = () => document.querySelector("[data-ask-open] svg")?.cloneNode(true) ?? "";
  let bubble = null;
  const hide = () => {
    bubble?.remove();
    bubble = null;
  };
  const offer = () => {
    const found = selected();
    if (!found) return hide();
    const box = [...found.range.getClientRects()].filter(({ width }) => width > 0).at(-1);
    const main = document.querySelector("main");
    if (!box || !main) return hide();
    if (!bubble) {
      bubble = document.createElement("div");
      bubble.className = "ask-tip";
      bubble.id = "text-selection-tooltip";
      const button = document.createElement("button");
      button.type = "button";
      button.className = "ask-bubble";
      button.id = "text-selection-tooltip-button";
      button.append(picture(), now().selection);
      // The selection must outlive the press.
      button.addEventListener("pointerdown", (event) => event.preventDefault());
      button.addEventListener("click", () => {
        const context = selected()?.context;
        hide();
        if (context) use((it) => it.open({ context, from: document.activeElement }));
      });
      bubble.append(button);
      main.append(bubble);
    }
    const { width } = bubble.getBoundingClientRect();
    const edge = root.clientWidth - (parseFloat(getComputedStyle(document.body).paddingInlineEnd) || 0);
    bubble.style.insetBlockStart = `${box.bottom + scrollY + 8}px`;
    bubble.style.left = `${Math.max(8, Math.min(box.right - width / 2, edge - width - 8))}px`;
  };
  let timer = 0;
  document.addEventListener("selectionchange", () => {
    clearTimeout(timer);
    if (getSelection().isCollapsed) hide();
    else timer = setTimeout(offer, 250);
  });
  addEventListener("resize", hide);

  const codeButton = "ask-assistant-code-block-button";
  // Code gets its button when it is come to; where nothing hovers, when there is time.
  const dress = (body) => {
    const copy = body.querySelector(":scope > .copy-button");
    if (!copy || body.querySelector(":scope > .ask-code")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "ask-code";
    button.ariaLabel = button.title = now().code;
    button.append(picture());
    button.addEventListener("click", () => askCode(button));
    copy.after(button);
  };
  const dressAll = () => document.querySelectorAll("main article .code-body").forEach(dress);
  const dressLater = () => matchMedia("(hover: none)").matches && (window.requestIdleCallback ?? setTimeout)(dressAll);

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-ask-open]");
    if (button) use((it) => it.toggle(button));
  });
  for (const sign of ["pointerover", "focusin"]) {
    document.addEventListener(sign, (event) => {
      const at = event.target;
      if (at.closest?.("[data-ask-open], .ask-code, .ask-bubble")) hint();
      const body = at.closest?.("main article .code-body");
      if (!body) return;
      dress(body);
      // An id is on a page once: on the button of the code that a reader is at.
      document.getElementById(codeButton)?.removeAttribute("id");
      const button = body.querySelector(":scope > .ask-code");
      if (button) button.id = codeButton;
    });
  }
  document.addEventListener("keydown", (event) => {
    const isCommand =
      (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "i";
    if (!isCommand || event.isComposing || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    const context = selected()?.context;
    const from = document.activeElement;
    hide();
    use((it) => (context ? it.open({ context, from }) : it.toggle(from)));
  });
  // The search dialog has rows for questions.
  document.addEventListener("quire:search", async ({ detail: { make, add } }) => {
    try {
      const [module, words] = await Promise.all([import(told.search), wordsOf()]);
      const ask = (question) => use((it) => it.open({ question, from: document.querySelector("[data-ask-open]") }));
      add(module.rowsOf({ address: meta.content, language: root.lang, words, make, picture, ask }));
    } catch (error) {
      // It searches without them.
      console.error(error);
    }
  });

  const mount = () => {
    const slot = document.querySelector("[data-ask-page]");
    if (slot && !slot.firstChild) use((it) => it.mount(slot));
    return Boolean(slot);
  };
  const remembered = (key) => {
    try {
      return sessionStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const arrive = () => remembered("quire-ask-cited") && use((_, module) => module.arrive());
  let spoken = root.lang;
  document.addEventListener("quire:update", () => {
    // An open panel goes on in the language of the page.
    if (panel && spoken !== root.lang) use(() => {});
    spoken = root.lang;
    mount();
    dressLater();
    arrive();
  });
  dressLater();
  const isMounted = mount();
  if (!isMounted && root.hasAttribute("data-ask")) use((it) => it.open({ isQuiet: true }));
  arrive();
  const address = new URL(location.href);
  if (address.searchParams.has("assistant")) {
    const question = address.searchParams.get("assistant").slice(0, 4000).trim();
    address.searchParams.delete("assistant");
    // Asked once: not again when the page is read anew.
    history.replaceState(history.state, "", address);
    use((it) => it.open({ question }));
  }
})();
