// A JSON text of a reply that folds, is searched, and shows where it differs from the documentation.

// More lines than these, and longer texts, are shown as text: each line is an element of its own.
const maxLines = 4000;
const maxFolded = 400_000;

const jsonColors = { string: "t-s", property: "t-p", number: "t-n", constant: "t-b" };
const withColors = (text) => {
  const code = document.createDocumentFragment();
  let plainText = "";
  const flush = () => {
    if (plainText) code.append(plainText);
    plainText = "";
  };
  for (const [kind, piece] of jsonTokens(text)) {
    if (!jsonColors[kind]) {
      plainText += piece;
      continue;
    }
    flush();
    code.append(h("span", { class: jsonColors[kind] }, piece));
  }
  flush();
  return code;
};

const codeBox = (content, name) =>
  h("pre", { class: "play-output", tabindex: "0", role: "region", "aria-label": name }, h("code", {}, content));

/**
 * The lines of a text that was laid out: `{text, at, ends, closes}` with the pointer of the value and the line where it
 * ends.
 */
export const jsonLines = (text) => {
  const lines = text.split("\n").map((line) => ({ text: line, at: "" }));
  const open = [];
  for (const [i, line] of lines.entries()) {
    const words = line.text.trim();
    if (/^[}\]]/.test(words)) {
      const begun = open.pop();
      if (!begun) continue;
      Object.assign(line, { at: begun.at, closes: true });
      lines[begun.line].ends = i;
      continue;
    }
    const around = open.at(-1);
    if (around) {
      const key = around.isList ? String(around.count) : JSON.parse(/^"(?:[^"\\]|\\.)*"/.exec(words)?.[0] ?? '""');
      around.count += 1;
      line.at = `${around.at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    }
    if (/[{[]$/.test(words)) open.push({ at: line.at, line: i, isList: words.endsWith("["), count: 0 });
  }
  return lines;
};

/**
 * A view of a JSON text: its `element`, and `mark`, which takes findings (`{at, words}`) and shows them at their
 * places.
 */
export const jsonView = (text) => {
  const lines = jsonLines(text);
  const folded = new Set();
  const rows = [];
  const toggles = [];
  const apply = () => {
    let until = -1;
    for (const [i, row] of rows.entries()) {
      row.hidden = i <= until;
      if (i > until && folded.has(i)) until = lines[i].ends;
    }
  };
  const fold = (i, isFolded) => {
    if (isFolded) folded.add(i);
    else folded.delete(i);
    toggles[i].setAttribute("aria-expanded", String(!isFolded));
    rows[i].toggleAttribute("data-folded", isFolded);
  };
  for (const [i, line] of lines.entries()) {
    if (line.ends) {
      toggles[i] = h(
        "button",
        {
          type: "button",
          class: "play-fold",
          "aria-expanded": "true",
          "aria-label": say("FoldPart", "Fold {}", line.at || "/"),
          onclick: () => {
            fold(i, !folded.has(i));
            apply();
          },
        },
        sign("chevron"),
      );
    }
    rows.push(
      h(
        "span",
        { class: "play-json-line" },
        toggles[i],
        withColors(line.text),
        h("span", {}, i + 1 < lines.length ? "\n" : null),
      ),
    );
  }
  const box = codeBox(rows, say("Body", "Body"));
  box.classList.add("play-json");
  const foldAll = (isFolded) => {
    for (const i of toggles.keys()) if (toggles[i] && i > 0) fold(i, isFolded);
    apply();
  };
  const show = (i) => {
    for (const at of [...folded]) if (at < i && i <= lines[at].ends) fold(at, false);
    apply();
    rows[i].scrollIntoView({ block: "nearest" });
  };

  let found = [];
  let current = -1;
  const count = h("span", { class: "play-facts", role: "status" });
  const step = (by) => {
    if (!found.length) return;
    rows[found[current]]?.removeAttribute("data-current");
    current = (current + by + found.length) % found.length;
    rows[found[current]].setAttribute("data-current", "");
    count.textContent = `${current + 1} / ${found.length}`;
    show(found[current]);
  };
  const field = h("input", {
    class: "play-input",
    type: "search",
    "aria-label": say("FindInBody", "Find in the body"),
    placeholder: say("FindInBody", "Find in the body"),
    ...quietly,
    oninput: () => {
      for (const i of found) for (const name of ["data-found", "data-current"]) rows[i].removeAttribute(name);
      const wanted = field.value.toLowerCase();
      found = wanted ? [...lines.keys()].filter((i) => lines[i].text.toLowerCase().includes(wanted)) : [];
      for (const i of found) rows[i].setAttribute("data-found", "");
      current = -1;
      count.textContent = wanted && !found.length ? "0" : "";
      step(1);
    },
    onkeydown: (event) => {
      if (event.key !== "Enter" || event.isComposing || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    },
  });
  const bar = h(
    "div",
    { class: "play-json-bar" },
    field,
    count,
    button("small", () => foldAll(true), say("FoldAll", "Fold all")),
    button("small", () => foldAll(false), say("UnfoldAll", "Unfold all")),
  );

  const rowOf = (at) => {
    // What is missing has no line: it is told where it would be.
    for (let pointer = at; ; pointer = pointer.slice(0, pointer.lastIndexOf("/"))) {
      const i = lines.findIndex((line) => line.at === pointer && !line.closes);
      if (i >= 0 || !pointer) return Math.max(i, 0);
    }
  };
  const mark = (findings) => {
    for (const { at, words } of findings) {
      const i = rowOf(at);
      rows[i].setAttribute("data-differs", "");
      rows[i].lastChild.before(h("span", { class: "play-differs" }, sign("warning"), words));
    }
  };
  return { element: h("div", { class: "play-json-view" }, bar, box), mark, show: (at) => show(rowOf(at)) };
};

const words = (rule, name) => {
  const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  const parts = [name, rule.keyword];
  if (rule.expected !== undefined && rule.keyword !== "required")
    parts.push(say("ExpectedValue", "expected: {}", asText(rule.expected)));
  if (rule.given !== undefined) parts.push(say("GivenValue", "given: {}", JSON.stringify(rule.given)));
  return parts.filter(Boolean).join(" · ");
};

/**
 * Holds a reply against the documentation of the page, by the site (`address`), and shows in `place` what differs;
 * `view` marks it in the body.
 */
export const checkReply = async (place, { address, status, type, content, view }) => {
  const query = new URLSearchParams({ path: decodeURI(location.pathname), status, type });
  const reply = await fetch(`${address}?${query.toString().replaceAll("+", "%20")}`, {
    method: "POST",
    body: content,
    headers: { "Content-Type": "application/octet-stream" },
    cache: "no-store",
  });
  if (!reply.ok) return;
  const { response, media, known, checked, violations } = await reply.json();
  const differs = (...content) => place.append(h("div", { class: "play-verdict", "data-differs": true }, content));
  if (response === null)
    return differs(
      h(
        "p",
        {},
        sign("warning"),
        say("NoSuchStatus", "The documentation has no response with status {}.", String(status)),
        " ",
        h("span", { class: "play-facts" }, known.join(", ")),
      ),
    );
  if (media === null && known.length)
    return differs(
      h(
        "p",
        {},
        sign("warning"),
        say("NoSuchMedia", "The documentation has no body of the type {}.", type || "–"),
        " ",
        h("span", { class: "play-facts" }, known.join(", ")),
      ),
    );
  if (!checked) return;
  if (!violations.length) {
    place.append(
      h("p", { class: "play-verdict" }, sign("check"), say("AnswerMatches", "The answer matches the documentation.")),
    );
    return;
  }
  view?.mark(
    violations
      .filter(({ keyword }) => keyword)
      .map((one) => ({
        at: one.name,
        words: words(one, one.keyword === "required" ? one.name.split("/").at(-1) : ""),
      })),
  );
  const item = (one) => {
    const text = one.keyword ? words(one, "") : one.message;
    const name = one.name || "/";
    return h("li", {}, view ? button("link", () => view.show(one.name), name) : h("code", {}, name), ` ${text}`);
  };
  differs(
    h(
      "p",
      {},
      sign("warning"),
      say("AnswerDiffers", "Differences from the documentation: {}", String(violations.length)),
    ),
    h("ul", {}, violations.map(item)),
  );
};
