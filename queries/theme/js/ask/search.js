// What the search dialog offers for a question: to ask it, and what the pages say at once where they are sure.

/** Words that open a question, by language; where words are not set apart, signs of one anywhere. */
const opening = {
  en: "how|what|what's|where|when|why|who|which|whose|can|could|do|does|did|is|are|am|was|were|should|will|would|may|must|has|have",
  ar: "كيف|ما|ماذا|أين|متى|لماذا|من|هل|أي|كم",
  ca: "com|què|quin|quina|quins|quines|on|quan|qui|quant|puc|per què",
  cs: "jak|co|kde|kdy|proč|kdo|který|která|které|kolik|můžu|mohu|lze",
  da: "hvordan|hvad|hvor|hvornår|hvorfor|hvem|hvilken|hvilket|hvilke|kan|er|skal",
  de: "wie|was|wo|wann|warum|wieso|weshalb|wer|wen|wem|welche|welcher|welches|wozu|womit|woher|kann|können|muss|darf|ist|sind|gibt|hat",
  es: "cómo|como|qué|que|dónde|donde|cuándo|cuando|por qué|quién|cuál|cual|cuánto|puedo|es|hay",
  fi: "miten|kuinka|mikä|mitä|missä|milloin|miksi|kuka|voiko|voinko|onko",
  fr: "comment|que|quoi|qu'est-ce|où|quand|pourquoi|qui|quel|quelle|quels|quelles|combien|est-ce|puis-je|peut-on|y a-t-il",
  he: "איך|מה|איפה|מתי|למה|מי|האם|איזה|איזו|כמה|כיצד",
  hi: "क्या|कैसे|कहाँ|कब|क्यों|कौन|कितना|कितने",
  hu: "hogyan|mi|mit|hol|mikor|miért|ki|melyik|mennyi|lehet",
  id: "bagaimana|apa|apakah|di mana|dimana|kapan|mengapa|kenapa|siapa|berapa|bisakah",
  it: "come|cosa|che|dove|quando|perché|chi|quale|quali|quanto|posso|si può|è",
  lv: "kā|kas|kur|kad|kāpēc|vai|cik",
  nl: "hoe|wat|waar|wanneer|waarom|wie|welke|welk|hoeveel|kan|is|zijn|moet",
  no: "hvordan|hva|hvor|når|hvorfor|hvem|hvilken|hvilke|kan|er|skal",
  pl: "jak|co|gdzie|kiedy|dlaczego|kto|który|która|które|ile|czy",
  pt: "como|o que|que|qual|quais|onde|quando|por que|quem|quanto|posso|é|há",
  ro: "cum|ce|unde|când|de ce|cine|care|cât|pot|este",
  ru: "как|что|где|когда|почему|зачем|кто|какой|какая|какие|сколько|можно|есть ли|куда|чем",
  sv: "hur|vad|var|när|varför|vem|vilken|vilket|vilka|kan|är|ska",
  tr: "nasıl|ne|nerede|neden|niçin|kim|hangi|kaç|ne zaman",
  uk: "як|що|де|коли|чому|хто|який|яка|які|скільки|чи|можна",
  uz: "qanday|nima|qayerda|qachon|nega|kim|qaysi|qancha",
  vi: "làm thế nào|làm sao|cái gì|ở đâu|khi nào|tại sao|vì sao|ai|có thể",
};
const within =
  /吗|嗎|什么|什麼|怎么|怎麼|如何|哪|为什么|為什麼|谁|誰|多少|几|是否|能否|どう|なに|何|どこ|いつ|なぜ|だれ|誰|どの|ですか|ますか|어떻게|무엇|뭐|어디|언제|왜|누가|누구|어떤|얼마|나요|까\s*$/;

