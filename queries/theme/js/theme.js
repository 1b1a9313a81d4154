// The reader's choice of theme: system, light, dark, and round again.
(() => {
  const root = document.documentElement;
  const order = ["system", "light", "dark"];
  const key = "quire-theme";
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const choice = () => root.getAttribute("data-theme-choice") || "system";

  const show = () => {
    const said = quireSay(`Theme${choice()[0].toUpperCase()}${choice().slice(1)}`, `Theme: ${choice()}`);
    const theme = root.getAttribute("data-theme") || (dark.matches ? "dark" : "light");
    root.classList.toggle("dark", theme === "dark");
    for (const button of document.querySelectorAll("[data-theme-toggle]")) {
      button.setAttribute("aria-label", said);
      button.title = said;
    }
  };

  const choose = (next) => {
    root.setAttribute("data-theme-choice", next);
    if (next === "system") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", next);
    show();
  };

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-toggle]")) return;
    const next = order[(order.indexOf(choice()) + 1) % order.length];
    choose(next);
    try {
      localStorage.setItem(key, next);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  });

  addEventListener("storage", (event) => {
    if (event.key === key && event.newValue && !root.hasAttribute("data-strict")) choose(event.newValue);
  });
  dark.addEventListener("change", show);
  document.addEventListener("quire:update", show);
  show();
})();
