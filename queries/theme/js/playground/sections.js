// The sections of the form: server, authorization, body. Each has an element and tells what was typed.
const section = (title, ...children) => h("section", { class: "play-section" }, h("h3", {}, title), children);

/** The chooser of the base address, with a field for each of its variables. */
const serverOf = (island, start, changed) => {
  let at = Math.max(
    0,
    island.servers.findIndex(({ url }) => url === start.url),
  );
  const values = { ...start.variables };
  const fields = h("div", { class: "play-fields" });
  const draw = () => {
    const { variables = [] } = island.servers[at];
    fields.replaceChildren(
      ...variables.map(({ name, default: usual, values: listed = [] }) => {
        const id = newId();
        const put = (value) => {
          values[name] = value;
          changed();
        };
        const all = listed.includes(usual) ? listed : [usual, ...listed];
        const field = listed.length
          ? listBox(all, Math.max(0, all.indexOf(values[name] ?? usual)), (i) => put(all[i]), { id })
          : h("input", {
              class: "play-input",
              id,
              type: "text",
              ...quietly,
              oninput: (event) => put(event.target.value),
            });
        if (!listed.length) field.value = values[name] ?? usual;
        return h(
          "div",
          { class: "play-row" },
          h("label", { class: "play-label", for: id }, h("span", { class: "play-name" }, name)),
          field,
        );
      }),
    );
  };
  draw();
  const choose = (i) => {
    at = i;
    draw();
    changed();
  };
  const labels = island.servers.map(({ url, label, isMock }) =>
    isMock || label === url ? label : `${url} – ${label}`,
  );
  const hasChoice = island.servers.length > 1;
  const isShown = hasChoice || island.servers.some(({ variables }) => variables?.length);
  const element = isShown
    ? section(
        say("Server", "Server"),
        hasChoice && listBox(labels, at, choose, { "aria-label": say("BaseUrl", "Base URL"), "data-servers": true }),
        fields,
      )
    : null;
  const put = (chosen) => {
    const to = island.servers.findIndex(({ url }) => url === chosen.url);
    if (to >= 0) at = to;
    Object.assign(values, chosen.variables);
    const list = element?.querySelector("[data-servers]");
    if (list) list.selectedIndex = at;
    draw();
  };
  return { element, put, read: () => ({ server: at, variables: { ...values }, url: island.servers[at].url }) };
};

/** What a kind of credential is called. The page's data have it in English, as programs read them. */
const schemeName = ({ label }) => {
  const at = {
    "API key in header": "KeyInHeader",
    "API key in query": "KeyInQuery",
    "API key in cookie": "KeyInCookie",
    "client certificate": "ClientCertificate",
    "unknown scheme": "UnknownScheme",
  };
  return at[label] ? say(at[label], label) : label;
};

const alternativesOf = (island) => {
  const alternatives = island.security ?? [];
  return alternatives.length && island.securityOptional ? [...alternatives, []] : alternatives;
};

/**
 * The rows of what proves who sends the request. `relay` is the address that passes requests on, `base` tells that of
 * the API, `filled` puts the variables of its server into an address.
 */