/** Whether `query` reads as a question. */
export const isQuestion = (query, language) => {
  const text = query.trim().toLowerCase().replace(/’/g, "'");
  if (/["“”„«»]/.test(text)) return false;
  if (/[?？؟;]$/.test(text) && text.length > 4) return true;
  const words = text.split(/\s+/);
  if (words.length >= 4) return true;
  if (within.test(text) && text.length > 3) return true;
  const known = new Set(["en", (language ?? "").split("-")[0].toLowerCase()]);
  return (
    words.length > 1 &&
    [...known].some((one) => opening[one] && new RegExp(`^[¿]?(?:${opening[one]})\\s`, "u").test(text))
  );
};

/** The words of an answer, without the signs of Markdown. */
const plainOf = (text) =>
  text
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/^#{1,6}\s+|^\s*(?:[-*+]|\d+[.)])\s+|^>\s?/gm, "")
    .replace(/(\*\*|__|~~|`+)(?=\S)(.+?)\1/g, "$2")
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();

/** What can be shown of an answer in two lines, with the place that it comes from; `null` of one that is not sure. */
const shortOf = (answer) => {
  if (answer?.metadata?.answered !== true) return null;
  const whole = answer.parts
    .filter(({ type }) => type === "text")
    .map((part) => part.text)
    .join("");
  // Two lines have no room for code.
  const text = whole.replace(/^ {0,3}(`{3,}|~{3,})[^]*?^ {0,3}\1[`~]*\s*$/gm, "");
  const source = answer.parts.find(({ type }) => type === "source-url");
  if (!source) return null;
  // The first passage: what stands below the line that names its place.
  const blocks = text.split(/\n{2,}/);
  const named = blocks.findIndex((block) => /^\*\*\[.*\]\(.*\)\*\*$/.test(block.trim()));
  const said = blocks.slice(named + 1).filter((block) => !block.trim().startsWith("|"));
  const end = said.findIndex((block) => /^\*\*\[.*\]\(.*\)\*\*$/.test(block.trim()));
  const words = plainOf(said.slice(0, end < 0 ? 3 : end).join("\n"));
  return words.length > 20 ? { text: words.slice(0, 320), url: source.url, title: source.title } : null;
};

/** How long typing must rest before the pages are asked. */
const rest = 500;

const english = {
  Ask: "Ask",
  AskSearching: "Looking for a short answer on these pages…",
  AskUnsure: "These pages hold no short answer. Ask to see what comes nearest.",
};

/** Makes the rows above what is found: one asks, the other is what the pages say at once. Both are as high before the
 * answer as with it, so that nothing below them moves. `make` makes elements. */
export const rowsOf = ({ address, language, words: given, make, picture, ask }) => {
  const words = { ...english, ...given };
  const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);
  return ({ text: query, filter, changed, close }) => {
    if (!isQuestion(query, language)) return [];
    const sign = () => make("span", { class: "search-icon" }, picture());
    const row = make(
      "a",
      { class: "search-option search-ask", role: "option", tabindex: "-1", "aria-selected": "false" },
      sign(),
      make(
        "span",
        { class: "search-texts" },
        make("span", { class: "search-title" }, `${words.Ask}: `, make("span", { class: "search-ask-query" }, query)),
      ),
      make(
        "span",
        { class: "search-ask-keys", "aria-hidden": "true" },
        make("kbd", {}, isMac ? "⌘" : "Ctrl"),
        make("kbd", {}, "↵"),
      ),
    );
    let slot = make(
      "div",
      { class: "search-answer", "data-state": "waiting" },
      make("span", { class: "search-answer-text" }, words.AskSearching),
    );
    const rows = make("div", { class: "search-asking", role: "group", "aria-label": words.Ask }, row, slot);
    row.act = () => {
      close();
      ask(query);
    };
    // In the list of results it would open one in a new tab; a question is asked.
    rows.press = (event) => {
      const isMeant = event.key === "Enter" && (event.metaKey || event.ctrlKey);
      if (isMeant) row.act();
      return isMeant;
    };
    const request = new AbortController();
    const timer = setTimeout(async () => {
      const question = {
        messages: [{ role: "user", content: query }],
        engine: "extract",
        currentPath: location.pathname.slice(0, 200),
        filter,
      };
      let found = null;
      try {
        const headers = { "content-type": "application/json", accept: "application/json" };
        const reply = await fetch(address, {
          method: "POST",
          headers,
          body: JSON.stringify(question),
          signal: request.signal,
        });
        found = reply.ok ? shortOf(await reply.json()) : null;
      } catch {
        // The pages that were found are there.
      }
      if (request.signal.aborted) return;
      const isPage = found?.url.startsWith("/") && !found.url.startsWith("//");
      const said = make("span", { class: "search-answer-text" }, isPage ? found.text : words.AskUnsure);
      const fresh = isPage
        ? make(
            "a",
            {
              class: "search-option search-answer",
              role: "option",
              tabindex: "-1",
              href: found.url,
              "aria-selected": "false",
            },
            said,
            make("span", { class: "search-answer-place" }, found.title),
          )
        : make("div", { class: "search-answer", "data-state": "unsure" }, said);
      slot.replaceWith(fresh);
      slot = fresh;
      changed();
    }, rest);
    rows.leave = () => {
      clearTimeout(timer);
      request.abort();
    };
    return [rows];
  };
};
