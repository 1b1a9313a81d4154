// Tabs: chosen with pointer or arrow keys, together with all tabs of the same title, and remembered.
(() => {
  const key = "quire-tabs";
  let counter = 0;

  const remembered = () => {
    try {
      return JSON.parse(localStorage.getItem(key)) || [];
    } catch {
      return [];
    }
  };
  const remember = (names) => {
    try {
      const titles = [...names, ...remembered().filter((other) => !names.includes(other))].slice(0, 24);
      localStorage.setItem(key, JSON.stringify(titles));
    } catch {
      // The choice lasts as long as the page.
    }
  };

  const buttons = (set) => [...set.querySelectorAll(":scope > .tab-list > [role='tab']")];
  const panels = (set) => [...set.querySelectorAll(":scope > .tab-panel")];

  const chooser = (set) => set.querySelector(":scope > .tab-select > select");

  const select = (set, at) => {
    const list = chooser(set);
    if (list) list.selectedIndex = at;
    buttons(set).forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === at));
      button.tabIndex = i === at ? 0 : -1;
    });
    panels(set).forEach((panel, i) => panel.toggleAttribute("data-active", i === at));
    document.dispatchEvent(new Event("quire:shown"));
  };

  const titled = (set, title) => {
    const at = panels(set).findIndex((panel) => panel.dataset.tab === title);
    // A sample that is called otherwise than its language.
    return at >= 0 ? at : panels(set).findIndex((panel) => panel.dataset.also === title);
  };

  /** Every set of the page shows what is called by one of `names`, and so do those of other pages. */
  const sync = (names, chosen) => {
    remember(names);
    for (const other of document.querySelectorAll("[data-tabs][data-sync]")) {
      const same = names.map((name) => titled(other, name)).find((at) => at >= 0);
      if (other !== chosen && same !== undefined) select(other, same);
    }
  };

  // Sets that are linked show the same: the rows of a response and its example.
  const follow = (set, at) => {
    const name = set.dataset.linked;
    if (name === undefined) return;
    const title = panels(set)[at].dataset.tab;
    for (const other of document.querySelectorAll(`[data-tabs][data-linked="${CSS.escape(name)}"]`)) {
      const same = titled(other, title);
      if (other !== set && same >= 0) select(other, same);
    }
  };

  const choose = (set, at) => {
    const button = buttons(set)[at] ?? chooser(set);
    if (!button) return;
    const before = button.getBoundingClientRect().top;
    select(set, at);
    if (set.hasAttribute("data-sync")) {
      const { tab, also } = panels(set)[at].dataset;
      sync([tab, also].filter(Boolean), set);
    }
    follow(set, at);
    // Other sets may have grown above this one; the button stays under the pointer.
    scrollBy({ top: button.getBoundingClientRect().top - before, behavior: "instant" });
  };

  const prepare = () => {
    const titles = remembered();
    for (const set of document.querySelectorAll("[data-tabs]")) {
      if (set.hasAttribute("data-ready")) continue;
      set.setAttribute("data-ready", "");
      const list = buttons(set);
      panels(set).forEach((panel, i) => {
        if (!list[i]) return;
        panel.id ||= `tab-panel-${++counter}`;
        list[i].id ||= `tab-${++counter}`;
        list[i].setAttribute("aria-controls", panel.id);
        panel.setAttribute("role", "tabpanel");
        panel.setAttribute("aria-labelledby", list[i].id);
      });
      if (!set.hasAttribute("data-sync") || set.hasAttribute("data-kept")) continue;
      const title = titles.find((candidate) => titled(set, candidate) >= 0);
      if (title !== undefined) select(set, titled(set, title));
    }
    reveal();
  };

  // A link to something inside a hidden panel shows that panel.
  const reveal = () => {
    let target = null;
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return;
    }
    for (let panel = target?.closest(".tab-panel"); panel; panel = panel.parentElement.closest(".tab-panel")) {
      const set = panel.parentElement;
      if (panel.hasAttribute("data-active")) continue;
      select(set, panels(set).indexOf(panel));
      follow(set, panels(set).indexOf(panel));
      target.scrollIntoView();
    }
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-tabs] > .tab-list > [role='tab']");
    if (!button) return;
    const set = button.closest("[data-tabs]");
    choose(set, buttons(set).indexOf(button));
  });

  document.addEventListener("change", (event) => {
    const list = event.target.closest("[data-tabs] > .tab-select > select");
    if (list) choose(list.closest("[data-tabs]"), list.selectedIndex);
  });

  document.addEventListener("keydown", (event) => {
    const button = event.target.closest?.("[data-tabs] > .tab-list > [role='tab']");
    if (!button) return;
    const set = button.closest("[data-tabs]");
    const list = buttons(set);
    const at = list.indexOf(button);
    const step = getComputedStyle(set).direction === "rtl" ? -1 : 1;
    const next = {
      ArrowRight: at + step,
      ArrowLeft: at - step,
      Home: 0,
      End: list.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const to = (next + list.length) % list.length;
    choose(set, to);
    list[to].focus();
  });

  // A language that is chosen elsewhere.
  document.addEventListener("quire:choose", (event) => sync([event.detail]));
  addEventListener("hashchange", reveal);
  for (const sign of ["quire:update", "quire:rows"]) document.addEventListener(sign, prepare);
  prepare();
})();