const securityOf = (island, memory, start, changed, { relay, base, filled }) => {
  const isRelayed = Boolean(relay);
  const alternatives = alternativesOf(island);
  if (!alternatives.length) return { element: null, read: () => ({ alternative: 0, auth: {} }) };
  let at = Math.min(start ?? 0, alternatives.length - 1);
  const { given, isRemembered } = memory.auth();
  const remembered = h("input", { type: "checkbox", checked: isRemembered, onchange: () => keep() });
  const keep = () => {
    memory.keepAuth(given, remembered.checked);
    changed();
  };
  const rows = h("div", { class: "play-fields" });
  // What ends the sign-ins that wait, and shows the addresses of the chosen server.
  const forget = [];
  const updates = [];
  const secret = (scheme, part, label, hint, isSecret = true) => {
    const id = newId();
    const field = h("input", {
      class: "play-input",
      id,
      type: isSecret ? "password" : "text",
      placeholder: hint,
      ...quietly,
      oninput: () => {
        // What is known of a token is not known of another.
        given[scheme.key] = { ...given[scheme.key], [part]: field.value, expires: undefined, refresh: undefined };
        keep();
      },
    });
    field.value = given[scheme.key]?.[part] ?? (part === "value" ? (scheme.prefill ?? "") : "");
    if (field.value && !given[scheme.key]) given[scheme.key] = { [part]: field.value };
    const reveal = button(
      "quiet",
      () => {
        const isHidden = field.type === "password";
        field.type = isHidden ? "text" : "password";
        reveal.setAttribute("aria-pressed", String(isHidden));
      },
      sign("eye"),
      say("Show", "Show {}", label),
    );
    reveal.setAttribute("aria-pressed", "false");
    return h(
      "div",
      { class: "play-row" },
      h(
        "label",
        { class: "play-label", for: id },
        h("span", { class: "play-name" }, label),
        " ",
        h("span", { class: "play-kind" }, schemeName(scheme)),
      ),
      h("span", { class: "play-secret" }, field, isSecret && reveal),
    );
  };
  const ofScheme = (scheme) => {
    if (scheme.kind === "basic")
      return [
        secret(scheme, "user", say("UserName", "User name"), "", false),
        secret(scheme, "password", say("Password", "Password"), ""),
      ];
    if (scheme.kind === "none") {
      return h(
        "p",
        { class: "play-note" },
        say(
          "NotTakePart",
          "{} is not sent from here: a page cannot take part in it.",
          `${scheme.key} (${schemeName(scheme)})`,
        ),
      );
    }
    const row = secret(
      scheme,
      "value",
      scheme.kind === "bearer" ? scheme.key : scheme.name,
      scheme.kind === "bearer" ? say("PasteToken", "Paste a token") : "",
    );
    const isLost = scheme.in === "cookie" && !isRelayed;
    const flows = scheme.flows?.length
      ? flowsOf(scheme, given, {
          relay,
          base,
          filled,
          keep,
          take: (token) => {
            row.querySelector("input").value = token;
          },
        })
      : null;
    if (flows) forget.push(flows.forget);
    if (flows) updates.push(flows.update);
    return [
      row,
      flows?.element,
      isLost &&
        h(
          "p",
          { class: "play-note" },
          say("CookieLost", "Browsers let no page set the cookies of another site, so this one is not sent from here."),
        ),
    ];
  };
  const draw = () => {
    for (const one of forget.splice(0)) one();
    updates.length = 0;
    rows.replaceChildren(...alternatives[at].flatMap(ofScheme).filter(Boolean));
    // Nothing to remember where nothing is typed.
    foot.hidden = !rows.querySelector("input");
  };
  const labels = alternatives.map((schemes) => alternativeName(schemes) || say("NoAuthorization", "No authorization"));
  const chooser =
    alternatives.length > 1 &&
    listBox(
      labels,
      at,
      (i) => {
        at = i;
        draw();
        // Other pages of the specification begin with it.
        memory.keepShared({ ...memory.shared(), alternative: alternativeName(alternatives[i]) });
        changed();
      },
      { "aria-label": say("Authorization", "Authorization") },
    );
  const clear = button(
    "small",
    () => {
      for (const key of Object.keys(given)) delete given[key];
      remembered.checked = false;
      memory.clearAuth();
      for (const field of rows.querySelectorAll("input:not([type='checkbox'])")) field.value = "";
      for (const one of forget) one();
      changed();
    },
    say("Clear", "Clear"),
  );
  clear.title = say("ClearAbout", "Forgets every credential that was typed on this site");
  const foot = h(
    "div",
    { class: "play-remember" },
    h("label", { class: "play-check" }, remembered, h("span", {}, say("Remember", "Remember on this device"))),
    clear,
  );
  draw();
  return {
    element: section(say("Authorization", "Authorization"), chooser, rows, foot),
    update: () => updates.forEach((one) => one()),
    read: () => ({ alternative: at, auth: given }),
  };
};

/**
 * The chooser of environments: servers, variables and credentials by a name. `read` returns those of the form, `use`
 * puts others into it.
 */
const environmentOf = (memory, { read, use }) => {
  const box = h("details", { class: "play-environment" });
  const chosen = () => memory.shared().environment;
  const choose = (name) => memory.keepShared({ ...memory.shared(), environment: name });
  const draw = (takesFocus) => {
    const all = memory.environments();
    const names = Object.keys(all).sort();
    const at = names.indexOf(chosen());
    const list = listBox(
      [say("EnvironmentNone", "None"), ...names],
      at + 1,
      (i) => {
        choose(names[i - 1]);
        if (i > 0) use(all[names[i - 1]]);
        draw(true);
      },
      { "aria-label": say("Environment", "Environment") },
    );
    const field = h("input", {
      class: "play-input",
      type: "text",
      maxlength: 60,
      "aria-label": say("EnvironmentName", "Name of the environment"),
      placeholder: say("EnvironmentName", "Name of the environment"),
      ...quietly,
    });
    field.value = names[at] ?? "";
    const save = button(
      "small",
      () => {
        const name = field.value.trim();
        if (!name) return field.focus();
        memory.keepEnvironment(name, read());
        choose(name);
        draw(true);
      },
      say("EnvironmentSave", "Save environment"),
    );
    const remove = button(
      "small",
      () => {
        memory.keepEnvironment(names[at], undefined);
        choose(undefined);
        draw(true);
      },
      say("EnvironmentDelete", "Delete environment"),
    );
    remove.disabled = at < 0;
    box.replaceChildren(
      h(
        "summary",
        {},
        sign("chevron"),
        say("Environment", "Environment"),
        at < 0 ? null : h("span", { class: "play-facts" }, names[at]),
      ),
      h(
        "div",
        { class: "play-fields" },
        list,
        h("div", { class: "play-environment-line" }, field, save, remove),
        h(
          "p",
          { class: "play-quiet-note" },
          say("EnvironmentAbout", "Server, variables and credentials, kept in this browser until you delete them."),
        ),
      ),
    );
    if (takesFocus) list.firstChild.focus();
  };
  draw(false);
  return { element: box };
};

