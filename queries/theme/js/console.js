// Sites are other hosts of the same machine, at the same port.
(() => {
  for (const link of document.querySelectorAll("a[data-site]")) {
    const port = location.port ? `:${location.port}` : "";
    link.href = `${location.protocol}//${link.dataset.site}.localhost${port}/`;
  }
})();
