// The words of the panel, its pictures, and what it offers to ask.
const english = {
  AskTitle: "Ask the docs",
  AskFresh: "New conversation",
  Close: "Close",
  AskWidth: "Width of the panel",
  AskGreeting: "What would you like to know?",
  AskOrigin: "Answers come from these pages and say where they stand.",
  AskField: "Your question",
  AskPlaceholder: "Ask a question…",
  AskFurther: "Ask a follow-up…",
  Send: "Send",
  AskStop: "Stop",
  AskPage: "Ask about this page",
  AskSummarize: "Summarize this page",
  AskExplain: "Explain “{}”",
  AskExplainThis: "Explain this",
  AskSelection: "Selection",
  Code: "Code",
  AskThisPage: "This page",
  RemoveOf: "Remove {}",
  AskWaiting: "Looking through the pages…",
  AskYou: "You asked",
  AskAnswer: "Answer",
  AskSources: "Sources",
  AskSource: "Source {}",
  Table: "Table",
  CopyCode: "Copy code",
  AskCopy: "Copy answer",
  Copied: "Copied",
  AskHelpful: "Helpful",
  AskUnhelpful: "Not helpful",
  AskThanks: "Thank you for telling us",
  AskUnsent: "That could not be sent",
  AskStopped: "You stopped this answer.",
  AskCut: "The answer broke off.",
  AskFailed: "No answer came.",
  Offline: "You seem to be offline.",
  AskBusy: "Too many questions at once. Try again in a moment.",
  TryAgain: "Try again",
  AskDegraded: "The language model could not be reached. These are passages from the pages instead.",
  AskModel: "Written by a language model. It can be wrong: check the sources.",
};

const shapes = {
  ask: "M12 3.5c.6 4.600 3.400 7.400 8 8-4.600.6-7.400 3.400-8 8-.6-4.600-3.400-7.400-8-8 4.600-.6 7.400-3.400 8-8z",
  x: "m6 6 12 12M18 6 6 18",
  fresh: "M12 5.500H6.500a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V12M10 14l.5-2.500L18 4l2 2-7.500 7.500z",
  send: "M12 19V5m-6 6 6-6 6 6",
  stop: "M7 7h10v10H7z",
  copy: "M8.500 10.500a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2zM15.500 8.500v-3a2 2 0 0 0-2-2h-8a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h3",
  check: "m5 12.500 4.500 4.500L19 7.500",
  up: "M7.500 10.500v9h-3v-9zM7.500 10.500 11 3.500c1.500 0 2.500 1 2.500 2.500v3h5a2 2 0 0 1 2 2.300l-1 6.500a2 2 0 0 1-2 1.700h-10",
  down: "M16.500 13.500v-9h3v9zM16.500 13.500 13 20.500c-1.500 0-2.500-1-2.500-2.500v-3h-5a2 2 0 0 1-2-2.300l1-6.500a2 2 0 0 1 2-1.700h10",
  page: "M13.500 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8.500zm0 0v5.500H19",
  quote: "M5 7h14M5 12h14M5 17h8",
  code: "m8 7-5 5 5 5m8-10 5 5-5 5",
  again: "M19.500 12a7.500 7.500 0 1 1-2.200-5.300L19.500 9M19.500 4.500V9H15",
  arrow: "M7 17 17 7M8.500 7H17v8.500",
};
const picture = (name) => {
  const make = (kind, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const svg = make("svg", {
    class: "icon",
    viewBox: "0 0 24 24",
    width: 16,
    height: 16,
    fill: "none",
    stroke: "currentColor",
    "stroke-width": 1.75,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
    "aria-hidden": "true",
  });
  svg.append(make("path", { d: shapes[name] }));
  return svg;
};

// Headings that say the same on every site, and verbs that begin a heading which tells how something is done.
const common =
  /^(welcome\b.*|learn more|get(ting)? started|quick ?start|overview|introduction|intro|home|next steps?|see also|resources?|prerequisites|requirements|summary|conclusion|examples?|on this page|related|references?|notes?|response|body|parameters|headers|authorizations?|changelog|more|faq)$/i;
const verbs =
  /^(add|authenticate|buy|build|call|cancel|change|check|choose|configure|connect|create|customize|customise|delete|deploy|debug|disable|download|edit|enable|export|filter|find|get|handle|host|import|install|integrate|invite|learn|limit|list|log|make|manage|migrate|monitor|move|open|organize|paginate|publish|read|receive|remove|rename|report|request|reset|restore|retrieve|retry|rotate|run|search|secure|send|set|share|start|stop|stream|submit|sync|test|track|translate|trigger|update|upgrade|upload|use|validate|verify|view|write)\s/i;

/**
 * Up to three questions that the page in view suggests: those that it asks itself, what it tells how to do, what it is
 * about.
 */
const startersOf = (words) => {
  const isEnglish = words === english || words.AskExplain === english.AskExplain;
  const texts = (selector) => {
    // Pills beside a title are no part of it.
    const textOf = (at) =>
      [...at.childNodes]
        .filter((node) => !node.matches?.(".pill, .anchor"))
        .map((node) => node.textContent)
        .join("");
    const found = [...document.querySelectorAll(selector)]
      .filter((at) => !at.closest(".ask"))
      .map((at) => textOf(at).trim().replace(/\s+/g, " "));
    return found.filter((text) => text.length > 2 && text.length < 70 && !common.test(text));
  };
  const heads = texts("main article :is(h1, h2, h3), main article .accordion > summary .accordion-title");
  const asked = heads.filter((text) => /[?？؟]$/.test(text));
  const lower = (text) => text[0].toLowerCase() + text.slice(1);
  const done = heads.flatMap((text) => {
    if (!isEnglish) return [];
    const how = /^how to (.+)/i.exec(text)?.[1] ?? (verbs.test(text) ? text : null);
    return how ? [`How do I ${lower(how)}?`] : [];
  });
  // A page that is the panel is about nothing else.
  const isPanel = document.querySelector("[data-ask-page]");
  const rest = [
    ...(isPanel ? [] : texts("main article h1")),
    ...texts("main article h2"),
    ...texts(".sidebar a.sidebar-link > .sidebar-label"),
  ];
  const told = rest.filter(
    (text) => !asked.includes(text) && !(isEnglish && (verbs.test(text) || /^how to /i.test(text))),
  );
  const explained = told.map((text) => words.AskExplain.replace("{}", () => text));
  return [...new Set([...asked, ...done.slice(0, 2), ...explained])].slice(0, 3);
};
