// Where a server of authorization leads a reader back to: hands its answer to the page that waits for it, and to nobody
// else.
(() => {
  const answer = new URLSearchParams(location.search);
  // The code is in the address by design (RFC 6749, 4.1.2); it does not stay there.
  history.replaceState(null, "", location.pathname);
  const { state, code, error, error_description: description } = Object.fromEntries(answer);
  // The page that waits knows the language; until it answers this is in English.
  /**
   * @param {any} words
   * @param {{ title?: string, lang?: string, dir?: string }} [page]
   */
  const tell = (words, { title, lang, dir } = {}) => {
    const show = () => {
      document.getElementById("told").textContent = words;
      if (!title) return;
      Object.assign(document.documentElement, { lang, dir });
      document.title = document.querySelector("h1").textContent = title;
    };
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", show);
    else show();
  };
  if (!code && !error) return tell("Nothing came with this address: it is where an API leads back to after a sign-in.");
  const channel = new BroadcastChannel("quire-oauth");
  let isTaken = false;
  channel.onmessage = ({ data }) => {
    if (data.state !== state) return;
    if (data.kind === "taken") {
      isTaken = true;
      tell(data.told, data);
      close();
    } else if (data.kind === "refused" && !isTaken) {
      tell(data.told, data);
    }
  };
  channel.postMessage({ kind: "answer", state, code, error, description });
})();
