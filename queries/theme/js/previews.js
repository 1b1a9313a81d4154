// What a link to a data model leads to, in a card beside it: read from its page when a reader rests on the link. Not
// where fingers point, which rest on nothing.
(() => {
  const links = ":is(.row-type, .schema-type, .elsewhere, .uses-model) > a[href]";
  const delay = 250;
  const most = 6;
  const pages = new Map();
  let card = null;
  let link = null;
  let timer = 0;

  /** Title, text and first rows of the page of a data model; `null` if it is another page. */
  const read = (href) => {
    if (!pages.has(href)) {
      const page = fetch(href).then(async (reply) => {
        if (!reply.ok) return null;
        const whole = new DOMParser().parseFromString(await reply.text(), "text/html");
        const root = whole.querySelector(".reference-main .schema-root");
        if (!root) return null;
        /** @param {ParentNode} [from] */
        const text = (selector, from = whole) => from.querySelector(selector)?.textContent.trim() ?? "";
        const rows = [...root.querySelectorAll(":scope > .rows > .row > .row-head")].map((row) => [
          text(".row-name", row),
          text(".row-type", row),
        ]);
        return { title: text("h1"), about: text(".reference-head > .reference-text > p"), rows };
      });
      pages.set(
        href,
        page.catch(() => null),
      );
    }
    return pages.get(href);
  };

  const element = (name, kind, text) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    if (text) made.textContent = text;
    return made;
  };

  const close = () => {
    clearTimeout(timer);
    card?.remove();
    link?.removeAttribute("aria-describedby");
    card = link = null;
  };

  const show = async (wanted) => {
    link = wanted;
    const page = await read(wanted.href);
    // The reader went on meanwhile.
    if (!page || link !== wanted || card || !wanted.isConnected) return;
    card = element("div", "preview");
    card.id = "quire-model-card";
    card.setAttribute("role", "tooltip");
    card.append(element("p", "preview-title", page.title));
    if (page.about) card.append(element("p", "preview-text", page.about));
    const list = element("ul", "preview-rows");
    for (const [name, type] of page.rows.slice(0, most)) {
      const row = element("li");
      row.append(element("code", "", name), element("span", "", type));
      list.append(row);
    }
    if (page.rows.length) card.append(list);
    if (page.rows.length > most) card.append(element("p", "preview-more", `and ${page.rows.length - most} more`));
    (wanted.closest("main") ?? document.body).append(card);
    wanted.setAttribute("aria-describedby", card.id);
    const at = wanted.getBoundingClientRect();
    const { width, height } = card.getBoundingClientRect();
    const isBelow = at.bottom + height + 16 < innerHeight || at.top < height + 16;
    card.style.insetBlockStart = `${isBelow ? at.bottom + 6 : at.top - height - 6}px`;
    card.style.left = `${Math.max(16, Math.min(at.left, innerWidth - width - 16))}px`;
  };

  const rest = (wanted) => {
    if (wanted === link) return clearTimeout(timer);
    close();
    const target = new URL(wanted.href, location.href);
    if (target.origin !== location.origin || target.pathname === location.pathname) return;
    timer = setTimeout(() => show(wanted), delay);
  };
  const leave = () => {
    clearTimeout(timer);
    // The way from the link to the card leads over neither.
    timer = setTimeout(close, 150);
  };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const over = event.target.closest?.(links);
    if (over) rest(over);
    else if (card?.contains(event.target)) clearTimeout(timer);
    else if (link || timer) leave();
  });
  document.addEventListener("focusin", (event) => {
    const at = event.target.closest?.(links);
    if (at?.matches(":focus-visible")) rest(at);
    else close();
  });
  document.addEventListener("focusout", close);
  document.addEventListener("keydown", (event) => event.key === "Escape" && close());
  addEventListener("scroll", close, { passive: true });
})();
