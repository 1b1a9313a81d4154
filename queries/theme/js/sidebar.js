(address, html) => {
  // Puts all of a large sidebar in place of the branch that the page holds.
  const part = document.querySelector(`.sidebar[data-whole="${CSS.escape(address)}"]`);
  const box = part?.querySelector(".sidebar-scroll");
  if (!box) return;
  const here = box.querySelector("a[aria-current='page']")?.getAttribute("href");
  // In the same box, which stays scrolled as it is: asking for that has all of the page laid out while it arrives.
  box.innerHTML = html;
  for (const link of here ? box.querySelectorAll(`a[href="${CSS.escape(here)}"]:not(.menu *)`) : []) {
    link.setAttribute("aria-current", "page");
    link.closest(".sidebar-group")?.toggleAttribute("data-active", true);
    if (link.parentElement.localName === "li") link.parentElement.dataset.active = "";
    for (let at = link.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
  }
  // Lists out of sight are laid out when they come into it; until then they are as long as their letters say.
  for (const list of box.querySelectorAll(".sidebar-list:not(:has(details))")) {
    let length = 0;
    for (const entry of list.children) length += 0.75 + 1.25 * Math.ceil(entry.textContent.length / 30);
    list.style.containIntrinsicBlockSize = `auto ${length}rem`;
    list.style.contentVisibility = "auto";
  }
  part.removeAttribute("data-whole");
  part.dataset.holds = address;
};
