// What values are put in with: a control for each kind of input. A control is `{element, value(), faults(), focus()}`;
// what is in a group that was not opened yet has no elements.

/** An element with attributes and children; texts are only ever texts. */
export const h = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
};

const paths = {
  check: "m5 12.5 4.5 4.5L19 7.500",
  chevron: "m9 6 6 6-6 6",
  copy: "M9 9.500A1.500 1.500 0 0 1 10.500 8h8A1.500 1.500 0 0 1 20 9.500v9a1.500 1.500 0 0 1-1.500 1.500h-8A1.500 1.500 0 0 1 9 18.500zM6 16h-.5A1.500 1.500 0 0 1 4 14.500v-9A1.500 1.500 0 0 1 5.500 4h9A1.500 1.500 0 0 1 16 5.500V6",
  down: "M12 5v14m6-6-6 6-6-6",
  eye: "M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12m6.500 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
  file: "M13.500 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8.500zm0 0v5.500H19",
  play: "M7 4.500v15l12-7.500z",
  plus: "M12 5v14M5 12h14",
  save: "M12 4v11m5-5-5 5-5-5M5 20h14",
  stop: "M7 7h10v10H7z",
  up: "M12 19V5m6 6-6-6-6 6",
  warning: "M12 4 2.500 20h19zm0 6v4m0 3v.01",
  x: "m6 6 12 12M18 6 6 18",
};
export const sign = (name) => {
  const template = document.createElement("template");
  template.innerHTML = `<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${paths[name]}"/></svg>`;
  return template.content.firstChild;
};
/** A button that does `act`; `name` is what it is called where it shows a sign only. */
export const button = (kind, act, content, name) =>
  h("button", { type: "button", class: `play-${kind}`, "aria-label": name, title: name, onclick: act }, content);

let last = 0;
const newId = () => `play-${++last}`;
const quietly = { spellcheck: "false", autocomplete: "off", autocapitalize: "off" };

/** A list to choose from; `entries` are labels. */
export const listBox = (entries, chosen, onchange, attributes = {}) => {
  const list = h("select", { class: "play-input", onchange: () => onchange(list.selectedIndex), ...attributes });
  entries.forEach((entry, i) => list.append(h("option", { value: i, selected: i === chosen }, entry)));
  return h("span", { class: "play-select" }, list, sign("chevron"));
};

/** What a branch is called; one without a name is counted, or says what it requires. */
const branchName = ({ label }) =>
  label
    .replace(/^Option (\d+)$/, (_, number) => say("OptionNumber", "Option {}", number))
    .replace(/ required$/, () => ` ${say("Required", "required")}`);

const kinds = {
  text: ({ type }) => ({ text: "string", "datetime-local": "date-time", url: "uri" })[type] ?? type,
  number: ({ integer }) => (integer ? "integer" : "number"),
  boolean: () => "boolean",
  choice: () => "enum",
  list: ({ item }) => say("ArrayOf", "array of {}", item.input === "union" ? `(${kindName(item)})` : kindName(item)),
  object: () => "object",
  union: ({ branches }) =>
    branches.length === 2
      ? branches.map(branchName).join(` ${say("Or", "or")} `)
      : say("Options", "{} options", branches.length),
  json: () => "any",
  file: () => "file",
};
const kindName = (input) => kinds[input.input](input);
const isChips = ({ item, input }) => input === "list" && item.input === "choice" && item.values.length <= 24;
/** Whether an input holds others, which stand in a group that opens. */
const isGroup = (input) => ["object", "union"].includes(input.input) || (input.input === "list" && !isChips(input));

const hints = {
  date: "2026-01-31",
  "datetime-local": "2026-01-31T09:30:00Z",
  email: "name@example.com",
  url: "https://example.com",
};

