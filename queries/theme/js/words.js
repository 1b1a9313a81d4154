// The words of the page's language. Scripts know those of English; a page in another language brings the others along.
(() => {
  let box = null;
  let words = {};
  /** What `name` says in the language of the page, about `what`; `english` where nothing is said of it. */
  globalThis.quireSay = (name, english, what = "") => {
    const here = document.getElementById("quire-words");
    if (here !== box) {
      box = here;
      words = here ? JSON.parse(here.textContent) : {};
    }
    return (words[name] ?? english).replace("{}", () => what);
  };
})();
