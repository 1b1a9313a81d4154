// The panel of the assistant: by keys and pointer, with answers that come in any pieces, break off or are refused, and
// with those of the site itself.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { program, serveExport, shows, startBrowser, startPreview, violationsOf, watchedPage } from "./support.mjs";

let preview, browser;
before(async () => {
  [preview, browser] = await Promise.all([startPreview("--no-state"), startBrowser()]);
  writeFileSync(
    join(preview.folder, "ask.mdx"),
    "---\ntitle: Ask anything\nmode: assistant\nhidden: true\n---\n\nWrite to us.\n",
  );
  await shows(preview, "/ask", "Write to us");
});
after(async () => {
  await browser?.close();
  assert.equal(await preview?.stop(), 0);
});

const isAssistant = ({ method, url }) => method === "POST" && /^\/api\/sites\/[^/]+\/assistant$/.test(url);

/**
 * Stands before the preview: the assistant is `answer`, which writes to the reply as it likes; the rest is passed on.
 */
async function standBefore(answer) {
  const asked = [];
  const server = createServer((incoming, reply) => {
    const chunks = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", async () => {
      const body = Buffer.concat(chunks);
      if (isAssistant(incoming) && answer) {
        const question = JSON.parse(body);
        asked.push(question);
        await answer(reply, question, asked.length).catch(() => reply.destroy());
        return;
      }
      const headers = { ...incoming.headers, host: new URL(preview.origin).host };
      delete headers.origin;
      const on = send(preview.origin + incoming.url, { method: incoming.method, headers }, (given) => {
        reply.writeHead(given.statusCode, given.headers);
        given.pipe(reply);
      });
      on.on("error", () => reply.destroy());
      reply.on("close", () => on.destroy());
      on.end(body);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, asked, stop };
}

/**
 * Runs `read` on a fresh page whose assistant is `answer`, or that of the site without one. The page must have done
 * nothing wrong.
 */
async function reading(
  { answer, at = "/concepts/tickets", mayFail = false, width = 1350, height = 900, ...options },
  read,
) {
  const front = await standBefore(answer);
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce", ...options });
  const { page, faults } = await watchedPage(context, front.origin);
  try {
    await page.goto(front.origin + at);
    await read(page, front, context);
    if (!mayFail) assert.deepEqual(faults, []);
  } finally {
    await context.close();
    front.stop();
  }
}

const stream = (reply) => reply.writeHead(200, { "content-type": "text/event-stream" });
const event = (value) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (text) => event({ type: "text-delta", id: "text-1", delta: text });
const start = (metadata) =>
  event({ type: "start", messageId: "assistant-7", ...(metadata ? { messageMetadata: metadata } : {}) }) +
  event({ type: "text-start", id: "text-1" });
const source = (url, title, i = 1) => event({ type: "source-url", sourceId: `source-${i}`, url, title });
const finish = (metadata = { answered: true, engine: "extract" }) =>
  `${event({ type: "finish", messageMetadata: metadata })}data: [DONE]\n\n`;
/** An answer that says `text`, at once. */
const saying =
  (text, sources = [], metadata = undefined) =>
  async (reply) => {
    stream(reply).end(
      start() +
        delta(text) +
        event({ type: "text-end", id: "text-1" }) +
        sources.map(([url, title], i) => source(url, title, i + 1)).join("") +
        finish(metadata),
    );
  };

const panel = (page) => page.locator(".ask");
const field = (page) => page.locator(".ask-field");
const text = (page) => page.locator(".ask-text").last();
const isFocused = (at) => at.evaluate((one) => one === document.activeElement);
const said = (page) => page.locator(".ask-said").textContent();

async function ask(page, question = "How do I cancel a ticket?") {
  await page.keyboard.press("Control+i");
  await field(page).waitFor();
  await field(page).fill(question);
  await page.keyboard.press("Enter");
}
const done = (page) => page.locator(".ask-answer[aria-busy=false] .ask-below > *").first().waitFor();

test("by keys alone: opened, asked, answered, read out, closed, and back where it was", () =>
  reading({}, async (page, front) => {
    const link = page.locator(".sidebar a", { hasText: "Quickstart" });
    await link.focus();
    const button = page.locator("[data-ask-open]");
    assert.equal(await button.getAttribute("aria-expanded"), "false");
    await page.keyboard.press("Control+i");
    await field(page).waitFor();
    assert.equal(await isFocused(field(page)), true);
    assert.equal(await button.getAttribute("aria-expanded"), "true");
    assert.equal(await panel(page).getAttribute("role"), "complementary");
    await page.keyboard.type("How do I cancel");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("a ticket?");
    assert.equal(await field(page).inputValue(), "How do I cancel\na ticket?");
    await page.keyboard.press("Enter");
    await done(page);
    assert.match(await text(page).innerText(), /Gives the ticket back/);
    assert.match(await said(page), /Gives the ticket back/, "the whole answer is read out, once");
    assert.equal(await isFocused(field(page)), true);
    assert.equal(await field(page).inputValue(), "");
    const sources = await page
      .locator(".ask-sources a")
      .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
    assert.ok(sources.includes("/api/tickets/cancel-a-ticket"), sources.join());
    for (const href of sources) assert.equal((await fetch(front.origin + href)).status, 200);
    await page.keyboard.press("Escape");
    await panel(page).waitFor({ state: "hidden" });
    assert.equal(await isFocused(link), true);
    // The same by its button, which closes it too.
    await button.focus();
    await page.keyboard.press("Enter");
    await field(page).waitFor();
    assert.equal(await page.locator(".ask-question").count(), 1);
    await button.click();
    await panel(page).waitFor({ state: "hidden" });
    assert.equal(await isFocused(button), true);
  }));

test("its script is read when it is wanted", () =>
  reading({}, async (page) => {
    const read = () =>
      page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .map(({ name }) => /_theme\/(ask[\w-]*)\./.exec(name)?.[1])
          .filter(Boolean),
      );
    assert.deepEqual(await read(), []);
    await page.locator("[data-ask-open]").hover();
    await page.waitForFunction(() =>
      [".js", ".css"].every((end) =>
        performance
          .getEntriesByType("resource")
          .some(({ name }) => name.includes("/_theme/ask.") && name.endsWith(end)),
      ),
    );
    assert.deepEqual((await read()).sort(), ["ask", "ask"], "its script and its look, and no words of other languages");
  }));