/**
 * The controls. `value` is what they begin with. `about` has `label`, `isRequired`, `keepsEmpty` (whether an empty list
 * is a value), `allowsEmpty` (whether an empty text is one), `describedBy`, `changed`, `settle` (which does something
 * when nothing is being pressed), `isAsked` (whether the reader tried to send it), `place` (the id of the row of the
 * page) and `depth`.
 */
const controls = {
  text: (input, value, about) => {
    const field = h(input.multiline ? "textarea" : "input", {
      class: "play-input",
      type: input.multiline ? undefined : input.type === "password" ? "password" : "text",
      inputmode: { email: "email", url: "url" }[input.type],
      // What tells an empty field from another, for the look.
      placeholder: about.example ?? hints[input.type] ?? " ",
      rows: input.multiline ? 3 : undefined,
      ...named(about),
      ...quietly,
      oninput: about.changed,
    });
    field.value = value ?? "";
    if (!about.allowsEmpty) return leaf(field, () => field.value || undefined, input, about);
    const empty = button(
      "empty",
      () => {
        empty.setAttribute("aria-pressed", String(empty.getAttribute("aria-pressed") !== "true"));
        about.changed();
      },
      say("SendEmpty", "Send empty"),
    );
    empty.setAttribute("aria-pressed", String(value === ""));
    const read = () => field.value || (empty.getAttribute("aria-pressed") === "true" ? "" : undefined);
    return leaf(h("span", { class: "play-with-empty" }, field, empty), read, input, about, field);
  },

  number: (input, value, about) => {
    const isPositive = input.min && compareNumbers(input.min.number.text, "0") >= 0;
    const field = h("input", {
      class: "play-input",
      type: "text",
      // Keyboards for numbers have no minus.
      inputmode: isPositive ? (input.integer ? "numeric" : "decimal") : undefined,
      ...named(about),
      ...quietly,
      oninput: about.changed,
    });
    field.value = value === undefined ? "" : textOf(value);
    const read = () => {
      const text = field.value.trim();
      if (!text) return undefined;
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? new Raw(text) : text;
    };
    return leaf(field, read, input, about);
  },

  boolean: (input, value, about) => {
    const words = ["true", "false"];
    let at = value === undefined ? -1 : words.indexOf(value.text);
    const choose = (i) => {
      at = i - 1;
      about.changed();
    };
    const box = listBox([say("NotSet", "Not set"), ...words], at + 1, choose, named(about));
    return leaf(box, () => (at < 0 ? undefined : new Raw(words[at])), input, about, box.firstChild);
  },

  choice: (input, value, about) => {
    const texts = input.values.map(jsonText);
    let at = value === undefined ? -1 : texts.indexOf(jsonText(value));
    const choose = (i) => {
      at = i - 1;
      about.changed();
    };
    const labels = input.values.map((one) => (one === "" ? '""' : textOf(one)));
    const box = listBox([say("NotSet", "Not set"), ...labels], at + 1, choose, named(about));
    return leaf(box, () => input.values[at], input, about, box.firstChild);
  },

  list: (input, value, about) => (isChips(input) ? chips : items)(input, value, about),

  object: (input, value, about) => {
    const fields = input.fields.map((field) =>
      row(
        {
          ...about,
          label: field.name,
          isRequired: field.required,
          place: about.place && `${about.place}-${field.name}`,
        },
        field,
        value?.get(field.name) ?? fixedOf(field),
      ),
    );
    const fixed = new Set(input.fields.filter(fixedOf).map(({ name }) => name));
    const known = new Set(input.fields.map(({ name }) => name));
    const extras = value ? [...value].filter(([key]) => !known.has(key)) : [];
    const others = input.others || extras.length ? entries(input.others ?? { input: "json" }, extras, about) : null;
    const isEmptyKept = value instanceof Map && !value.size;
    // What was typed as JSON keeps its order.
    const given = value ? [...value.keys()] : [];
    const places = given
      .map((key) => input.fields.findIndex(({ name }) => name === key))
      .map((at) => (at < 0 ? Infinity : at));
    const isSorted = places.every((at, i) => i === 0 || places[i - 1] <= at);
    const read = () => {
      const pairs = [...fields.map((field, i) => [input.fields[i].name, field.value()]), ...(others?.pairs() ?? [])];
      const found = new Map(pairs.filter(([, member]) => member !== undefined));
      const keys = isSorted
        ? [...found.keys()]
        : [...new Set([...given, ...found.keys()])].filter((key) => found.has(key));
      // What has one value only is sent with something else, not by itself.
      const isSaid = value !== undefined || [...found.keys()].some((key) => !fixed.has(key));
      return (found.size && isSaid) || about.isRequired || isEmptyKept
        ? new Map(keys.map((key) => [key, found.get(key)]))
        : undefined;
    };
    return {
      element: h(
        "div",
        { class: "play-fields" },
        fields.map(({ element }) => element),
        others?.element,
      ),
      value: read,
      // Nothing is wrong with the parts of what is not sent.
      faults: () =>
        read() === undefined ? [] : [...fields.flatMap((field) => field.faults()), ...(others?.faults() ?? [])],
      focus: () => (fields[0] ?? others)?.focus(),
    };
  },

  union: (input, value, about) => {
    let at = Math.max(
      0,
      input.branches.findIndex((branch) => value !== undefined && fitsWhole(branch, value)),
    );
    const holder = h("div", { class: "play-branch" });
    let current = null;
    const show = (next) => {
      current = control(input.branches[at], next, {
        ...about,
        label: branchName(input.branches[at]),
        place: about.place && `${about.place}~${input.branches[at].label}`,
      });
      holder.replaceChildren(current.element);
    };
    const choose = (i) => {
      const before = current.value();
      at = i;
      const branch = input.branches[at];
      let next = initialOf(branch, undefined, true);
      if (before instanceof Map && branch.input === "object") {
        // Values of shared names stay.
        next = next ?? new Map();
        const shared = branch.fields.filter(({ name, ...field }) => before.has(name) && fits(field, before.get(name)));
        for (const { name, input: kind, values } of shared) {
          // A name with one value only is what tells the branches apart.
          if (!(kind === "choice" && values.length === 1)) next.set(name, before.get(name));
        }
      } else if (before !== undefined && fits(branch, before)) next = before;
      show(next);
      about.changed();
    };
    const box = listBox(input.branches.map(branchName), at, choose, {
      "aria-label": say("KindOf", "Kind of {}", about.label),
    });
    show(value);
    return {
      element: h("div", { class: "play-union" }, box, holder),
      value: () => current.value(),
      faults: () => current.faults(),
      focus: () => box.firstChild.focus(),
    };
  },

  json: (input, value, about) => {
    const field = h("textarea", {
      class: "play-input play-code",
      rows: 2,
      placeholder: "JSON",
      ...named(about),
      ...quietly,
      oninput: about.changed,
    });
    field.value = value === undefined ? "" : prettyJson(value);
    const read = () => {
      if (!field.value.trim()) return undefined;
      try {
        return parseJson(field.value);
      } catch {
        return new Raw(field.value);
      }
    };
    const wrong = () => {
      try {
        if (field.value.trim()) parseJson(field.value);
        return null;
      } catch (error) {
        return error.message;
      }
    };
    return leaf(field, read, input, about, field, wrong);
  },

  file: (input, value, about) => {
    let file = value instanceof Blob ? value : undefined;
    const field = h("input", {
      type: "file",
      class: "play-file-input",
      ...named(about),
      onchange: () => put(field.files[0]),
    });
    const name = h("span", { class: "play-file-name" });
    const clear = button("quiet", () => put(undefined), sign("x"), say("RemoveOf", "Remove {}", about.label));
    const show = () => {
      name.textContent = file ? `${file.name} (${sizeOf(file.size)})` : say("ChooseFile", "Choose a file");
      clear.hidden = !file;
    };
    const put = (next) => {
      file = next;
      if (!next) field.value = "";
      show();
      about.changed();
    };
    show();
    const picker = h("label", { class: "play-file" }, field, sign("file"), name);
    return leaf(h("span", { class: "play-file-line" }, picker, clear), () => file, input, about, field);
  },
};

