// The assistant as clients of others see it: the transport and the reader of streams of the AI SDK, as two of its
// versions have them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import * as sdk6 from "ai";
import * as sdk7 from "ai-7";

import { startPreview } from "./support.mjs";

let preview;
let address;

before(async () => {
  preview = await startPreview("--no-state", "--id", "museum");
  address = `${preview.origin}/api/sites/museum/assistant`;
});

after(async () => {
  assert.equal(await preview?.stop(), 0);
});

const said = (id, role, text) => ({ id, role, parts: [{ type: "text", text }] });

/** Sends a conversation as `useChat` does by default; resolves to the message that it shows in the end. */
async function chat(messages, body = {}, { DefaultChatTransport, readUIMessageStream } = sdk6) {
  const transport = new DefaultChatTransport({ api: address, body });
  const stream = await transport.sendMessages({
    chatId: "chat",
    messages,
    trigger: "submit-message",
    messageId: undefined,
    abortSignal: undefined,
  });
  let last;
  let seen = 0;
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) {
    last = message;
    seen += 1;
  }
  assert.ok(seen > 2, "the message grows");
  return last;
}

const textOf = (message) =>
  message.parts
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("");
const sourcesOf = (message) => message.parts.filter((part) => part.type === "source-url");

test("each version of the AI SDK shows the answer with its defaults", async () => {
  for (const sdk of [sdk6, sdk7]) {
    const answer = await chat([said("1", "user", "How do I buy a ticket?")], {}, sdk);
    assert.deepEqual(answer.metadata, { answered: true, engine: "extract", mode: "semantic" });
    assert.match(textOf(answer), /ticket/i);
    assert.ok(sourcesOf(answer).length > 0);
  }
});

test("a conversation through the transport of the AI SDK is answered, with sources and follow-ups", async () => {
  const question = said("1", "user", "How do I buy a ticket?");
  const answer = await chat([question]);
  assert.match(answer.id, /^assistant-\d+$/);
  assert.equal(answer.role, "assistant");
  assert.deepEqual(answer.metadata, { answered: true, engine: "extract", mode: "semantic" });
  assert.match(textOf(answer), /ticket/i);
  assert.ok(sourcesOf(answer).length > 0);
  for (const source of sourcesOf(answer)) {
    const [path, anchor] = source.url.split("#");
    const page = await fetch(preview.origin + path);
    assert.equal(page.status, 200, source.url);
    const html = await page.text();
    if (anchor) assert.ok(html.includes(` id="${anchor}"`), source.url);
  }
  const next = await chat([question, answer, said("3", "user", "What does it cost?")]);
  assert.notEqual(next.id, answer.id);
  assert.match(textOf(next), /ticket/i);
});

test("the stream says what the JSON object says", async () => {
  const messages = [said("1", "user", "How do I buy a ticket?")];
  const streamed = await chat(messages);
  const reply = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ messages }),
  });
  const whole = await reply.json();
  assert.equal(whole.id, streamed.id);
  assert.equal(textOf(whole), textOf(streamed));
  assert.deepEqual(sourcesOf(whole), JSON.parse(JSON.stringify(sourcesOf(streamed))));
  assert.deepEqual(whole.metadata, streamed.metadata);
});

test("what the site does not say is refused, and that is told", async () => {
  const answer = await chat([said("1", "user", "Who won the world cup in 1998?")]);
  assert.deepEqual(answer.metadata, { answered: false, engine: "extract", mode: "semantic" });
  assert.equal(sourcesOf(answer).length, 0);
});

test("a wrong request is an error of the client's that says what is wrong", async () => {
  await assert.rejects(chat([said("1", "user", " ")]), /must not be empty/);
});
