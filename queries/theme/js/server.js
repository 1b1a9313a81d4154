// The base address that a reader chooses stands in the endpoint's address and in the code that sends the request.
(() => {
  const replace = (root, from, to) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.data.includes(from)) node.data = node.data.replaceAll(from, to);
    }
  };

  document.addEventListener("change", (event) => {
    const list = event.target.closest?.("[data-server]");
    const shown = list && document.querySelector("[data-server-address]");
    if (!shown) return;
    const before = shown.textContent;
    if (before) for (const code of document.querySelectorAll(".samples pre")) replace(code, before, list.value);
    shown.textContent = list.value;
  });
})();
