// What a large page leaves out until it is opened or chosen: rows and branches, which are read from the page that has
// it all, the rows of components that many pages show, which have a page of their own, and the colors of samples.
(() => {
  const links = "a[data-rows]";
  const pages = new Map();
  const read = (address) => {
    if (!pages.has(address)) {
      const page = fetch(address, { headers: { Accept: "text/html" } }).then(async (reply) => {
        if (!reply.ok) throw new Error(address);
        return new DOMParser().parseFromString(await reply.text(), "text/html");
      });
      page.catch(() => pages.delete(address));
      pages.set(address, page);
    }
    return pages.get(address);
  };
  // What rows are left out of: the body of a fold, or a branch, each known by the id of its row or of its own.
  const within = {
    fold: ":scope > details.row-children > .expandable-body",
    link: ":scope > .elsewhere > a[data-rows]",
  };
  const bodyOf = (holder) => (holder?.matches(".tab-panel") ? holder : holder?.querySelector(within.fold));
  const linkOf = (holder) => bodyOf(holder)?.querySelector(within.link);

  // The rows of a component, whose ids begin with `root` on its own page, as they are called in `holder`.
  const named = (rows, root, holder) => {
    const taken = (id) => id === root || id.startsWith(`${root}-`) || id.startsWith(`${root}~`);
    for (const one of rows.querySelectorAll("[id]")) if (taken(one.id)) one.id = holder.id + one.id.slice(root.length);
    for (const link of rows.querySelectorAll("a[href^='#']")) {
      const id = link.getAttribute("href").slice(1);
      if (taken(id)) link.setAttribute("href", `#${holder.id}${id.slice(root.length)}`);
    }
    return rows;
  };

  /** Puts the rows of `holder`, a row or a branch, in place; whether it did. */
  const fill = async (holder) => {
    const link = linkOf(holder);
    if (!link) return false;
    const body = bodyOf(holder);
    body.setAttribute("aria-busy", "true");
    try {
      const root = link.dataset.rows;
      const page = await read(link.getAttribute("href"));
      const whole = root ? page.getElementById(root) : bodyOf(page.getElementById(holder.id));
      if (!whole || !link.isConnected) return false;
      const rows = document.importNode(whole, true);
      body.replaceChildren(...(root ? named(rows, root, holder) : rows).childNodes);
      document.dispatchEvent(new Event("quire:rows"));
      return true;
    } catch {
      // The link stays, and leads there.
      return false;
    } finally {
      body.removeAttribute("aria-busy");
    }
  };

  // A sample that is chosen.
  const colored = async (panel) => {
    const address = panel.dataset.plain;
    panel.removeAttribute("data-plain");
    const { colored } = await import(address);
    for (const code of panel.querySelectorAll("pre code:not([data-followed])")) {
      const language = /language-(\S+)/.exec(code.className)?.[1];
      // What follows the form has its colors.
      if (!code.childElementCount) code.replaceChildren(colored(language, code.textContent));
    }
  };
  document.addEventListener("quire:shown", () => {
    for (const panel of document.querySelectorAll(".tab-panel[data-active]")) {
      if (linkOf(panel)) fill(panel);
      if (panel.dataset.plain) colored(panel).catch(() => {});
    }
  });

  document.addEventListener(
    "toggle",
    (event) => event.target.matches?.("details.row-children[open]") && fill(event.target.parentElement),
    true,
  );
  for (const sign of ["pointerover", "focusin"]) {
    document.addEventListener(sign, (event) => {
      const link = linkOf(event.target.closest?.("details.row-children > summary")?.closest(".row"));
      if (link) read(link.getAttribute("href")).catch(() => {});
    });
  }

  // Links from elsewhere name fields in words: `response-created-at` is `response-200-createdAt`, and `body-pet-name`
  // may be `body-pet~Cat-name`. The check of links reads them alike (`links/field.rs`).
  const words = (name) => {
    const parts = name
      .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, "-")
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u);
    return parts.filter(Boolean).join("-");
  };
  /** The element of `page` that `id` names; else the one that it means. */
  const find = (id, page) => {
    const exact = page.getElementById(id);
    if (exact) return exact;
    const wanted = words(id)
      .replace(/-one-of-\d+/g, "")
      .split("-");
    if (wanted.length < 2 || wanted.length > 40) return null;
    const [first, ...rest] = wanted;
    const status = first === "response" ? "(?:-(?:\\d..|default))?" : "";
    const meant = new RegExp(`^${first}${status}${rest.map((word) => `(?:~[^~]+?)*-${word}`).join("")}$`);
    const named = [...page.querySelectorAll(`main [id^="${first}-" i]`)];
    return named.find((one) => meant.test(one.id.split("~").map(words).join("~"))) ?? null;
  };

  // A link to a row that is left out: what is around it is filled, from the outermost.
  const revealIn = async (id, link) => {
    const around = [];
    const page = await read(link.getAttribute("href"));
    // In the rows of a component it may be deeper still.
    const wanted = find(id, page) ?? nearest(id, page);
    for (let at = wanted?.parentElement; at; at = at.parentElement)
      if (at.matches(".row[id], .tab-panel[id]")) around.unshift(at.id);
    for (const holder of around) if (await fill(document.getElementById(holder))) return true;
    return false;
  };
  // The row of a component whose name `id` begins with.
  const nearest = (id, page) => {
    const holders = [...page.querySelectorAll(`${links}:not([data-rows=""])`)].map((link) => link.closest(".row"));
    const meant = (name) => words(name).replace(/^response-(\d..|default)(?=-)/, "response");
    const begins = (row) =>
      id.startsWith(`${row.id}-`) || id.startsWith(`${row.id}~`) || meant(id).startsWith(`${meant(row.id)}-`);
    return holders.filter((row) => row && begins(row)).sort((a, b) => b.id.length - a.id.length)[0];
  };
  const reveal = async () => {
    let id = "";
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {
      return;
    }
    if (!id || document.getElementById(id)) return;
    try {
      const whole = () => document.querySelector(`${links}[data-rows=""]`);
      if (!find(id, document) && !nearest(id, document) && whole()) await revealIn(id, whole());
      // Each component has longer names in it, so this ends.
      for (let row = nearest(id, document); row && !find(id, document); row = nearest(id, document))
        if (!(await fill(row))) break;
    } catch {
      return;
    }
    const found = find(id, document);
    if (!found) return;
    if (found.id !== id) {
      history.replaceState(history.state, "", `#${encodeURIComponent(found.id)}`);
      found.scrollIntoView();
    }
    // Whoever unfolds what an address names finds it now.
    dispatchEvent(new HashChangeEvent("hashchange"));
  };
  addEventListener("hashchange", (event) => event.isTrusted && reveal());
  document.addEventListener("quire:update", () => {
    // What was read may be of before an edit.
    pages.clear();
    reveal();
  });
  reveal();
})();
