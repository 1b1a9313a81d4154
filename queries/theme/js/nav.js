// Finding one's way: drawer, menus, banner, place in the page, place in the sidebar.
(() => {
  const root = document.documentElement;
  const all = (selector) => document.querySelectorAll(selector);
  let cameFrom = null;

  const sidebar = () => document.querySelector(".sidebar");

  const openDrawer = (button) => {
    cameFrom = button;
    root.setAttribute("data-drawer", "");
    sidebar()?.focus({ preventScroll: true });
  };

  const closeDrawer = () => {
    if (!root.hasAttribute("data-drawer")) return;
    root.removeAttribute("data-drawer");
    cameFrom?.focus({ preventScroll: true });
    cameFrom = null;
  };

  // A group that is opened shows its first page, where the site wants that.
  const drill = (group) => {
    const href = group.querySelector(".sidebar-link[href]:not([rel])")?.href;
    if (href && document.dispatchEvent(new CustomEvent("quire:visit", { cancelable: true, detail: href })))
      location.assign(href);
  };

  const closeMenus = (except) => {
    for (const menu of all("details[data-menu][open]")) {
      if (menu !== except && !menu.contains(except) && !menu.matches(".toc-inline")) menu.open = false;
    }
  };

  document.addEventListener("click", (event) => {
    const target = event.target;
    const opener = target.closest("[data-drawer-open]");
    if (opener) {
      event.preventDefault();
      openDrawer(opener);
    } else if (target.closest("[data-drawer-close]")) {
      // A drawer opened by its address closes by following the link.
      if (root.hasAttribute("data-drawer")) event.preventDefault();
      closeDrawer();
    } else if (target.closest(".sidebar a")) {
      closeDrawer();
    }
    if (target.closest(".toc-inline a")) target.closest("details").open = false;
    closeMenus(target.closest("details[data-menu]"));
    const group = root.hasAttribute("data-drilldown") && target.closest(".sidebar-nested > summary")?.parentElement;
    if (group && !group.open && !group.querySelector("[aria-current]")) drill(group);

    const banner = target.closest("[data-banner-close]")?.closest("[data-banner]");
    if (banner) {
      banner.hidden = true;
      try {
        localStorage.setItem("quire-banner", banner.dataset.banner);
      } catch {
        // It comes back on the next page.
      }
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.activeElement?.closest("details[data-menu][open]");
    closeMenus(null);
    if (menu) menu.querySelector("summary").focus();
    closeDrawer();
  });

  // Keeps the focus inside an open drawer.
  document.addEventListener("focusin", (event) => {
    if (root.hasAttribute("data-drawer") && sidebar() && !sidebar().contains(event.target)) {
      sidebar().focus({ preventScroll: true });
    }
  });
  matchMedia("(min-width: 64rem)").addEventListener("change", closeDrawer);

  // The heading one is reading: the last one above the upper quarter of the window, or where a link to it puts it.
  let links = [];
  const collect = () => {
    links = [];
    for (const link of all(".toc a[href^='#']")) {
      const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (heading) links.push({ link, heading });
    }
    spy();
  };
  // What stands in a tab or a view that is not shown is in no list.
  const sift = () => {
    for (const link of all(".toc a[href^='#'], .toc-inline a[href^='#']")) {
      const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      link.parentElement.hidden = !!heading?.closest(
        ".tab-panel:not([data-active]), .view:not([data-active]), .update[hidden]",
      );
    }
  };
  const spy = () => {
    if (!links.length) return;
    const landing = parseFloat(getComputedStyle(root).scrollPaddingBlockStart) || 0;
    const edge = Math.max(innerHeight * 0.25, landing + 8);
    let current = links[0];
    for (const entry of links) {
      if (!entry.heading.checkVisibility?.() && entry.heading.offsetParent === null) continue;
      if (entry.heading.getBoundingClientRect().top <= edge) current = entry;
    }
    const end = innerHeight + scrollY >= root.scrollHeight - 4;
    if (end && scrollY > 0) current = links[links.length - 1];
    // The headings above it in the list.
    const around = new Set();
    let depth = Infinity;
    for (let i = links.indexOf(current); i >= 0 && depth; i--) {
      const item = links[i].link.parentElement;
      if (item.dataset.depth >= depth) continue;
      depth = Number(item.dataset.depth);
      around.add(item);
    }
    for (const { link } of links) {
      const item = link.parentElement;
      item.toggleAttribute("data-active", around.has(item));
      item.toggleAttribute("data-active-deepest", link === current.link);
      if (link === current.link) {
        if (!link.hasAttribute("aria-current")) link.scrollIntoView({ block: "nearest", behavior: "instant" });
        link.setAttribute("aria-current", "location");
      } else link.removeAttribute("aria-current");
    }
  };
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      spy();
    });
  };
  addEventListener("scroll", later, { passive: true });
  addEventListener("resize", later, { passive: true });
  document.addEventListener("quire:arrived", later);

  // The sidebar stays where it was from page to page, unless its active entry would be out of sight.
  const place = "quire-sidebar";
  const restore = () => {
    const box = document.querySelector(".sidebar-scroll");
    if (!box) return;
    try {
      box.scrollTop = Number(sessionStorage.getItem(place)) || 0;
    } catch {
      // It starts at the top.
    }
    const active = box.querySelector("[aria-current='page']");
    if (!active) return;
    const inner = active.getBoundingClientRect();
    const outer = box.getBoundingClientRect();
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      box.scrollTop += inner.top - outer.top - outer.height / 3;
    }
  };
  addEventListener("pagehide", () => {
    const box = document.querySelector(".sidebar-scroll");
    try {
      if (box) sessionStorage.setItem(place, String(box.scrollTop));
    } catch {
      // Nothing to keep.
    }
  });

  // The active tab of the header is in sight.
  const tabInSight = () => {
    const active = document.querySelector(".tabs-row [aria-current]");
    const row = active?.closest("ul");
    if (row && row.scrollWidth > row.clientWidth) row.scrollLeft = active.offsetLeft - row.offsetLeft - 24;
  };

  // A link to something folded unfolds it.
  const unfold = () => {
    let target = null;
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return;
    }
    if (!target) return;
    if (!target.checkVisibility?.({ contentVisibilityAuto: false }) && target.closest(".page-aside")) {
      // It stands beside the text, where there is no room: what is shown is in the text.
      document.querySelector(`[data-id="${CSS.escape(target.id)}"]`)?.scrollIntoView();
      return;
    }
    let folded = false;
    for (let at = target; at; at = at.parentElement) {
      if (at.localName === "details" && !at.open) {
        at.open = true;
        folded = true;
      }
    }
    if (folded) target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);

  const hideBanner = () => {
    const banner = document.querySelector("[data-banner]");
    try {
      if (banner && localStorage.getItem("quire-banner") === banner.dataset.banner) banner.hidden = true;
    } catch {
      // It is shown.
    }
  };

  const keys = () => {
    if (!/Mac|iP(hone|ad)/.test(navigator.platform)) return;
    for (const kbd of all(".search-button kbd")) kbd.textContent = "⌘ K";
  };

  document.addEventListener("quire:shown", sift);
  document.addEventListener("quire:update", () => {
    sift();
    keys();
    // Both ask where things stand; only the second changes anything that may move them.
    tabInSight();
    collect();
  });
  hideBanner();
  keys();
  restore();
  tabInSight();
  unfold();
  sift();
  collect();
})();
