// Where a server of authorization leads a reader back to: hands its answer to the page that waits for it, and to nobody else.
(() => {
  const answer = new URLSearchParams(location.search);
  // The code is in the address by design (RFC 6749, 4.1.2); it does not stay there.
  history.replaceState(null, "", location.pathname);
  const { state, code, error, error_description: description } = Object.fromEntries(answer);
  const tell = (words) => {
    const show = () => {
      document.getElementById("told").textContent = words;
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
      tell("The answer was handed over. This window can be closed.");
      close();
    } else if (data.kind === "refused" && !isTaken) {
      tell("This answer belongs to no sign-in that waits, so it was not used. Begin anew where you began.");
    }
  };
  channel.postMessage({ kind: "answer", state, code, error, description });
})();
