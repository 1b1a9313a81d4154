// A row of a reference and what the samples say of it are marked together: whichever the reader points at, or comes to
// by keys.
(() => {
  const marks = window.CSS?.highlights;
  if (!marks) return;
  const key = /^(\s*)(?:\\?["'])?([^"'\\:=\s{}[\],]+)(?:\\?["'])?\s*(?::|=>)\s?/;
  const known = new WeakMap();

  /**
   * The lines of a code with a key: where they are, and their keys from the outermost, told by how far they are
   * indented.
   */
  const linesOf = (code) => {
    const text = code.textContent;
    // What a reader types changes the sample.
    if (known.get(code)?.text === text) return known.get(code).lines;
    const lines = [];
    const around = [];
    let at = 0;
    for (const line of text.split("\n")) {
      const found = key.exec(line);
      if (found) {
        const depth = found[1].length;
        while (around.length && around.at(-1).depth >= depth) around.pop();
        around.push({ depth, name: found[2] });
        lines.push({ path: around.map(({ name }) => name), start: at + depth, end: at + line.trimEnd().length });
      }
      at += line.length + 1;
    }
    known.set(code, { text, lines });
    return lines;
  };

  const codeOf = (kind) => {
    const side = document.querySelector(".reference-side");
    const panel = side?.querySelector(kind === "response" ? "[aria-label='Response']" : ".samples");
    return [...(panel?.querySelectorAll("pre code") ?? [])].find((code) => code.offsetParent);
  };
  const kindOf = (row) => row.id.split("-", 1)[0];
  const pathOf = (row) => {
    const path = [];
    for (let at = row; at; at = at.parentElement.closest(".row")) {
      path.unshift(at.querySelector(":scope > .row-head > .row-name")?.textContent ?? "");
    }
    return path;
  };
  const endsWith = (long, short) =>
    short.length <= long.length && short.every((name, i) => name === long[long.length - short.length + i]);

  /** Where `code` speaks of `row`. */
  const placeOf = (row, code) => {
    const path = pathOf(row);
    const kind = kindOf(row);
    if (kind === "body" || kind === "response") {
      const lines = linesOf(code).filter((line) => endsWith(line.path, path));
      // A key of the request, around which code can stand, or the first of several items.
      return lines.sort((a, b) => a.path.length - b.path.length)[0];
    }
    const text = code.textContent;
    const name = path[0].replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const found =
      kind === "query"
        ? new RegExp(`(?<=[?&])${name}=[^&'"\\s]*`).exec(text)
        : new RegExp(`(?<=^|["'\\s])${name}["']?\\]?\\s*(?::|=>|,|=)\\s*["']?[^'"\\n]*`, "im").exec(text);
    return found && { start: found.index, end: found.index + found[0].trimEnd().length };
  };

  const rangeOf = (code, { start, end }) => {
    const range = new Range();
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    let at = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const next = at + node.length;
      if (start >= at && start < next) range.setStart(node, start - at);
      if (end > at && end <= next) range.setEnd(node, end - at);
      at = next;
    }
    return range;
  };

  /** Within its own frame alone: the page stays where it is. */
  const bringIntoView = (code, range) => {
    const frame = code.closest("pre");
    const [line, room] = [range.getBoundingClientRect(), frame.getBoundingClientRect()];
    if (line.top < room.top || line.bottom > room.bottom) frame.scrollTop += line.top - room.top - room.height / 3;
  };

  let shown = null;
  const show = (row, code, isFromRow) => {
    if (row === shown) return;
    shown?.removeAttribute("data-marked");
    marks.delete("quire-row");
    shown = row;
    const place = row && code && placeOf(row, code);
    if (!place) return;
    const range = rangeOf(code, place);
    marks.set("quire-row", new Highlight(range));
    if (isFromRow) bringIntoView(code, range);
    else row.setAttribute("data-marked", "");
  };

  /** The row of the line that the pointer is on. */
  const rowAt = (code, event) => {
    const caret = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    const range = caret ? null : document.caretRangeFromPoint?.(event.clientX, event.clientY);
    const [node, offset] = caret ? [caret.offsetNode, caret.offset] : [range?.startContainer, range?.startOffset];
    if (!node || !code.contains(node)) return null;
    const before = new Range();
    before.setStart(code, 0);
    before.setEnd(node, offset);
    const at = before.toString().length;
    const line = linesOf(code).findLast(({ start, end }) => start <= at && at <= end);
    if (!line) return null;
    const isResponse = Boolean(code.closest("[aria-label='Response']"));
    const rows = document.querySelectorAll(
      isResponse ? ".reference-main [id^='response-'].row" : ".reference-main [id^='body-'].row",
    );
    const mine = [...rows].filter((row) => row.offsetParent && endsWith(line.path, pathOf(row)));
    return mine.sort((a, b) => pathOf(b).length - pathOf(a).length)[0] ?? null;
  };

  for (const sign of ["pointerover", "focusin"]) {
    document.addEventListener(sign, (event) => {
      const row = event.target.closest?.(".reference-main .row[id]");
      if (row) show(row, codeOf(kindOf(row)), true);
      else if (!event.target.closest?.(".reference-side")) show(null);
    });
  }
  let isBeside = false;
  document.addEventListener("pointermove", (event) => {
    const was = isBeside;
    isBeside = Boolean(event.target.closest?.(".reference-side"));
    if (!isBeside) return was && !event.target.closest?.(".reference-main .row[id]") && show(null);
    const code = event.target.closest("pre code");
    show(code ? rowAt(code, event) : null, code, false);
  });
})();
