// A stand-in for the endpoint of a language model: OpenAI's chat completions, Anthropic's messages, and `/v1/rerank`.
//
// `node model-endpoint.mjs` listens, prints its address and ends with its input; the clients of both makers accept it
// (tests/python). In tests, `startModel` gives one whose next answers are told by `answer`.
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

const json = (value) => JSON.stringify(value);

/** The events of `pieces` as OpenAI sends them. */
export const chunks = (pieces, { finish = "stop", done = true } = {}) => {
  const event = (delta, reason = null) =>
    `data: ${json({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "small", choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] })}`;
  const usage = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "small",
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  return [
    event({ role: "assistant", content: "" }),
    ...pieces.map((content) => event({ content })),
    ...(finish ? [event({}, finish), `data: ${json(usage)}`] : []),
    ...(done ? ["data: [DONE]"] : []),
  ];
};

/** The events of `pieces` as Anthropic sends them. */
export const messages = (pieces, { finish = "end_turn", done = true } = {}) => {
  const event = (type, rest) => `event: ${type}\ndata: ${json({ type, ...rest })}`;
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "small",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  return [
    event("message_start", { message }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    event("ping", {}),
    ...pieces.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
    event("content_block_stop", { index: 0 }),
    ...(finish
      ? [event("message_delta", { delta: { stop_reason: finish, stop_sequence: null }, usage: { output_tokens: 2 } })]
      : []),
    ...(done ? [event("message_stop", {})] : []),
  ];
};

const whole = (text) => ({
  openai: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "small",
    choices: [
      { index: 0, message: { role: "assistant", content: text, refusal: null }, logprobs: null, finish_reason: "stop" },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
  anthropic: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "small",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});

const formOf = (request) => (request.url.endsWith("/messages") ? "anthropic" : "openai");
const pause = () => new Promise((resolve) => setImmediate(resolve));

/**
 * One answer: `{pieces}` of text (`finish`, `done`, `eol`, `comment` change the stream, `step` its packets in bytes,
 * `cut` breaks it off after so many events, `hang` never ends it), `{whole}`, `{status, headers, body}`, `{order}` of a
 * rerank, or a function of the request that gives one.
 */
async function reply(request, response, given) {
  const answer = typeof given === "function" ? given(request) : given;
  if (answer.status)
    return response
      .writeHead(answer.status, { "content-type": "application/json", ...answer.headers })
      .end(answer.body ?? "{}");
  if (answer.order) {
    const results = answer.order.map(([index, relevance_score]) => ({ index, relevance_score }));
    return response.writeHead(200, { "content-type": "application/json" }).end(json({ model: "sorter", results }));
  }
  const form = formOf(request);
  if (answer.whole !== undefined)
    return response.writeHead(200, { "content-type": "application/json" }).end(json(whole(answer.whole)[form]));
  const events = answer.events ?? (form === "anthropic" ? messages : chunks)(answer.pieces, answer);
  const { eol = "\n", comment, step, cut, hang } = answer;
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  let bytes = Buffer.from(
    events
      .slice(0, cut)
      .map((event) => `${comment ? `: kept alive${eol}${eol}` : ""}${event.replaceAll("\n", eol)}${eol}${eol}`)
      .join(""),
  );
  for (const size = step ?? bytes.length; bytes.length > 0; bytes = bytes.subarray(size)) {
    response.write(bytes.subarray(0, size));
    if (step) await pause();
  }
  if (hang) return undefined;
  // What was written is sent, and the end of the body is not.
  if (cut !== undefined) return response.socket.destroySoon();
  return response.end();
}

export async function startModel(otherwise = () => ({ pieces: ["Nothing to say."] })) {
  const asked = [];
  const answers = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      const one = {
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: JSON.parse(body || "{}"),
        closed: false,
      };
      response.on("close", () => (one.closed = true));
      asked.push(one);
      if (one.body.stream === false || (!one.body.stream && !request.url.endsWith("/rerank"))) {
        return response
          .writeHead(200, { "content-type": "application/json" })
          .end(json(whole("Whole.")[formOf(request)]));
      }
      return reply(one, response, answers.shift() ?? otherwise).catch(() => response.destroy());
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const origin = `http://127.0.0.1:${server.address().port}`;
  // What was not asked for is forgotten.
  const answer = (...next) => answers.splice(0, answers.length, ...next);
  return { origin, asked, answer, stop };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // What is asked for by the last message: a stream, or a fault.
  const faults = {
    cut: { pieces: ["Cut", " off"], finish: null, done: false },
    "no done": { pieces: ["No", " end"], done: false },
    error: {
      events: [
        ...chunks(["Some"], { finish: null, done: false }),
        `data: ${json({ error: { message: "it broke", type: "server_error", code: "broken" } })}`,
      ],
    },
    overloaded: {
      events: [
        ...messages(["Some"], { finish: null, done: false }).slice(0, -1),
        `event: error\ndata: ${json({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })}`,
      ],
    },
    limit: {
      status: 429,
      headers: { "retry-after": "0" },
      body: json({ error: { message: "slow down", type: "rate_limit_error" } }),
    },
  };
  const model = await startModel(
    (request) => faults[request.body.messages.at(-1).content] ?? { pieces: ["Hello", ", ", "wörld"] },
  );
  console.log(model.origin);
  process.stdin.resume();
  process.stdin.once("end", () => model.stop());
}