test("beside the page it covers nothing, and is as wide as the reader made it, on the next page too", () =>
  reading({}, async (page) => {
    await page.keyboard.press("Control+i");
    await field(page).waitFor();
    const boxes = () =>
      Promise.all([
        panel(page).boundingBox(),
        page.locator("main").boundingBox(),
        page.locator(".site-header").boundingBox(),
      ]);
    let [own, main, header] = await boxes();
    assert.ok(main.x + main.width <= own.x && header.x + header.width <= own.x, JSON.stringify([own, main, header]));
    assert.ok(main.width > 480, `the text has ${main.width} px`);
    const edge = page.locator(".ask-edge");
    await edge.focus();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press("ArrowLeft");
    assert.equal(await edge.getAttribute("aria-valuenow"), "472");
    await page.locator(".sidebar a", { hasText: "Quickstart" }).click();
    await page.waitForURL("**/quickstart");
    await field(page).waitFor();
    [own, main] = await boxes();
    assert.equal(Math.round(own.width), 472);
    assert.ok(main.x + main.width <= own.x);
    // It took no focus from the page that was opened.
    assert.equal(await isFocused(field(page)), false);
  }));

test("on a phone it is a sheet that holds the focus", () =>
  reading({ width: 375, height: 740, hasTouch: true }, async (page) => {
    await page.locator("[data-ask-open]").tap();
    await field(page).waitFor();
    assert.equal(await panel(page).getAttribute("role"), "dialog");
    assert.equal(await panel(page).getAttribute("aria-modal"), "true");
    assert.deepEqual(await panel(page).boundingBox(), { x: 0, y: 0, width: 375, height: 740 });
    for (let i = 0; i < 20; i += 1) {
      await page.keyboard.press("Tab");
      assert.equal(
        await page.evaluate(
          () => document.activeElement === document.body || Boolean(document.activeElement.closest(".ask")),
        ),
        true,
        `stop ${i}`,
      );
    }
    await page.locator(".ask-close").tap();
    await panel(page).waitFor({ state: "hidden" });
    assert.equal(await page.evaluate(() => document.querySelectorAll("[inert]").length), 0);
    assert.equal(await isFocused(page.locator("[data-ask-open]")), true);
  }));

const long = [
  "## How it works\n\n",
  "A **ticket** can be [cancelled](/concepts/tickets#the-life-of-a-ticket) with `DELETE /tickets/{id}` — *once* [1](/api/tickets/cancel-a-ticket). 🎟️\n\n",
  "| Kind | Price |\n|---|---:|\n| `adult` | 14.00 € |\n| child \\| baby | free |\n\n",
  '```python\nimport museum\n\n# **not bold**, [no link](/a)\nmuseum.cancel("tkt_1")\n```\n\n',
  "1. Open the *ticket*\n2. Press **Cancel**\n   - or ask us\n\n",
  "> A quote with ~~old~~ words\n\n",
  "Last words: 1 * 2 * 3, snake_case_name, 5 < 6 & more.",
].join("");

