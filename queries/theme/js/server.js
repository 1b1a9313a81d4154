// The base address that a reader chooses, and its variables, stand in the endpoint's address and in the code that sends the
// request.
(() => {
  // What was drawn, by the texts that were changed since: each choice begins with it.
  const drawn = new WeakMap();
  const texts = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) found.push(walker.currentNode);
    return found;
  };

  // Whatever is typed is a part of an address, and ends no string of any language.
  const safe = (value) => encodeURI(value).replace(/['$]/g, (sign) => (sign === "$" ? "%24" : "%27"));

  const update = (endpoint) => {
    const shown = endpoint.querySelector("[data-server-address]");
    if (!shown) return;
    const list = endpoint.querySelector("[data-server]");
    const groups = [...endpoint.querySelectorAll("[data-server-url]")];
    const chosen = list ? list.selectedIndex : 0;
    let address = list ? list.value : (drawn.get(shown) ?? shown.textContent);
    for (const group of groups) {
      group.hidden = Number(group.dataset.serverIndex) !== chosen;
      if (group.hidden) continue;
      address = group.dataset.serverUrl;
      for (const field of group.querySelectorAll("[data-server-variable]")) {
        const value = field.value.trim() || field.dataset.default;
        address = address.replaceAll(`{${field.dataset.serverVariable}}`, () => safe(value));
      }
    }
    if (!drawn.has(shown)) drawn.set(shown, shown.textContent);
    const before = drawn.get(shown);
    shown.textContent = address;
    if (!before) return;
    for (const code of document.querySelectorAll(".samples pre")) {
      for (const node of texts(code)) {
        if (!drawn.has(node) && node.data.includes(before)) drawn.set(node, node.data);
        if (drawn.has(node)) node.data = drawn.get(node).replaceAll(before, () => address);
      }
    }
  };

  const choose = (event) => {
    const field = event.target.closest?.("[data-server], [data-server-variable]");
    if (field) update(field.closest(".endpoint"));
  };
  document.addEventListener("change", choose);
  document.addEventListener("input", choose);
  // A browser that comes back to a page fills in what was chosen there before.
  addEventListener("pageshow", () => document.querySelectorAll(".endpoint").forEach(update));
})();