/** The one value of a field that must be there. */
const fixedOf = ({ required, input, values }) =>
  required && input === "choice" && values.length === 1 ? values[0] : undefined;

const named = ({ id, describedBy, label }) => (id ? { id, "aria-describedby": describedBy } : { "aria-label": label });

/** A size for people. */
export const sizeOf = (bytes) =>
  bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** A control of one field. */
const leaf = (element, value, input, about, field = element, wrong = () => null) => {
  const faults = () => {
    const broken = wrong();
    const message = broken ?? faultOf(input, value(), about.isRequired);
    if (field.setAttribute) field.setAttribute("aria-invalid", String(Boolean(message) && about.isTold?.() !== false));
    return message ? [{ way: [], message, blocks: broken !== null, focus: () => field.focus() }] : [];
  };
  return { element, value, faults, focus: () => field.focus() };
};

/** A list of values to choose from, each of them or none. */
const chips = (input, value, about) => {
  const texts = input.item.values.map(jsonText);
  const chosen = new Set((value ?? []).map(jsonText));
  // What the list does not name stays.
  const rest = (value ?? []).filter((one) => !texts.includes(jsonText(one)));
  const boxes = input.item.values.map((one, i) => {
    const box = h("input", { type: "checkbox", checked: chosen.has(texts[i]), onchange: about.changed });
    return { box, label: h("label", { class: "play-chip" }, box, h("span", {}, textOf(one))) };
  });
  const read = () => {
    const found = [...input.item.values.filter((_, i) => boxes[i].box.checked), ...rest];
    return found.length || (about.keepsEmpty && about.isRequired) || value?.length === 0 ? found : undefined;
  };
  const group = h(
    "div",
    { class: "play-chips", role: "group", "aria-label": about.label, "aria-describedby": about.describedBy },
    boxes.map(({ label }) => label),
  );
  return leaf(group, read, input, about, { focus: () => boxes[0]?.box.focus() });
};

