// The menu of a page: copies the page, opens the dialog for printing, completes addresses that only the browser knows,
// and goes from entry to entry by arrows.
(() => {
  const longest = 2000;
  const texts = new Map();
  const textAt = (address) => {
    if (!texts.has(address)) {
      const text = fetch(address, { headers: { Accept: "text/markdown" } }).then((reply) => {
        if (!reply.ok) throw new Error(address);
        return reply.text();
      });
      text.catch(() => texts.delete(address));
      texts.set(address, text);
    }
    return texts.get(address);
  };
  // An edit makes another text of the page.
  document.addEventListener("quire:update", () => texts.clear());

  /** Writes into the address of `link` where the site is; once. */
  const complete = (link) => {
    const { path, base64 } = link.dataset;
    if (!path) return;
    const whole = new URL(path, location.href).href;
    const encode = (text) => encodeURIComponent(text);
    const inQuotes = (text, value) => text.replace(JSON.stringify(path), JSON.stringify(value));
    const href = link.getAttribute("href");
    if (base64) link.setAttribute("href", href.replace(encode(btoa(base64)), encode(btoa(inQuotes(base64, whole)))));
    else if (href)
      link.setAttribute(
        "href",
        href.includes(encode(path)) ? href.replace(encode(path), encode(whole)) : href.replace(path, whole),
      );
    else link.dataset.copyTextOf = link.dataset.copyTextOf.replace(path, whole);
    delete link.dataset.path;
  };
  /** Puts the text of the page in the place of its address. */
  const fillIn = async (link) => {
    const address = link.dataset.content;
    if (!address) return;
    const text = await textAt(address);
    if (!link.dataset.content) return;
    delete link.dataset.content;
    const cut = text.length > longest ? `${[...text].slice(0, longest).join("")}…` : text;
    const href = link.getAttribute("href");
    const name = encodeURIComponent(address);
    link.setAttribute(
      "href",
      href.includes(name)
        ? href.replace(name, () => encodeURIComponent(cut))
        : href.replace(address, () => encodeURIComponent(cut)),
    );
  };
  for (const sign of ["pointerover", "focusin", "click"]) {
    document.addEventListener(
      sign,
      (event) => {
        const link = event.target.closest?.(".page-menu-entry");
        if (!link) return;
        complete(link);
        if (sign !== "click") fillIn(link).catch(() => {});
      },
      true,
    );
  }

  document.addEventListener("click", async (event) => {
    const entry = event.target.closest(".page-menu-entry");
    if (!entry) return;
    const { pageCopy, copyTextOf, content } = entry.dataset;
    if (pageCopy) {
      document.dispatchEvent(new CustomEvent("quire:copy", { detail: { entry, text: textAt(pageCopy) } }));
    } else if (copyTextOf) {
      document.dispatchEvent(new CustomEvent("quire:copy", { detail: { entry, text: Promise.resolve(copyTextOf) } }));
    } else if ("pagePrint" in entry.dataset) {
      entry.closest("details")?.removeAttribute("open");
      print();
    } else if (content && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      // The text is not here yet.
      event.preventDefault();
      const tab = open("", "_blank");
      await fillIn(entry).catch(() => {});
      if (tab) {
        tab.opener = null;
        tab.location = entry.href;
      }
    } else {
      entry.closest("details")?.removeAttribute("open");
    }
  });

  document.addEventListener("keydown", (event) => {
    const menu = event.target.closest?.(".page-menu-more");
    if (!menu || event.altKey || event.ctrlKey || event.metaKey) return;
    const down = event.key === "ArrowDown";
    const isMove = down || ["ArrowUp", "Home", "End"].includes(event.key);
    if (!isMove) return;
    event.preventDefault();
    menu.open = true;
    const entries = [...menu.querySelectorAll(".menu .page-menu-entry")];
    /** @type {any} */
    const entry = event.target;
    const at = entries.indexOf(entry);
    const next = { ArrowDown: at + 1, ArrowUp: at < 0 ? -1 : at - 1, Home: 0, End: -1 }[event.key];
    entries.at(next % entries.length).focus();
  });
  // Whoever leaves it closes it.
  document.addEventListener("focusout", (event) => {
    const menu = event.target.closest?.(".page-menu-more[open]");
    if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
})();
