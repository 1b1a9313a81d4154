// Numbers of other services beside links: asked for once a day, when nothing else is to be done, and without saying who
// asks.
(() => {
  const day = 24 * 3600 * 1000;
  const keyOf = (address) => `quire-count ${address}`;
  const asked = new Set();
  const recall = (address) => {
    try {
      const { at, count } = JSON.parse(localStorage.getItem(keyOf(address)));
      return Math.abs(Date.now() - at) < day ? count : null;
    } catch {
      return null;
    }
  };
  const spans = () => [...document.querySelectorAll("[data-count]")];
  const show = (address, count) => {
    const written = new Intl.NumberFormat(document.documentElement.lang || "en", {
      notation: "compact",
      maximumFractionDigits: 1,
    }).format(count);
    for (const span of spans()) if (span.dataset.count === address) span.textContent = written;
  };
  const ask = async (address, member) => {
    asked.add(address);
    try {
      const reply = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" });
      const count = reply.ok ? (await reply.json())[member] : null;
      if (!Number.isSafeInteger(count) || count < 0) return;
      show(address, count);
      localStorage.setItem(keyOf(address), JSON.stringify({ at: Date.now(), count }));
    } catch {
      // The link says what it is without it.
    }
  };
  const look = () => {
    for (const { dataset } of spans()) {
      const count = recall(dataset.count);
      if (count !== null) show(dataset.count, count);
      else if (!asked.has(dataset.count)) ask(dataset.count, dataset.member);
    }
  };
  document.addEventListener("quire:update", look);
  if (globalThis.requestIdleCallback) requestIdleCallback(look);
  else setTimeout(look, 1000);
})();
