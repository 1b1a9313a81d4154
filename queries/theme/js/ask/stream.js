// Asking, and hearing the answer while it is made: the UI message stream of the AI SDK, whose events are JSON after
// `data:`.

/** A question that was refused: a status with what the server says about it. */
class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The events of a reply that came as one object. */
const eventsOf = function* ({ id, parts = [], metadata }) {
  yield { type: "start", messageId: id, messageMetadata: metadata };
  for (const part of parts) yield part.type === "text" ? { type: "text-delta", delta: part.text } : part;
  yield { type: "finish", messageMetadata: metadata };
};

/** Asks, and calls `hear` with each event of the answer. Resolves to whether it came to its end. */
const converse = async ({ address, body, signal, hear }) => {
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  const reply = await fetch(address, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!reply.ok) {
    const told = await reply.json().catch(() => null);
    throw new Refused(reply.status, told?.error?.message ?? "");
  }
  if (!reply.headers.get("content-type")?.includes("text/event-stream")) {
    for (const event of eventsOf(await reply.json())) hear(event);
    return true;
  }
  let isWhole = false;
  let data = "";
  let rest = "";
  const line = (text) => {
    if (text.startsWith("data:")) data += (data && "\n") + text.slice(5).replace(/^ /, "");
    if (text !== "" || !data) return;
    const said = data;
    data = "";
    if (said === "[DONE]") {
      isWhole = true;
      return;
    }
    let event;
    try {
      event = JSON.parse(said);
    } catch {
      // What is no event says nothing; the end tells whether something is missing.
      return;
    }
    if (event.type === "finish") isWhole = true;
    hear(event);
  };
  // A character may be cut in two by the network, too.
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    rest += value;
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const one of lines) line(one.replace(/\r$/, ""));
  }
  line(rest.replace(/\r$/, ""));
  line("");
  return isWhole;
};
