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

  /** @param {DOMStringMap} button */
  const load = ({ playground, styles }) => {
    parts ??= Promise.all([import(playground), look(styles)]).catch((error) => {
      parts = null;
      throw error;
    });
    return parts;
  };

  // Another authorization that was chosen on a page of the same specification is that of the samples here, and the
  // example of the body that is chosen on the page is what they send.
  let examples = new Map();
  const adopt = async () => {
    const button = document.querySelector("[data-playground]");
    const data = document.getElementById("quire-playground")?.textContent;
    if (!button || !data?.includes('"samples":[')) return;
    const spec = /^\{"spec":"([^"]*)"/.exec(data)?.[1];
    try {
      const shared = JSON.parse(sessionStorage.getItem("quire-playground-values"))?.[spec];
      if (shared?.alternative === undefined && !examples.size) return;
      (await import(button.dataset.playground)).adopt({ data, shared, examples });
    } catch (error) {
      // The samples are those of the first.
      console.error(error);
    }
  };
  document.addEventListener("quire:update", () => {
    examples = new Map();
    adopt();
  });
  adopt();
  document.addEventListener("change", (event) => {
    const choice = event.target.closest?.("#body-examples select[data-examples]");
    if (!choice) return;
    const set = choice.closest("[data-tabs]");
    const panel = [...set.children].filter((child) => child.matches(".tab-panel"))[choice.selectedIndex];
    const text = panel?.querySelector("pre code")?.textContent;
    const media =
      set.closest("#body-examples [data-tab]")?.dataset.tab ?? document.getElementById("body-examples").dataset.media;
    if (text === undefined) examples.delete(media);
    else examples.set(media, text);
    adopt();
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-playground]");
    const data = document.getElementById("quire-playground");
    if (!button || !data) return;
    try {
      // Those of the language of the page, which is another one after a visit.
      const words = button.dataset.words && import(button.dataset.words);
      const [{ open }] = await load(button.dataset);
      open({
        data: data.textContent,
        words: (await words)?.default,
        relay: button.dataset.relay,
        mock: button.dataset.mock,
        opener: button,
      });
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
