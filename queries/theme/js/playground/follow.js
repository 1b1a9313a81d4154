// The samples of the page follow a request: that of the form, or that of the page for whom another authorization was
// chosen.
let requestFor = null;
let shownMedia = null;
let isAsked = false;

const samplePanels = () => [...document.querySelectorAll(".samples .tab-panel[data-language]")];

/** Writes the sample that is shown; the others are written when they are chosen. */
const drawShown = () => {
  isAsked = false;
  const panel = requestFor && samplePanels().find((one) => one.hasAttribute("data-active"));
  if (!panel?.hasAttribute("data-sample")) return;
  const id = panel.dataset.language;
  const place = panel.querySelector(".sample-variants > .tab-panel[data-active]") ?? panel;
  const at = place.querySelector("pre code");
  const request = at && requestFor(place === panel ? null : place.dataset.tab);
  if (!request) return;
  const text = sampleOf(id, request);
  at.setAttribute("data-followed", "");
  if (at.textContent !== text) at.replaceChildren(colored(languages.find((one) => one.id === id).highlight, text));
};

/** Shows a form of the body in every language, once: the reader may choose another on the page. */
const showMedia = (media) => {
  if (media === shownMedia) return;
  shownMedia = media;
  for (const set of document.querySelectorAll(".samples .sample-variants")) {
    const variants = [...set.children];
    if (!variants.some(({ dataset }) => dataset.tab === media)) continue;
    for (const variant of variants) variant.toggleAttribute("data-active", variant.dataset.tab === media);
  }
};

/**
 * From now on the samples send what `source` says for a form of the body (its media type; `null` where there is no
 * choice), if it says something. `media` is the form to show. Without a source the samples stay as they are.
 */
export const follow = (source, media) => {
  requestFor = source;
  if (media !== undefined) showMedia(media);
  drawShown();
};

document.addEventListener("quire:shown", () => {
  if (!requestFor || isAsked) return;
  isAsked = true;
  queueMicrotask(drawShown);
});
// What the site serves anew is as it was built.
document.addEventListener("quire:update", () => (requestFor = null));

const rememberedTabs = () => {
  try {
    return JSON.parse(localStorage.getItem("quire-tabs")) ?? [];
  } catch {
    return [];
  }
};

/** The languages that the page has, else all, and the one that the reader has chosen. */
export const languageChoice = () => {
  const panels = samplePanels();
  const own = panels.map(({ dataset }) => languages.find(({ id }) => id === dataset.language)).filter(Boolean);
  const listed = own.length ? [...new Set(own)] : languages;
  const shown = panels.find((panel) => panel.hasAttribute("data-active"))?.dataset.language;
  const label = rememberedTabs().find((title) => listed.some((one) => one.label === title));
  const chosen = listed.find(({ id }) => id === shown) ?? listed.find((one) => one.label === label) ?? listed[0];
  return { listed, chosen };
};

/**
 * The request of a sample as the build has it, with another base address and authorization, and with the example
 * `chosen`.
 */
const drawnRequest = (island, index, base, alternative, chosen) => {
  const made = island.samples[index];
  const typed = Object.fromEntries(
    alternative.filter(({ prefill }) => prefill).map(({ key, prefill }) => [key, { value: prefill }]),
  );
  const { query, headers, cookies } = credentials(alternative, typed, "placeholder");
  const isCookie = ([name]) => name === "Cookie";
  const own = made.headers ?? [];
  const cookie = [...cookies, ...own.filter(isCookie).map(([, value]) => value)].join("; ");
  const [media, others] = [
    own.filter(([name]) => name === "Content-Type"),
    own.filter((header) => !isCookie(header) && header[0] !== "Content-Type"),
  ];
  const pairs = query.length ? `${made.target.includes("?") ? "&" : "?"}${query.join("&")}` : "";
  const request = {
    method: island.method,
    url: base + made.target + pairs,
    headers: [...headers, ...others, ...(cookie ? [["Cookie", cookie]] : []), ...media],
    body: null,
  };
  const form = island.bodies?.[index];
  const drawn = made.body === "sample" ? form.sample : made.body?.text;
  const text = drawn === undefined ? drawn : (chosen ?? drawn);
  if (text !== undefined) return sampleRequest({ ...request, body: { kind: kindOf(form), text } });
  if (made.body === "file") return { ...request, body: { file: "file" } };
  return made.body
    ? {
        ...request,
        body: { parts: made.body.parts.map((part) => ("text" in part ? part : { ...part, file: "file" })) },
      }
    : request;
};

/** What an alternative of the authorization is called and remembered by. */
export const alternativeName = (schemes) => schemes.map(({ key }) => key).join(" + ");

/**
 * Writes the samples of a page with what was chosen: the authorization on others of its specification (`shared`), and
 * examples of the body on the page itself, by their media types. What is typed into the form after that counts more.
 */
export const adopt = ({ data, shared, examples = new Map() }) => {
  const island = islandOf(data);
  const alternatives = alternativesOf(island);
  const at = alternatives.findIndex((schemes) => alternativeName(schemes) === shared?.alternative);
  if ((at <= 0 && !examples.size) || !island.samples) return;
  follow((media) => {
    const { server, variables } = shownServer(island);
    const index = media === null ? 0 : island.bodies.findIndex((form) => form.media === media);
    const chosen = examples.get(island.bodies?.[index]?.media);
    return drawnRequest(
      island,
      index,
      addressOf(baseOf(server, variables), ""),
      alternatives[Math.max(at, 0)] ?? [],
      chosen,
    );
  });
};

/** The base address that the page shows, and the values of its variables. */
export const shownServer = (island) => {
  const at = document.querySelector(".endpoint [data-server]")?.selectedIndex ?? 0;
  const group = document.querySelector(`.endpoint [data-server-index="${at}"]`);
  const fields = [...(group?.querySelectorAll("[data-server-variable]") ?? [])];
  return {
    server: island.servers[at],
    variables: Object.fromEntries(fields.map((field) => [field.dataset.serverVariable, field.value])),
  };
};
// A base address that is chosen on the page.
document.addEventListener("quire:server", drawShown);
