// Tells the server which pages are shown without being loaded, and what was searched for in the end. It tells nothing of the
// reader, keeps nothing in the browser, and is silent where the browser says that it does not want to be tracked.
(() => {
  const { to } = document.currentScript.dataset;
  if (navigator.doNotTrack === "1" || navigator.globalPrivacyControl) return;
  const tell = (what) => navigator.sendBeacon(to, new Blob([JSON.stringify(what)], { type: "application/json" }));
  document.addEventListener("quire:visited", () => tell({ path: document.documentElement.dataset.currentPath }));
  document.addEventListener("quire:searched", ({ detail }) => tell({ query: detail.text, found: detail.found }));
})();