/** The place where a command of curl is read into the form; `take` puts what it says there. */
const importOf = (island, take) => {
  const area = h("textarea", {
    class: "play-input play-code",
    rows: 3,
    "aria-label": say("ImportCurl", "Import a curl command"),
    placeholder: "curl …",
    ...quietly,
  });
  const told = h("p", { class: "play-quiet-note", role: "status" });
  const fill = button(
    "small",
    () => {
      const { error, left, ...found } = importCurl(island, area.value);
      if (!error) take(found);
      told.classList.toggle("play-wrong", Boolean(error));
      told.textContent = error ?? (left.length ? say("CurlLeft", "Not taken over: {}", left.join(", ")) : "");
      // It may hold credentials, which nothing shows longer than it must.
      if (!error) area.value = "";
      (error ? area : fill).focus();
    },
    say("CurlTake", "Fill in the form"),
  );
  return h(
    "details",
    { class: "play-import" },
    h("summary", {}, sign("chevron"), say("ImportCurl", "Import a curl command")),
    h("div", { class: "play-fields" }, area, h("div", {}, fill), told),
  );
};

/** One form of the body. `start` is what was typed before. */
const bodyOfForm = (island, form, start, about) => {
  const kind = kindOf(form);
  const isWild = form.media.includes("*") || kind === "text";
  const mediaField = h("input", {
    class: "play-input",
    type: "text",
    "aria-label": "Content-Type",
    ...quietly,
    oninput: about.changed,
  });
  // The type of a file is that of the file, unless something else is typed.
  mediaField.value = start?.media ?? (kind === "file" ? "" : form.media === "*/*" ? "application/json" : form.media);
  const media = () => (isWild ? mediaField.value : undefined);
  const hasForm = (kind !== "text" && Boolean(form.input && form.input.input !== "json")) || kind === "multipart";
  const input = hasForm
    ? form.input?.input === "json" || !form.input
      ? { input: "object", fields: [], others: { input: "text", type: "text" } }
      : form.input
    : null;
  const canBeText = kind !== "multipart" && kind !== "file";
  const sampleValue = () =>
    kind === "json" || kind === "form" || kind === "multipart"
      ? keptValue(kind === "json" ? form.sample : undefined)
      : undefined;
  const beginning = () => {
    const kept = keptValue(start?.value);
    if (kept !== undefined) return kept;
    return (island.prefilled && sampleValue()) || (input && initialOf(input, undefined, island.bodyRequired));
  };

  let mode = input && start?.text === undefined ? "form" : "text";
  let made = null;
  let text = start?.text ?? (input ? "" : form.sample);
  // The text that the form was made of: as long as nothing changes there, it is sent as it was typed.
  let typed = null;
  const holder = h("div", { class: "play-body-form" });
  const ofForm = {
    ...about,
    label: say("Body", "Body"),
    isRequired: Boolean(island.bodyRequired),
    keepsEmpty: true,
    allowsEmpty: kind !== "file",
    place: "body",
    depth: 0,
  };
  const drawForm = (value) => {
    made = control(input, value, {
      ...ofForm,
      id: undefined,
      changed: () => {
        typed = null;
        about.changed();
      },
    });
    holder.replaceChildren(made.element);
  };
  const area = h("textarea", {
    class: "play-input play-code play-raw",
    rows: 10,
    "aria-label": say("BodyText", "Body as text"),
    ...quietly,
    oninput: () => {
      text = area.value;
      wrong.textContent = errorOf() ?? "";
      about.changed();
    },
  });
  const wrong = h("p", { class: "play-wrong" });
  const errorOf = () => {
    if (kind !== "json" || !text.trim()) return null;
    try {
      parseJson(text);
      return null;
    } catch (error) {
      return error.message;
    }
  };
  const drawText = () => {
    area.value = text;
    wrong.textContent = errorOf() ?? "";
    holder.replaceChildren(area, wrong);
  };
  const toText = () => {
    const value = made?.value();
    text = typed ?? (value === undefined ? "" : kind === "json" ? prettyJson(value) : bodyOf(form, { value }).text);
    mode = "text";
    drawText();
  };
  const toForm = () => {
    const blank = !text.trim();
    if (kind === "json" && errorOf()) {
      wrong.textContent = errorOf();
      area.focus();
      return false;
    }
    drawForm(blank ? undefined : parseJson(text));
    typed = blank ? null : text;
    mode = "form";
    return true;
  };
  const modes =
    input &&
    kind === "json" &&
    h(
      "div",
      { class: "play-modes", role: "group", "aria-label": say("Body", "Body") },
      ["form", "text"].map((wanted) =>
        button(
          "mode",
          () => {
            const isOther = wanted !== mode;
            if (isOther && wanted === "text") toText();
            if (isOther && (wanted === "text" || toForm())) mark();
            about.changed();
          },
          wanted === "form" ? say("FormMode", "Form") : "JSON",
        ),
      ),
    );
  const mark = () => {
    for (const [i, one] of [...(modes?.children ?? [])].entries())
      one.setAttribute("aria-pressed", String((i === 0) === (mode === "form")));
  };
  const sample =
    form.sample &&
    canBeText &&
    button(
      "small",
      () => {
        if (mode === "form" && kind === "json" && sampleValue() !== undefined) drawForm(sampleValue());
        else {
          text = form.sample;
          mode = "text";
          drawText();
          mark();
        }
        about.changed();
      },
      say("UseExample", "Use the example"),
    );
  if (mode === "form") drawForm(beginning());
  else drawText();
  mark();

  return {
    element: h(
      "div",
      { class: "play-body-editor" },
      (modes || sample) && h("div", { class: "play-body-bar" }, modes, sample),
      isWild &&
        h(
          "label",
          { class: "play-row" },
          h("span", { class: "play-label" }, h("span", { class: "play-name" }, "Content-Type")),
          mediaField,
        ),
      holder,
    ),
    read: () =>
      mode === "form" && typed === null
        ? { value: made.value(), media: media() }
        : { text: mode === "form" ? typed : text, media: media() },
    faults: () => {
      if (mode === "form") return made.faults();
      const message = errorOf();
      if (message) return [{ way: [say("Body", "Body")], message, blocks: true, focus: () => area.focus() }];
      const value = input && kind === "json" && text.trim() ? parseJson(text) : undefined;
      return value === undefined
        ? []
        : faultsOf(form.input, value, true).map(([way, told]) => ({
            way,
            message: told,
            blocks: false,
            focus: () => area.focus(),
          }));
    },
    kept: () => {
      if (mode === "text") return asksSecret(form.input) || text.length > maxKept ? {} : { text, media: media() };
      return { value: keptText(input, made.value()), media: media() };
    },
  };
};

