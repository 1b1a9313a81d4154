// Opens the search dialog: by its button, by ⌘K or Ctrl K, and by a slash. Its script is read when it is first wanted.
(() => {
  const told = () => document.querySelector("meta[name='quire-search']");
  let script = null;

  const load = () => {
    const meta = told();
    if (!meta) return null;
    script ??= import(meta.dataset.script).catch((error) => {
      script = null;
      throw error;
    });
    return script;
  };

  const open = async () => {
    const meta = told();
    if (!meta) return;
    const prompt = document.querySelector("[data-search-open]")?.dataset.searchOpen;
    try {
      (await load()).open({ prompt, address: meta.content, ...meta.dataset });
    } catch {
      // The next attempt reads the script again.
    }
  };

  const isField = (at) => at?.isContentEditable || at?.matches?.("input, textarea, select");

  document.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const isCommand =
      (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
    const isSlash = event.key === "/" && !event.metaKey && !event.ctrlKey && !event.altKey && !isField(event.target);
    if ((isCommand || isSlash) && told() && !(isSlash && document.querySelector("dialog[open]"))) {
      event.preventDefault();
      open();
    } else if (event.key === "Meta" || event.key === "Control") {
      // Half of the shortcut: by the other half the script is there.
      load()?.catch(() => {});
    }
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-search-open]")) open();
  });
  // The page that was gone to may be of another version or language, and what was asked is answered.
  document.addEventListener("quire:visited", () => document.querySelector(".search-dialog")?.remove());
  for (const sign of ["pointerover", "focusin"]) {
    document.addEventListener(sign, (event) => {
      if (event.target.closest?.("[data-search-open]")) load()?.catch(() => {});
    });
  }
})();
