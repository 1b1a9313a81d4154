// What the tab remembers: the conversation, whether the panel is open and how wide, and the passage that a reader is
// led to.
const shelf = { conversation: "quire-ask", dock: "quire-ask-dock", width: "quire-ask-width", cited: "quire-ask-cited" };

const recall = (key) => {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return null;
  }
};
const retain = (key, value) => {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // It lasts as long as the page.
  }
};

/** The messages of the tab; what does not look like one is left out. */
const conversationOf = () => {
  const kept = recall(shelf.conversation);
  const isMessage = (one) =>
    one && (one.role === "user" || one.role === "assistant") && typeof one.content === "string";
  const messages = Array.isArray(kept) ? kept.filter(isMessage) : [];
  // What was being written when the page was left goes no further.
  return messages.map((one) => (one.state === "going" ? { ...one, state: "cut" } : one));
};