/** The body: its forms, one of which is chosen. */
const bodiesOf = (island, start, about) => {
  const forms = island.bodies ?? [];
  if (!forms.length) return { element: null, read: () => ({ index: 0 }), faults: () => [], kept: () => ({}) };
  if (island.dropsBody) {
    const words = say(
      "BodyDropped",
      "The body of a {} request is not sent from here: browsers cannot. The samples of the page have it.",
      island.method,
    );
    return {
      element: section(say("Body", "Body"), h("p", { class: "play-note" }, words)),
      read: () => ({ index: -1 }),
      faults: () => [],
      kept: () => ({}),
    };
  }
  // As on the page: what was chosen before, else plain JSON, else any JSON, else the first.
  const wanted = [
    ({ media }) => media === start?.of,
    ({ media }) => mediaOf(media) === "application/json",
    ({ media }) => isJsonMedia(media),
    () => true,
  ];
  let at = wanted.map((is) => forms.findIndex(is)).find((found) => found >= 0);
  const holder = h("div");
  let editor = null;
  const draw = (kept) => {
    editor = bodyOfForm(island, forms[at], kept, about);
    holder.replaceChildren(editor.element);
  };
  draw(start);
  const chooser =
    forms.length > 1
      ? listBox(
          forms.map(({ media }) => media),
          at,
          (i) => {
            at = i;
            draw();
            about.changed();
          },
          { "aria-label": say("BodyMedia", "Media type of the body") },
        )
      : h("code", { class: "play-media-name" }, forms[0].media);
  const made = section(say("Body", "Body"), holder);
  made.firstChild.after(chooser);
  made.classList.add("play-body-section");
  return {
    element: made,
    read: () => ({ index: at, ...editor.read() }),
    faults: () => editor.faults(),
    kept: () => ({ of: forms[at].media, ...editor.kept() }),
  };
};
