(address, html) => {
  // Puts all of a large sidebar in place of the branch that the page holds.
  const part = document.querySelector(`.sidebar[data-whole="${CSS.escape(address)}"]`);
  const old = part?.querySelector(".sidebar-scroll");
  if (!old) return;
  const box = document.createElement("div");
  box.className = "sidebar-scroll";
  box.id = old.id;
  box.innerHTML = html;
  const here = old.querySelector("a[aria-current='page']")?.getAttribute("href");
  for (const link of here ? box.querySelectorAll(`a[href="${CSS.escape(here)}"]:not(.menu *)`) : []) {
    link.setAttribute("aria-current", "page");
    link.closest(".sidebar-group")?.toggleAttribute("data-active", true);
    if (link.parentElement.localName === "li") link.parentElement.dataset.active = "";
    for (let at = link.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
  }
  const scrolled = old.scrollTop;
  old.replaceWith(box);
  box.scrollTop = scrolled;
  part.removeAttribute("data-whole");
  part.dataset.holds = address;
}