/** A list whose items are added, removed and moved. */
const items = (input, value, about) => {
  const holder = h("ol", { class: "play-items" });
  let list = [];
  const told = h("span", { class: "play-hidden", role: "status" });
  const name = (i) => `${about.label} ${i + 1}`;
  const draw = () => {
    holder.replaceChildren(...list.map(({ element }) => element));
    list.forEach((item, i) => item.place(i));
  };
  const make = (first) => {
    const item = control(input.item, first, {
      ...about,
      id: undefined,
      describedBy: undefined,
      label: about.label,
      isRequired: false,
      keepsEmpty: true,
      allowsEmpty: false,
      depth: about.depth + 1,
    });
    const at = () => list.indexOf(made);
    const move = (step) => {
      const [from, to] = [at(), at() + step];
      if (to < 0 || to >= list.length) return;
      list.splice(to, 0, ...list.splice(from, 1));
      draw();
      told.textContent = say("MovedTo", "Moved to place {}", `${to + 1} / ${list.length}`);
      (step < 0 ? up : down).focus();
      about.changed();
    };
    const up = button("quiet", () => move(-1), sign("up"), say("MoveUp", "Move {} up", about.label));
    const down = button("quiet", () => move(1), sign("down"), say("MoveDown", "Move {} down", about.label));
    const remove = button(
      "quiet",
      () => {
        const from = at();
        list.splice(from, 1);
        draw();
        told.textContent = say("Removed", "Removed. Left: {}", list.length);
        (list[Math.min(from, list.length - 1)] ?? { focus: () => add.focus() }).focus();
        about.changed();
      },
      sign("x"),
      say("RemoveOf", "Remove {}", about.label),
    );
    const made = {
      element: h(
        "li",
        { class: "play-item" },
        h("div", { class: "play-item-value" }, item.element),
        h("div", { class: "play-item-tools" }, up, down, remove),
      ),
      // An item that was added is there, even if nothing was typed: an empty text is a text.
      value: () => item.value() ?? (input.item.input === "text" ? "" : undefined),
      faults: () => item.faults().map((fault) => ({ ...fault, way: [String(at() + 1), ...fault.way] })),
      focus: item.focus,
      place: (i) => {
        const field = item.element.matches?.("input, textarea, select")
          ? item.element
          : item.element.querySelector("[aria-label]");
        if (!isGroup(input.item)) field?.setAttribute("aria-label", name(i));
        up.setAttribute("aria-label", say("MoveUp", "Move {} up", name(i)));
        down.setAttribute("aria-label", say("MoveDown", "Move {} down", name(i)));
        remove.setAttribute("aria-label", say("RemoveOf", "Remove {}", name(i)));
        up.disabled = i === 0;
        down.disabled = i === list.length - 1;
      },
    };
    return made;
  };
  const add = button("add", () => {
    list.push(make(initialOf(input.item, undefined, true)));
    draw();
    list.at(-1).focus();
    about.changed();
  }, [sign("plus"), say("AddItem", "Add item")]);
  add.setAttribute("aria-label", `${say("AddItem", "Add item")}: ${about.label}`);
  list = (value ?? []).map(make);
  draw();
  const read = () => {
    const found = list.map((item) => item.value()).filter((item) => item !== undefined);
    return found.length || (about.keepsEmpty && about.isRequired) || value?.length === 0 ? found : undefined;
  };
  return {
    element: h("div", { class: "play-list" }, holder, add, told),
    value: read,
    faults: () => {
      const own = faultOf(input, read(), about.isRequired);
      return [
        ...(own ? [{ way: [], message: own, blocks: false, focus: () => add.focus() }] : []),
        ...list.flatMap((item) => item.faults()),
      ];
    },
    focus: () => (list[0] ?? { focus: () => add.focus() }).focus(),
  };
};

