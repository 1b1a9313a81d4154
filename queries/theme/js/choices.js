// What a page shows of itself: one of its views, the entries of a changelog with some tags.
(() => {
  const key = "quire-view";
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = () => document.dispatchEvent(new Event("quire:shown"));

  const remembered = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };

  const showView = (title) => {
    for (const button of all("[data-view-switch] [data-view]")) {
      button.setAttribute("aria-pressed", String(button.dataset.view === title));
    }
    for (const view of all(".view")) view.toggleAttribute("data-active", view.dataset.view === title);
    shown();
  };

  // What was chosen outlives the text that an edit replaces.
  let tags = [];
  const filter = () => {
    const buttons = all("[data-tag-filter] [data-tag]");
    tags = tags.filter((tag) => buttons.some((button) => button.dataset.tag === tag));
    for (const button of buttons) button.setAttribute("aria-pressed", String(tags.includes(button.dataset.tag)));
    for (const update of all(".update")) {
      const own = [...update.querySelectorAll(".update-tags > *")].map((tag) => tag.textContent);
      update.hidden = tags.length > 0 && !own.some((tag) => tags.includes(tag));
    }
    shown();
  };

  // A link to something inside a view that is not shown shows that view.
  const reveal = () => {
    let target = null;
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return;
    }
    const view = target?.closest(".view:not([data-active])");
    if (!view) return;
    showView(view.dataset.view);
    target.scrollIntoView();
  };

  const prepare = () => {
    const title = remembered();
    const buttons = all("[data-view-switch] [data-view]");
    if (buttons.some((button) => button.dataset.view === title)) showView(title);
    if (tags.length) filter();
    reveal();
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".choice");
    if (!button) return;
    const before = button.getBoundingClientRect().top;
    if (button.dataset.view !== undefined) {
      showView(button.dataset.view);
      try {
        localStorage.setItem(key, button.dataset.view);
      } catch {
        // The choice lasts as long as the page.
      }
    } else {
      const tag = button.dataset.tag;
      tags = tags.includes(tag) ? tags.filter((other) => other !== tag) : [...tags, tag];
      filter();
    }
    scrollBy({ top: button.getBoundingClientRect().top - before, behavior: "instant" });
  });

  addEventListener("hashchange", reveal);
  document.addEventListener("quire:update", prepare);
  prepare();
})();
