// Copies code, and unfolds long blocks.
(() => {
  // Plain http in a local network has no clipboard, and a frame may not be allowed to use it.
  const writeOldWay = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("copying is not allowed");
  };
  const write = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      writeOldWay(text);
    }
  };

  // Stands on the page before it says something: what appears with its words is not announced.
  const said = document.createElement("p");
  said.className = "unseen";
  said.setAttribute("role", "status");
  document.body.append(said);

  // An entry of the menu of the page: it holds the words, and a text that may be on its way. Some browsers forget the
  // click while they wait, but for a promise in an item of the clipboard.
  document.addEventListener("quire:copy", async ({ detail: { entry, text } }) => {
    const blob = () => text.then((text) => new Blob([text], { type: "text/plain" }));
    let state = "data-done";
    try {
      try {
        await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob() })]);
      } catch {
        await write(await text);
      }
    } catch {
      state = "data-failed";
    }
    entry.setAttribute(state, "");
    said.textContent = entry.querySelector(state === "data-done" ? ".page-menu-done" : ".page-menu-failed").textContent;
    setTimeout(() => {
      entry.removeAttribute(state);
      said.textContent = "";
    }, 1600);
  });

  document.addEventListener("click", async (event) => {
    const unfold = event.target.closest("[data-unfold]");
    if (unfold) unfold.closest("[data-folded]")?.removeAttribute("data-folded");

    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const code =
      button.parentElement.querySelector("pre code") ??
      button.closest("[data-code]")?.querySelector("[data-copy-text]");
    if (!code) return;
    try {
      await write(code.textContent);
    } catch {
      return;
    }
    if (button.hasAttribute("data-done")) return;
    const label = button.getAttribute("aria-label");
    button.setAttribute("data-done", "");
    const copied = quireSay("Copied", "Copied");
    button.setAttribute("aria-label", copied);
    said.textContent = copied;
    setTimeout(() => {
      button.removeAttribute("data-done");
      button.setAttribute("aria-label", label);
      said.textContent = "";
    }, 1600);
  });
})();