/** Members with names of the reader's. */
const entries = (input, extras, about) => {
  const holder = h("div", { class: "play-entries" });
  let list = [];
  const make = ([key, value]) => {
    const name = h("input", {
      class: "play-input play-key",
      type: "text",
      placeholder: say("FieldName", "Field name"),
      "aria-label": `${say("FieldName", "Field name")}: ${about.label}`,
      ...quietly,
      oninput: about.changed,
    });
    name.value = key;
    const inner = control(input, value, {
      ...about,
      id: undefined,
      describedBy: undefined,
      label: say("Value", "Value"),
      isRequired: false,
      keepsEmpty: true,
      allowsEmpty: false,
      depth: about.depth + 1,
    });
    const remove = button(
      "quiet",
      () => {
        list = list.filter((one) => one !== made);
        made.element.remove();
        add.focus();
        about.changed();
      },
      sign("x"),
      say("RemoveOf", "Remove {}", key || about.label),
    );
    const made = {
      element: h("div", { class: "play-entry" }, name, h("div", { class: "play-item-value" }, inner.element), remove),
      pair: () => [name.value, name.value ? (inner.value() ?? (input.input === "text" ? "" : undefined)) : undefined],
      faults: () => inner.faults().map((fault) => ({ ...fault, way: [name.value, ...fault.way] })),
      focus: () => name.focus(),
    };
    return made;
  };
  const add = button("add", () => {
    const made = make(["", undefined]);
    list.push(made);
    holder.append(made.element);
    made.focus();
    about.changed();
  }, [sign("plus"), say("AddField", "Add field")]);
  add.setAttribute("aria-label", `${say("AddField", "Add field")}: ${about.label}`);
  list = extras.map(make);
  holder.append(...list.map(({ element }) => element));
  return {
    element: h("div", { class: "play-others" }, holder, add),
    pairs: () => list.map((one) => one.pair()),
    faults: () => list.flatMap((one) => one.faults()),
    focus: () => add.focus(),
  };
};

