// Tells the server which pages are shown without being loaded, and what was searched for in the end. It tells nothing
// of the reader, keeps nothing in the browser, and is silent where the browser says that it does not want to be
// tracked.
(() => {
  const { to } = document.currentScript.dataset;
  if (navigator.doNotTrack === "1" || navigator.globalPrivacyControl) return;
  const tell = (what) => navigator.sendBeacon(to, new Blob([JSON.stringify(what)], { type: "application/json" }));
  document.addEventListener("quire:visited", () => tell({ path: document.documentElement.dataset.currentPath }));

  // A search has ended when its answer was looked at for a while, when the dialog is closed, or when the page is left:
  // not each key is one.
  const restsFor = 2500;
  let last = null;
  let counted = "";
  let timer = 0;
  const end = () => {
    clearTimeout(timer);
    if (last && last.query !== counted) tell(last);
    counted = last?.query ?? counted;
    last = null;
  };
  document.addEventListener("quire:answered", ({ detail }) => {
    clearTimeout(timer);
    last = detail;
    timer = setTimeout(end, restsFor);
  });
  const close = ({ target }) => {
    if (!target.matches?.(".search-dialog")) return;
    end();
    counted = "";
  };
  // It does not bubble.
  document.addEventListener("close", close, true);
  addEventListener("pagehide", end);
})();
