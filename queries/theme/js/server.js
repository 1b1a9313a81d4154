// The base address that a reader chooses, and its variables, stand in the endpoint's address and in the code that sends
// the request, here and on the other pages of the specification for as long as the tab is open.
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

  /** The host and the path of an address. */
  const split = (address) => {
    const rest = address.replace(/^[^:/?]*:\/\//, "");
    const cut = rest.search(/[/?]/);
    return cut < 0 ? [rest, ""] : [rest.slice(0, cut), rest.slice(cut)];
  };

  const put = (node, change) => {
    if (!drawn.has(node)) drawn.set(node, node.data);
    node.data = change(drawn.get(node));
  };
  /** A request as it is sent names the host in a line of its own. */
  const replaceInMessage = (nodes, before, address) => {
    const [[oldHost, oldPath], [host, path]] = [split(before), split(address)];
    const [, target] = nodes;
    const name = nodes.findIndex(({ data }) => data === "Host");
    if (target)
      put(target, (text) => (text.startsWith(` ${oldPath}`) ? ` ${path}${text.slice(oldPath.length + 1)}` : text));
    if (nodes[name + 2]) put(nodes[name + 2], (text) => (text === ` ${oldHost}` ? ` ${host}` : text));
  };
  const replace = (before, address) => {
    for (const code of document.querySelectorAll(".samples pre code:not([data-followed])")) {
      const nodes = texts(code);
      if (code.closest("[data-language='http'][data-sample]")) {
        replaceInMessage(nodes, before, address);
        continue;
      }
      for (const node of nodes)
        if (drawn.has(node) || node.data.includes(before)) put(node, (text) => text.replaceAll(before, () => address));
    }
  };

  const groupOf = (endpoint, at) => endpoint.querySelector(`[data-server-index="${at}"]`);
  const fieldsOf = (group) => [...(group?.querySelectorAll("[data-server-variable]") ?? [])];

  const update = (endpoint) => {
    const shown = endpoint.querySelector("[data-server-address]");
    if (!shown) return;
    const list = endpoint.querySelector("[data-server]");
    const chosen = list ? list.selectedIndex : 0;
    let address = list ? list.value : (drawn.get(shown) ?? shown.textContent);
    for (const group of endpoint.querySelectorAll("[data-server-url]")) {
      group.hidden = Number(group.dataset.serverIndex) !== chosen;
      if (group.hidden) continue;
      address = group.dataset.serverUrl;
      for (const field of fieldsOf(group)) {
        const value = field.value.trim() || field.dataset.default;
        address = address.replaceAll(`{${field.dataset.serverVariable}}`, () => safe(value));
      }
    }
    if (!drawn.has(shown)) drawn.set(shown, shown.textContent);
    const before = drawn.get(shown);
    // A line may break before a slash of its path.
    const parts = address.split(/(?<=[^/:])(?=\/[^/])/);
    if (shown.textContent !== address)
      shown.replaceChildren(...parts.flatMap((part, i) => (i ? [document.createElement("wbr"), part] : [part])));
    if (before) replace(before, address);
  };

  // The values that the form of a request begins with, by the name of the specification.
  const key = "quire-playground-values";
  const specOf = () =>
    /^\{"spec":"([^"]*)"/.exec(document.getElementById("quire-playground")?.textContent.slice(0, 256) ?? "")?.[1];
  const stored = () => {
    try {
      return JSON.parse(sessionStorage.getItem(key)) ?? {};
    } catch {
      return {};
    }
  };
  const keep = (chosen) => {
    const spec = specOf();
    if (spec === undefined) return;
    try {
      const all = stored();
      sessionStorage.setItem(key, JSON.stringify({ ...all, [spec]: { ...all[spec], ...chosen } }));
    } catch {
      // The choice lasts as long as the page.
    }
  };

  /** Chooses a base address that the endpoint has, and the values of its variables. */
  const take = (endpoint, { url, variables = {} }) => {
    const list = endpoint.querySelector("[data-server]");
    const at = list ? [...list.options].findIndex(({ dataset }) => dataset.url === url) : 0;
    if (at < 0) return;
    if (list) list.selectedIndex = at;
    for (const field of fieldsOf(groupOf(endpoint, at))) {
      const value = variables[field.dataset.serverVariable];
      const isKnown =
        value !== undefined && (!field.options || [...field.options].some((option) => option.value === value));
      if (isKnown) field.value = value;
    }
    update(endpoint);
  };
  const takeStored = () => {
    const shared = stored()[specOf()];
    for (const endpoint of document.querySelectorAll(".endpoint")) {
      if (shared) take(endpoint, shared);
      // A browser that comes back to a page fills in what was chosen there before.
      update(endpoint);
    }
  };

  const choose = (event) => {
    const field = event.target.closest?.("[data-server], [data-server-variable]");
    const endpoint = field?.closest(".endpoint");
    if (!endpoint) return;
    update(endpoint);
    const list = endpoint.querySelector("[data-server]");
    const fields = fieldsOf(groupOf(endpoint, list ? list.selectedIndex : 0));
    const variables = Object.fromEntries(fields.map((one) => [one.dataset.serverVariable, one.value]));
    const chosen = {
      url: list?.selectedOptions[0]?.dataset.url,
      variables: { ...stored()[specOf()]?.variables, ...variables },
    };
    keep(chosen);
    document.dispatchEvent(new CustomEvent("quire:server", { detail: chosen }));
  };
  document.addEventListener("change", choose);
  document.addEventListener("input", choose);
  // What is chosen in the form is that of the page.
  document.addEventListener("quire:base", ({ detail }) =>
    document.querySelectorAll(".endpoint").forEach((endpoint) => take(endpoint, detail)),
  );
  document.addEventListener("quire:update", takeStored);
  addEventListener("pageshow", takeStored);
})();
