// Copies code, and unfolds long blocks.
(() => {
  const write = async (text) => {
    if (navigator.clipboard && isSecureContext) return navigator.clipboard.writeText(text);
    // Plain http in a local network has no clipboard.
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };

  document.addEventListener("click", async (event) => {
    const unfold = event.target.closest("[data-unfold]");
    if (unfold) unfold.closest("[data-folded]")?.removeAttribute("data-folded");

    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const code = button.parentElement.querySelector("pre code");
    if (!code) return;
    try {
      await write(code.textContent);
    } catch {
      return;
    }
    button.setAttribute("data-done", "");
    button.setAttribute("aria-label", "Copied");
    setTimeout(() => {
      button.removeAttribute("data-done");
      button.setAttribute("aria-label", "Copy code");
    }, 1600);
  });
})();