/** The control of an input; what it cannot show is edited as JSON, so that nothing is lost. */
export const control = (input, value, about) => {
  const shown = fits(input, value) ? input : { input: "json" };
  return controls[shown.input](shown, value, about);
};

/** The beginning of what the page says of a row. */
const hintOf = (place) => {
  const text =
    place && document.getElementById(place)?.querySelector(":scope > .reference-text > p")?.textContent.trim();
  return text && (text.length > 180 ? `${text.slice(0, 180).replace(/\s+\S*$/, "")} …` : text);
};

/**
 * A row: name, kind, control, what the page says of it and what is wrong with the value. Groups open, and are drawn
 * then.
 */
export const row = (about, input, value) => {
  const { label, isRequired, place, depth = 0 } = about;
  const id = newId();
  const hint = hintOf(place);
  const head = [
    h("span", { class: "play-name" }, label),
    " ",
    h("span", { class: "play-kind" }, kindName(input)),
    " ",
    isRequired && h("span", { class: "play-required" }, say("Required", "required")),
  ];
  const wrong = h("p", { class: "play-wrong", id: `${id}-wrong`, hidden: true });
  let isTouched = false;
  const tell = (faults) => {
    const own = faults.find(({ way }) => !way.length);
    wrong.textContent = own?.message ?? "";
    wrong.hidden = !own || !(isTouched || about.isAsked());
  };
  const inner = { ...about, depth: depth + 1, isTold: () => isTouched || about.isAsked() };
  const describedBy = [hint && `${id}-hint`, `${id}-wrong`].filter(Boolean).join(" ");
  const told = hint && h("p", { class: "play-hint", id: `${id}-hint` }, hint);
  const withName = (faults) => {
    tell(faults);
    return faults.map((fault) => ({ ...fault, way: [label, ...fault.way] }));
  };

  if (!isGroup(input)) {
    const isLabelled = !isChips(input) || !fits(input, value);
    const made = control(input, value, { ...inner, id: isLabelled ? id : undefined, describedBy });
    const leave = () => {
      isTouched = true;
      tell(made.faults());
    };
    const element = h(
      "div",
      { class: "play-row", onfocusout: () => about.settle(leave) },
      h(isLabelled ? "label" : "div", { class: "play-label", for: isLabelled ? id : undefined }, head),
      told,
      made.element,
      wrong,
    );
    return { element, value: made.value, faults: () => withName(made.faults()), focus: made.focus };
  }

  let made = null;
  const body = h("div", { class: "play-group-body" });
  const build = () => {
    if (made) return;
    made = control(input, value, inner);
    body.append(made.element);
  };
  const isOpen = isRequired && depth < 2 && (input.fields?.length ?? 0) <= 12;
  const group = h(
    "details",
    { class: "play-group", open: isOpen, ontoggle: build },
    h("summary", {}, sign("chevron"), head),
    told,
    body,
    wrong,
  );
  if (isOpen) build();
  const open = () => {
    group.open = true;
    build();
  };
  // What is in a group that was never opened is what it begins with.
  const unopened = () =>
    faultsOf(input, value, isRequired).map(([way, message]) => ({
      way,
      message,
      blocks: false,
      focus: () => {
        open();
        made.focus();
      },
    }));
  return {
    element: group,
    value: () => (made ? made.value() : value),
    faults: () =>
      withName(
        made
          ? made.faults().map((fault) => ({
              ...fault,
              focus: () => {
                open();
                fault.focus();
              },
            }))
          : unopened(),
      ),
    focus: () => {
      open();
      made.focus();
    },
  };
};
