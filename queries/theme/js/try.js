// Opens the form that sends the request of a page. Its script and its look are read when it is first wanted.
(() => {
  let parts = null;

  const look = (href) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    return new Promise((resolve, reject) => {
      link.onload = resolve;
      link.onerror = () => {
        link.remove();
        reject(new Error(href));
      };
      // Before the site's own stylesheets, which win over the theme's.
      document.querySelector("link[rel='stylesheet']").after(link);
    });
  };

  const load = ({ playground, styles }) => {
    parts ??= Promise.all([import(playground), look(styles)]).catch((error) => {
      parts = null;
      throw error;
    });
    return parts;
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-playground]");
    const data = document.getElementById("quire-playground");
    if (!button || !data) return;
    try {
      const [{ open }] = await load(button.dataset);
      open({ data: data.textContent, relay: button.dataset.relay, mock: button.dataset.mock, opener: button });
    } catch (error) {
      // The next attempt reads the script again.
      console.error(error);
    }
  });
  for (const sign of ["pointerover", "focusin"]) {
    document.addEventListener(sign, (event) => {
      const button = event.target.closest?.("[data-playground]");
      if (button) load(button.dataset).catch(() => {});
    });
  }
})();