test("an answer in pieces of any size is drawn as one that came at once, block by block", async () => {
  const drawn = [];
  for (const size of [1, 3, 7, Infinity]) {
    // One of them is drawn after each piece; the others come as fast as they can.
    let drawnOnce = () => {};
    const isSlow = size === 7;
    const answer = async (reply) => {
      stream(reply);
      if (isSlow) {
        reply.write(start({ engine: "model" }));
        const letters = [...long];
        for (let at = 0; at < letters.length; at += size) {
          const shown = new Promise((resolve) => (drawnOnce = resolve));
          reply.write(delta(letters.slice(at, at + size).join("")));
          await shown;
        }
        reply.end(
          source("/api/tickets/cancel-a-ticket", "Cancel a ticket") + finish({ answered: true, engine: "model" }),
        );
        return;
      }
      const bytes = Buffer.from(
        start({ engine: "model" }) +
          [...long]
            .map((_, i, all) =>
              size === Infinity ? (i ? "" : delta(long)) : i % size ? "" : delta(all.slice(i, i + size).join("")),
            )
            .join("") +
          source("/api/tickets/cancel-a-ticket", "Cancel a ticket") +
          finish({ answered: true, engine: "model" }),
      );
      // The network cuts where it likes: within events and within letters.
      for (let at = 0; at < bytes.length; at += 61) {
        reply.write(bytes.subarray(at, at + 61));
        await new Promise((resolve) => setImmediate(resolve));
      }
      reply.end();
    };
    await reading({ answer }, async (page) => {
      await page.exposeFunction("drawnOnce", () => drawnOnce());
      await page.evaluate(() => {
        window.seen = [];
        new MutationObserver(() => {
          window.drawnOnce();
          const root = document.querySelector(".ask-text");
          if (!root) return;
          const first = root.firstElementChild;
          window.first ??= first;
          // The first block may grow while it is the last.
          if (root.children.length === 2) window.second ??= first;
          if (root.children.length > 1) window.seen.push([first === (window.second ?? first), root.innerText]);
        }).observe(document.body, { childList: true, subtree: true, characterData: true });
      });
      await ask(page);
      await page.locator(".ask-tools").waitFor();
      const states = await page.evaluate(() => window.seen);
      if (isSlow) assert.ok(states.length > long.length / size / 2, `${states.length} states`);
      for (const [isSame, shown] of states) {
        assert.equal(isSame, true, "what is whole stays");
        assert.equal(
          /\]\(|\*\*\w|^\||```/m.test(shown.replace("# **not bold**, [no link](/a)", "").replace(/^# .*$/m, "")),
          false,
          shown,
        );
      }
      drawn.push(await text(page).innerHTML());
      assert.equal(
        await text(page).locator("pre code").textContent(),
        'import museum\n\n# **not bold**, [no link](/a)\nmuseum.cancel("tkt_1")',
      );
      assert.deepEqual(await text(page).locator("td").allInnerTexts(), ["adult", "14.00 €", "child | baby", "free"]);
      assert.deepEqual(await text(page).locator("li").allInnerTexts(), [
        "Open the ticket",
        "Press Cancel\nor ask us",
        "or ask us",
      ]);
      assert.equal(
        await text(page).locator("p").last().innerText(),
        "Last words: 1 * 2 * 3, snake_case_name, 5 < 6 & more.",
      );
      assert.equal(await text(page).locator(".ask-cite").innerText(), "1");
      assert.equal(await text(page).locator(".code-title").innerText(), "python");
      assert.match(await page.locator(".ask-notice").innerText(), /language model/);
    });
  }
  for (const other of drawn) assert.equal(other, drawn[0]);
});

test("a stream that is cut keeps what came, says so, and can be tried again", () => {
  const answer = async (reply, _, count) => {
    if (count > 1) return saying("All of it.")(reply);
    stream(reply);
    await new Promise((resolve) => reply.write(start() + delta("The first half, and **the"), resolve));
    // It has arrived when it is shown.
    await shown;
    reply.destroy();
  };
  let tell;
  const shown = new Promise((resolve) => (tell = resolve));
  return reading({ answer, mayFail: true }, async (page, front) => {
    await ask(page);
    await text(page).getByText("The first half").waitFor();
    tell();
    await page.locator(".ask-fault").waitFor();
    assert.equal(await text(page).innerText(), "The first half, and **the");
    assert.match(await page.locator(".ask-fault p").innerText(), /broke off/);
    assert.match(await said(page), /broke off/);
    await page.locator(".ask-retry").click();
    await text(page).getByText("All of it.").waitFor();
    await done(page);
    assert.equal(await page.locator(".ask-fault").count(), 0);
    assert.equal(await page.locator(".ask-question").count(), 1);
    assert.deepEqual(front.asked[1].messages, front.asked[0].messages);
  });
});

test("a stream that ends without its end was cut too", () =>
  reading({ answer: async (reply) => stream(reply).end(start() + delta("Half.")) }, async (page) => {
    await ask(page);
    await page.locator(".ask-fault").waitFor();
    assert.equal(await text(page).innerText(), "Half.");
  }));

for (const [name, answer, told] of [
  [
    "an error in the stream",
    async (reply) => stream(reply).end(`${start()}${event({ type: "error", errorText: "<b>no</b>" })}data: [DONE]\n\n`),
    /No answer came/,
  ],
  [
    "an error after words",
    async (reply) =>
      stream(reply).end(`${start()}${delta("Words.")}${event({ type: "error", errorText: "no" })}data: [DONE]\n\n`),
    /broke off/,
  ],
  [
    "a refusal",
    async (reply) =>
      reply.writeHead(500, { "content-type": "application/json" }).end('{"error":{"code":"a","message":"b"}}'),
    /No answer came/,
  ],
  ["too many questions", async (reply) => reply.writeHead(429, { "retry-after": "3" }).end(), /Too many questions/],
  ["no connection", async (reply) => reply.destroy(), /No answer came/],
]) {
  test(`${name} is told, with a way to try again`, () =>
    reading({ answer, mayFail: true }, async (page) => {
      await ask(page);
      await page.locator(".ask-fault").waitFor();
      assert.match(await page.locator(".ask-fault p").innerText(), told);
      assert.equal(await page.locator(".ask-retry").isVisible(), true);
      assert.equal(await page.locator(".ask b").count(), 0);
    }));
}

test("where the model is not there, a line says who answered", () =>
  reading(
    { answer: saying("Quoted.", [], { answered: true, engine: "degraded", notice: "The model <i>rests</i>." }) },
    async (page) => {
      await ask(page);
      await page.locator(".ask-notice").waitFor();
      assert.equal(await page.locator(".ask-notice").innerText(), "The model <i>rests</i>.");
    },
  ));

test("an answer can be stopped, and what came stays", () => {
  const answer = async (reply) => void stream(reply).write(start() + delta("It goes on "));
  return reading({ answer }, async (page) => {
    await ask(page);
    await text(page).getByText("It goes on").waitFor();
    assert.equal(await page.locator(".ask-send").getAttribute("aria-label"), "Stop");
    await page.locator(".ask-send").click();
    await page.locator(".ask-fault").waitFor();
    assert.match(await page.locator(".ask-fault p").innerText(), /You stopped/);
    assert.equal(await page.locator(".ask-send").getAttribute("aria-label"), "Send");
    assert.match(await text(page).innerText(), /It goes on/);
  });
});

test("nothing of an answer runs, loads or leads where it should not", () => {
  const evil = [
    "[a](javascript:window.bad=1) [b](java\nscript:alert(1)) [c](JaVaScRiPt:alert(1)) [d](data:text/html,x) [e](vbscript:x) [f](file:///etc/passwd)",
    '<img src=x onerror="window.bad=2"> <script>window.bad=3</script> <a href="javascript:window.bad=4">x</a>',
    "![picture](https://tracker.example/p.png) ![other](/logo.svg) [![badge](https://tracker.example/b.png)](/quickstart)",
    "[docs.example](https://evil.example/steal?q=1) [back](//evil.example/x) [slash](/\\evil.example) <https://auto.example/a> <javascript:alert(1)>",
    '[mail](mailto:a@b.example) [home](/quickstart "x\\" onclick=\\"y") [frag](#kinds)',
    "```html\n</code></pre><script>window.bad=5</script>\n```",
    "| <b>x</b> |\n|---|\n| [z](javascript:1) |",
    "&lt;script&gt; &#60;b&#62; &#x110000; &unknown;",
  ].join("\n\n");
  return reading(
    {
      answer: saying(evil, [
        ["javascript:alert(1)", "Bad"],
        ["/quickstart", "<b>Quickstart</b> › Begin"],
      ]),
    },
    async (page) => {
      await ask(page);
      await done(page);
      assert.equal(await page.evaluate(() => window.bad), undefined);
      assert.equal(await page.locator(".ask :is(img, script, iframe, b, [onerror], [onclick])").count(), 0);
      const links = await page
        .locator(".ask a[href]")
        .evaluateAll((all) => all.map((one) => [one.getAttribute("href"), one.rel, one.innerText]));
      for (const [href] of links) assert.match(href, /^(\/(?!\/)|#|https:\/\/|http:\/\/|mailto:)/, href);
      const foreign = links.filter(([href]) => href.startsWith("http"));
      assert.deepEqual(foreign.map(([href]) => new URL(href).host).sort(), [
        "auto.example",
        "evil.example",
        "evil.example",
        "evil.example",
      ]);
      for (const [href, rel, label] of foreign) {
        assert.equal(rel, "noopener nofollow", href);
        assert.ok(label.includes(new URL(href).host), `${label} does not say where ${href} leads`);
      }
      assert.match(await text(page).innerText(), /picture other badge/);
      assert.match(await text(page).innerText(), /<script> <b>/);
      assert.equal(await page.locator(".ask-sources a").count(), 1);
    },
  );
});

test("a text that is made to hurt is drawn all the same", () => {
  const texts = [
    "[".repeat(9000),
    "*a ".repeat(3000),
    `a${"`".repeat(5000)}`,
    `${"> ".repeat(400)}x`,
    `${"- ".repeat(300)}x`,
    "[a](".repeat(2000),
    `${"|a".repeat(2000)}\n${"|-".repeat(2000)}`,
    "**_~~".repeat(1500),
  ];
  return reading(
    {
      answer: async (reply) => {
        stream(reply).write(start());
        for (const one of texts) reply.write(delta(`${one}\n\n`));
        reply.end(delta("The end.") + finish());
      },
    },
    async (page) => {
      await ask(page);
      await done(page);
      assert.equal(await text(page).locator("p").last().innerText(), "The end.");
      assert.equal(await text(page).locator("th").count(), 2000);
    },
  );
});

test("the conversation goes along to the next page, is sent with the next question, and ends when it is told to", () =>
  reading(
    { answer: async (reply, question) => saying(`Answer ${question.messages.length}.`)(reply) },
    async (page, front) => {
      await ask(page, "First?");
      await done(page);
      await page.locator(".sidebar a", { hasText: "Quickstart" }).click();
      await page.waitForURL("**/quickstart");
      await page.locator(".ask-question", { hasText: "First?" }).waitFor();
      assert.equal(await text(page).innerText(), "Answer 1.");
      await field(page).fill("Second?");
      await field(page).press("Enter");
      await text(page).getByText("Answer 3.").waitFor();
      assert.deepEqual(front.asked[1].messages, [
        { role: "user", content: "First?" },
        { role: "assistant", content: "Answer 1." },
        { role: "user", content: "Second?" },
      ]);
      assert.equal(front.asked[1].currentPath, "/quickstart");
      await page.locator("[aria-label='New conversation']").click();
      assert.equal(await page.locator(".ask-question").count(), 0);
      await page.reload();
      await field(page).waitFor();
      assert.equal(await page.locator(".ask-question").count(), 0);
      // Another tab has its own.
    },
  ));

test("a page that is left while an answer comes finds what came, and says that it broke off", () => {
  const answer = async (reply) => void stream(reply).write(start() + delta("Half of it "));
  return reading({ answer }, async (page) => {
    await ask(page);
    await text(page).getByText("Half of it").waitFor();
    // Within the site the panel stays, and so does the answer that is coming.
    await page.locator(".sidebar a", { hasText: "Quickstart" }).click();
    await page.waitForURL("**/quickstart");
    await page.locator("main h1", { hasText: "Quickstart" }).waitFor();
    assert.match(await text(page).innerText(), /Half of it/);
    assert.equal(await page.locator(".ask-fault").count(), 0);
    await page.reload();
    await page.locator(".ask-fault").waitFor();
    assert.match(await text(page).innerText(), /Half of it/);
    assert.match(await page.locator(".ask-fault p").innerText(), /broke off/);
  });
});

const marked = (page) =>
  page.evaluate(() => [...(CSS.highlights.get("quire-cited") ?? [])].map((range) => range.toString()));

test("a source opens at its passage, which is marked, here and on another page", () => {
  const words =
    "From the documentation:\n\n**[Tickets › The life of a ticket](/concepts/tickets#the-life-of-a-ticket)**\n\nGiven back before the day. The money is on its way.\n\n**[Webhooks](/guides/webhooks)**\n\nSee [1](/concepts/tickets#kinds).";
  const sources = [
    ["/concepts/tickets#kinds", "Tickets › Kinds"],
    ["/concepts/tickets#the-life-of-a-ticket", "Tickets › The life of a ticket"],
  ];
  return reading({ answer: saying(words, sources), at: "/quickstart" }, async (page) => {
    await ask(page);
    await done(page);
    assert.deepEqual(await page.locator(".ask-source").allInnerTexts(), ["Tickets", "Tickets"]);
    assert.deepEqual(await page.locator(".ask-path").allInnerTexts(), ["Kinds", "The life of a ticket"]);
    await page.locator(".ask-sources a").nth(1).click();
    await page.waitForURL("**/concepts/tickets#the-life-of-a-ticket");
    await field(page).waitFor();
    await page.waitForFunction(() => CSS.highlights.has("quire-cited"));
    assert.deepEqual(await marked(page), ["Given back before the day", "The money is on its way"]);
    assert.equal(await page.locator(".ask-question").count(), 1, "the panel is still open");
    // A number has no words to look for: the section is marked.
    await page.locator(".ask-cite").click();
    await page.waitForURL("**/concepts/tickets#kinds");
    await page.locator("#kinds[data-cited]").waitFor();
    assert.equal(await page.locator(".ask").isVisible(), true);
    assert.equal(await page.locator("#the-life-of-a-ticket[data-cited]").count(), 0);
    // It is marked for a moment only.
    await page.locator("#kinds:not([data-cited])").waitFor();
  });
});

test("the page, selected text and code are asked about, and can be taken away again", () =>
  reading({ answer: saying("Yes."), at: "/quickstart" }, async (page, front) => {
    // Text, by the button at its end.
    const words = await page
      .locator("main article p.lead, main .prose > p")
      .first()
      .evaluate((at) => {
        getSelection().selectAllChildren(at);
        return getSelection().toString().trim();
      });
    await page.locator(".ask-bubble").click();
    await field(page).waitFor();
    assert.match(await page.locator(".ask-form .ask-chip").innerText(), /^Selection/);
    // Code, by the button beside the one that copies, which keys find behind that.
    const code = page.locator("main article .code-body:has(pre)").first();
    await code.scrollIntoViewIfNeeded();
    await code.locator(".copy-button").focus();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), "Ask about this code");
    await page.keyboard.press("Enter");
    await page.locator(".ask-form .ask-chip").nth(1).waitFor();
    assert.equal(await isFocused(field(page)), true);
    const here = page.locator(".ask-here");
    await here.click();
    assert.equal(await here.getAttribute("aria-pressed"), "true");
    assert.equal(await page.locator(".ask-form .ask-chip").count(), 3);
    await page.keyboard.press("Enter");
    await done(page);
    const [question] = front.asked;
    assert.equal(question.messages[0].content, "Explain this");
    assert.deepEqual(
      question.context.map(({ type }) => type),
      ["textSelection", "code", "page"],
    );
    assert.equal(question.context[0].value, words);
    assert.equal(question.context[1].value, await code.locator("pre code").textContent());
    assert.equal(question.currentPath, "/quickstart");
    assert.equal(await page.locator(".ask-question .ask-chip").count(), 3);
    // By its shortcut, and taken away by keys.
    await page.keyboard.press("Escape");
    await page.locator("main article h1").evaluate((at) => getSelection().selectAllChildren(at));
    await page.keyboard.press("Control+i");
    const chip = page.locator(".ask-form .ask-chip");
    await chip.waitFor();
    await chip.locator("button").focus();
    await page.keyboard.press("Enter");
    assert.equal(await chip.count(), 0);
    assert.equal(await isFocused(field(page)), true);
  }));

test("questions to begin with come from the page, and one of them is about it", () =>
  reading({ answer: saying("So."), at: "/guides/faq" }, async (page, front) => {
    await page.keyboard.press("Control+i");
    const starters = page.locator(".ask-starter");
    await starters.first().waitFor();
    const texts = await starters.allInnerTexts();
    assert.equal(texts[0], "Summarize this page");
    assert.equal(texts.length, 4);
    for (const one of texts.slice(1)) assert.match(one, /\?$|^Explain “/);
    await starters.first().click();
    await done(page);
    assert.deepEqual(
      front.asked[0].context.map(({ type, path }) => [type, path]),
      [["page", "/guides/faq"]],
    );
  }));

test("an answer is copied as Markdown, and readers say whether it helped", () =>
  reading({ answer: saying("**Bold** [1](/quickstart).") }, async (page, _front, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const told = [];
    const status = 204;
    await page.route("**/_quire/feedback", (route) => {
      told.push(route.request().postDataJSON());
      return route.fulfill({ status });
    });
    await ask(page);
    await done(page);
    await page.locator("[aria-label='Copy answer']").click();
    await page.locator("[aria-label='Copied']").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "**Bold** [1](/quickstart).");
    const helpful = page.locator("[aria-label='Helpful']");
    await helpful.click();
    await page.locator(".ask-said", { hasText: "Thank you" }).waitFor({ state: "attached" });
    assert.deepEqual(told, [{ kind: "assistant", path: "/concepts/tickets", helpful: true, id: "assistant-7" }]);
    assert.equal(await helpful.getAttribute("aria-pressed"), "true");
    assert.equal(await isFocused(helpful), true);
    await page.reload();
    await helpful.waitFor();
    assert.equal(await helpful.getAttribute("aria-pressed"), "true");
  }));

test("what readers say of an answer is kept by the site", () =>
  reading({}, async (page) => {
    await ask(page);
    await done(page);
    const sent = page.waitForResponse("**/_quire/feedback");
    await page.locator("[aria-label='Not helpful']").click();
    assert.equal((await sent).status(), 204);
    await page.locator(".ask-said", { hasText: "Thank you" }).waitFor({ state: "attached" });
    const { feedback } = await (await fetch(`${preview.admin}/_quire/feedback`)).json();
    const { kind, path, helpful, id } = feedback[0];
    assert.deepEqual([kind, path, helpful], ["assistant", "/concepts/tickets", false]);
    assert.match(id, /^assistant-\d+$/);
  }));

test("an opinion that cannot be sent is taken back", () =>
  reading({ answer: saying("Words."), mayFail: true }, async (page) => {
    await page.route("**/_quire/feedback", (route) => route.fulfill({ status: 503 }));
    await ask(page);
    await done(page);
    await page.locator("[aria-label='Not helpful']").click();
    await page.locator(".ask-said", { hasText: "could not be sent" }).waitFor({ state: "attached" });
    assert.equal(await page.locator("[aria-label='Not helpful']").getAttribute("aria-pressed"), "false");
  }));

const rows = (page) => page.locator(".search-asking");
async function searchFor(page, query) {
  await page.keyboard.press("Control+k");
  await page.locator(".search-field").fill(query);
  await page.waitForFunction((text) => document.querySelector(".search-dialog").dataset.shown === text, query);
}

test("the search offers to ask a question, and shows what the pages say without moving what it found", () =>
  reading({}, async (page) => {
    await searchFor(page, "How do I cancel a ticket?");
    await rows(page).waitFor();
    const first = page.locator(".search-page").first();
    const before = await first.boundingBox();
    assert.equal(
      await page.locator(".search-dialog [aria-selected=true]").getAttribute("class"),
      "search-option search-page",
    );
    const answer = page.locator("a.search-answer");
    await answer.waitFor();
    assert.deepEqual(await first.boundingBox(), before);
    assert.match(await answer.innerText(), /Gives the ticket back/);
    assert.equal(await answer.getAttribute("href"), "/api/tickets/cancel-a-ticket");
    assert.equal(
      await page.locator(".search-dialog [aria-selected=true]").getAttribute("class"),
      "search-option search-page",
    );
    await page.keyboard.press("ArrowUp");
    assert.match(await page.locator(".search-dialog [aria-selected=true]").getAttribute("class"), /search-answer/);
    await page.keyboard.press("Control+Enter");
    await page.locator(".ask-question", { hasText: "How do I cancel a ticket?" }).waitFor();
    await done(page);
    assert.equal(await page.locator(".search-dialog").isVisible(), false);
    assert.equal(await isFocused(field(page)), true);
  }));

test("a question asks while a search runs and is forgotten with it; words are no question", () =>
  reading(
    {
      answer: async (reply) =>
        reply.writeHead(200, { "content-type": "application/json" }).end(
          JSON.stringify({
            id: "assistant-1",
            role: "assistant",
            parts: [{ type: "text", text: "No." }],
            metadata: { answered: false, engine: "extract" },
          }),
        ),
    },
    async (page, front) => {
      await searchFor(page, "tickets");
      assert.equal(await rows(page).count(), 0);
      await searchFor(page, "what are tickets");
      await rows(page).waitFor();
      await page.locator(".search-answer[data-state=unsure]").waitFor();
      assert.equal(front.asked.length, 1);
      assert.equal(front.asked[0].engine, "extract");
      // Nothing found, and still something to ask.
      await searchFor(page, "zzzxq wwwvk qqqzt?");
      await page.locator(".search-ask[aria-selected=true]").waitFor();
      await page.keyboard.press("Enter");
      await page.locator(".ask-question", { hasText: "zzzxq" }).waitFor();
    },
  ));

test("what reads as a question, in each language", async () => {
  const { isQuestion } = await import("../../queries/theme/js/ask/search.js");
  for (const [language, questions, others] of [
    [
      "en",
      ["how to pay", "paying?", "where is it", "api keys for teams rotate", "What is x"],
      ["tickets", "pay now", "whatever works", "GET /a", '"how to pay"', "island hopping"],
    ],
    ["de", ["wie bezahle ich", "how to pay"], ["wiederholung", "bezahlen"]],
    ["fr", ["comment payer"], ["paiement", "commentaires"]],
    ["ja", ["チケットの買い方は何ですか"], ["チケット"]],
    ["zh-Hans", ["如何取消"], ["取消门票"]],
    ["ar", ["كيف ألغي", "ألغي التذكرة؟"], ["تذكرة"]],
  ]) {
    for (const one of questions) assert.equal(isQuestion(one, language), true, one);
    for (const one of others) assert.equal(isQuestion(one, language), false, one);
  }
});

test("a page may be nothing but the panel, and an address may ask", () =>
  reading({ answer: saying("Yes."), at: "/ask" }, async (page, front) => {
    await page.locator(".ask[data-page]").waitFor();
    assert.equal(await page.locator("main .ask .ask-field").count(), 1);
    assert.equal(await page.getByText("Write to us.").isVisible(), false);
    assert.equal(await page.locator(".ask-close").isVisible(), false);
    await field(page).fill("Is it open?");
    await page.keyboard.press("Enter");
    await done(page);
    await page.goto(`${front.origin}/quickstart?assistant=How%20so%3F`);
    await page.locator(".ask-question", { hasText: "How so?" }).waitFor();
    await done(page);
    assert.equal(new URL(page.url()).search, "");
  }));

for (const colorScheme of ["light", "dark"]) {
  for (const width of [320, 768, 1350]) {
    test(`it is accessible, ${colorScheme} at ${width}`, () =>
      reading(
        {
          answer: saying(long, [["/api/tickets/cancel-a-ticket", "Cancel a ticket"]], {
            answered: true,
            engine: "model",
          }),
          width,
          colorScheme,
        },
        async (page, front) => {
          const check = async (what) => {
            assert.deepEqual(await violationsOf(page), [], what);
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, what);
          };
          await page.keyboard.press("Control+i");
          await field(page).waitFor();
          await check("empty");
          await page.locator(".ask-here").click();
          await check("with a chip");
          await field(page).fill("How?");
          await page.keyboard.press("Enter");
          await done(page);
          await check("answered");
          await page.keyboard.press("Escape");
          await searchFor(page, "How do I cancel a ticket?");
          await rows(page).waitFor();
          await check("search");
          await page.goto(`${front.origin}/ask`);
          await page.locator(".ask[data-page]").waitFor();
          await check("page");
        },
      ));
  }
}

test("right to left it stands at the other side, with words of the language", async () => {
  writeFileSync(join(preview.folder, "ar.mdx"), "---\ntitle: تذاكر\n---\n\nنص\n");
  const docs = JSON.parse(readFileSync(join(preview.folder, "docs.json"), "utf8"));
  const was = JSON.stringify(docs, null, 2);
  docs.navigation = {
    languages: [
      { language: "en", groups: [{ group: "A", pages: ["quickstart"] }] },
      { language: "ar", groups: [{ group: "B", pages: ["ar"] }] },
    ],
  };
  writeFileSync(join(preview.folder, "docs.json"), JSON.stringify(docs));
  await shows(preview, "/ar", 'dir="rtl"');
  try {
    await reading({ answer: saying("نعم"), at: "/ar" }, async (page) => {
      assert.equal(await page.locator("[data-ask-open] span").textContent(), "اسأل");
      await page.keyboard.press("Control+i");
      await field(page).waitFor();
      assert.equal(await field(page).getAttribute("placeholder"), "اطرح سؤالاً…");
      const [own, main] = await Promise.all([panel(page).boundingBox(), page.locator("main").boundingBox()]);
      assert.equal(own.x, 0);
      assert.ok(main.x >= own.width);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    });
  } finally {
    writeFileSync(join(preview.folder, "docs.json"), was);
    rmSync(join(preview.folder, "ar.mdx"));
    await shows(preview, "/concepts/tickets", "data-ask-open");
  }
});

test("an edit of the page leaves the panel as it is", async () => {
  const path = join(preview.folder, "quickstart.mdx");
  const was = readFileSync(path, "utf8");
  try {
    await reading({ answer: saying("Words."), at: "/quickstart" }, async (page) => {
      await ask(page, "Still here?");
      await done(page);
      writeFileSync(path, `${was}\nAn edit from elsewhere.\n`);
      await page.getByText("An edit from elsewhere.").waitFor();
      assert.equal(await page.locator(".ask-question", { hasText: "Still here?" }).isVisible(), true);
      assert.equal(await panel(page).evaluate((at) => getComputedStyle(at).position), "fixed");
      assert.equal(await page.locator("[data-ask-open]").getAttribute("aria-expanded"), "true");
    });
  } finally {
    writeFileSync(path, was);
  }
});

test("without scripts the page is as it was", () =>
  reading({ javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.locator("[data-ask-open]").isVisible(), false);
    assert.equal(await page.locator("main h1").isVisible(), true);
    await page.goto(`${new URL(page.url()).origin}/ask`);
    assert.equal(await page.getByText("Write to us.").isVisible(), true);
    assert.equal(await page.locator("[data-ask-page]").isVisible(), false);
  }));

test("in an export there is nothing of it", async () => {
  const out = mkdtempSync(join(tmpdir(), "quire-panel-"));
  execFileSync(program, ["build", preview.folder, "--out", out, "--base-path", "/docs"], { stdio: "ignore" });
  const names = readdirSync(join(out, "_theme"));
  assert.deepEqual(
    names.filter((name) => /^(ask|served)/.test(name)),
    [],
  );
  const found = [];
  for (const name of readdirSync(out, { recursive: true })) {
    if (!/\.(html|js|css)$/.test(name) || name.includes("mermaid")) continue;
    const content = readFileSync(join(out, name), "utf8");
    if (/quire-assistant|quire-ask|quire:ask|data-ask|class="ask-|\.ask-button|chat-assistant/.test(content))
      found.push(name);
  }
  assert.deepEqual(found, []);
  const site = await serveExport(out);
  const context = await browser.newContext();
  const { page, faults } = await watchedPage(context, site.origin);
  await page.goto(`${site.origin}/docs/ask/`);
  assert.equal(await page.getByText("Write to us.").isVisible(), true);
  await page.keyboard.press("Control+k");
  await page.locator(".search-field").fill("How do I cancel a ticket?");
  await page.waitForFunction(
    () => document.querySelector(".search-dialog").dataset.shown === "How do I cancel a ticket?",
  );
  assert.equal(await rows(page).count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
  await site.stop();
  rmSync(out, { recursive: true, force: true });
});
