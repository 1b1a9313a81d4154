// The panel over the page: the form of the request at one side, what came back at the other.
const places = () => ({
  path: say("PathParameters", "Path parameters"),
  query: say("QueryParameters", "Query parameters"),
  header: say("Headers", "Headers"),
  cookie: say("Cookies", "Cookies"),
});

let shown = null;

/**
 * Opens the panel of the page whose data `data` is; what was typed there before is still there. `words` are those of
 * the page's language: two languages may show the same operation.
 */
export const open = ({ data, words, relay, mock, opener }) => {
  if (shown?.data !== data || shown.words !== words) {
    shown?.dispose();
    speak(words);
    const island = islandOf(data);
    const mockUrl = mock && new URL(mock, location.href).href;
    if (mockUrl)
      island.servers = [
        ...island.servers,
        { url: mockUrl, label: say("MockServer", "Mock server: answers with examples"), isMock: true },
      ];
    shown = { data, words, ...panelOf(island, relay) };
  }
  shown.show(opener);
};

const isMac = /Mac|iP(hone|ad)/.test(navigator.platform);

/** A set of tabs: `panels` by their titles. */
const tabsOf = (panels) => {
  const titles = Object.keys(panels);
  const choose = (at, takesFocus) => {
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === at));
      tab.tabIndex = i === at ? 0 : -1;
      panels[titles[i]].hidden = i !== at;
    });
    if (takesFocus) tabs[at].focus();
    set.dispatchEvent(new Event("choose"));
  };
  const tabs = titles.map((title, i) => {
    panels[title].id = newId();
    const tab = h(
      "button",
      {
        type: "button",
        role: "tab",
        class: "play-tab",
        id: newId(),
        "aria-controls": panels[title].id,
        onclick: () => choose(i, false),
      },
      title,
    );
    panels[title].setAttribute("role", "tabpanel");
    panels[title].setAttribute("aria-labelledby", tab.id);
    return tab;
  });
  const move = (event) => {
    const at = tabs.indexOf(event.target);
    const step = getComputedStyle(set).direction === "rtl" ? -1 : 1;
    const to = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    choose((to + tabs.length) % tabs.length, true);
  };
  const set = h(
    "div",
    { class: "play-tabs" },
    h(
      "div",
      { role: "tablist", class: "play-tab-list", "aria-label": say("Results", "Results"), onkeydown: move },
      tabs,
    ),
    Object.values(panels),
  );
  choose(0, false);
  return { element: set, choose: (title) => choose(titles.indexOf(title), false) };
};

// The site checks no longer bodies.
const maxChecked = 2 * 1024 * 1024;

/** Where a redirect leads that was not followed, because it is to another origin. */
const elsewhere = ({ status, headers, url }) => {
  const to = headers.find(([name]) => name.toLowerCase() === "location")?.[1];
  if (!to || ![301, 302, 303, 307, 308].includes(status)) return null;
  try {
    const next = new URL(to, url);
    return /^https?:$/.test(next.protocol) && next.origin !== new URL(url).origin ? next.href : null;
  } catch {
    return null;
  }
};

/** The request that such a redirect asks for (Fetch, 4.4), without anything that proves who sends it. */
const bareRequest = ({ method, headers, body }, status, url) => {
  const isKept = status > 303 || ["GET", "HEAD"].includes(method);
  const kept = isKept ? ["accept", "content-type"] : ["accept"];
  return {
    method: isKept ? method : "GET",
    url,
    headers: headers.filter(([name]) => kept.includes(name.toLowerCase())),
    body: isKept ? body : null,
  };
};

/** The request as a command, which a reader can run anywhere. */
const commandOf = (request) => sampleOf("curl", sampleRequest(request));

/** Makes the panel of a page. */
const panelOf = (island, relay) => {
  const operation = `${island.method} ${island.path}`;
  const memory = memoryOf(island.spec, operation);
  const isRelayed = Boolean(island.relay && relay);
  const release = [];
  let parts = null;
  let isAsked = false;
  let isChanged = false;
  let toldBase = null;
  let running = null;
  let frame = 0;
  let timer = 0;

  // The head: what is sent where, and the button that sends it.
  const address = h("code", { class: "play-address" });
  const sendButton = button("send", () => (running ? running.abort() : send()), "");
  const showRunning = () => {
    sendButton.replaceChildren(
      ...(running
        ? [sign("stop"), say("Cancel", "Cancel")]
        : [sign("play"), say("Send", "Send"), h("kbd", {}, isMac ? "⌘ ↵" : "Ctrl ↵")]),
    );
    sendButton.toggleAttribute("data-running", Boolean(running));
  };
  const close = button("close", () => dialog.close(), sign("x"), say("Close", "Close"));
  const titleId = newId();
  const head = h(
    "div",
    { class: "play-head" },
    h("h2", { class: "play-hidden", id: titleId }, say("SendRequest", "Send a request")),
    h(
      "div",
      { class: "play-line" },
      h("span", { class: "method", "data-method": island.method.toLowerCase() }, island.method),
      address,
    ),
    copier(
      () => commandOf(requestOf(island, readValues(), { secrets: "placeholder" })),
      say("CopyCurl", "Copy as cURL"),
    ),
    sendButton,
    close,
  );

  const form = h("div", { class: "play-form", id: "api-playground-input" });
  const summary = h("div", { class: "play-summary", role: "status" });
  const response = h(
    "div",
    { class: "play-response" },
    h("p", { class: "play-quiet-note" }, say("AnswerHere", "What the API answers appears here.")),
  );
  const sample = h("code", { class: "play-sample" });
  const languageList = h("span", { class: "play-languages" });
  const code = h(
    "div",
    { class: "play-code-panel" },
    h(
      "div",
      { class: "play-reply-head" },
      h("span", { class: "play-facts" }, say("SameAsCode", "The same request as code")),
      h(
        "span",
        { class: "play-tools" },
        languageList,
        copier(() => sample.textContent, say("CopyCode", "Copy code")),
      ),
    ),
    h("pre", { class: "play-output", tabindex: "0", role: "region", "aria-label": say("Code", "Code") }, sample),
  );
  const past = h("div", { class: "play-past" });
  const tabs = tabsOf({
    [say("Response", "Response")]: response,
    [say("Code", "Code")]: code,
    [say("History", "History")]: past,
  });
  tabs.element.addEventListener("choose", () => {
    drawLanguages();
    update();
  });
  const told = h("p", { class: "play-hidden", role: "status" });
  const result = h("div", { class: "play-result" }, tabs.element, told);
  const dialog = h(
    "dialog",
    { class: "play-dialog", "aria-labelledby": titleId, "aria-modal": "true" },
    h(
      "div",
      { class: "play-box" },
      head,
      h("div", { class: "play-columns" }, h("div", { class: "play-side" }, summary, form), result),
    ),
  );

  const changed = () => {
    isChanged = true;
    if (!frame) frame = requestAnimationFrame(update);
    clearTimeout(timer);
    timer = setTimeout(keep, 250);
  };
  // What appears when a field is left would move what is being pressed from under the pointer.
  let isPressed = false;
  const waiting = [];
  const settle = (act) => (isPressed ? waiting.push(act) : act());
  const released = () =>
    setTimeout(() => {
      isPressed = false;
      for (const act of waiting.splice(0)) act();
    });
  const about = { changed, settle, isAsked: () => isAsked, depth: 0 };

  const readValues = () => ({
    ...parts.server.read(),
    ...parts.security.read(),
    parameters: parts.parameters.map((one) => one.value()),
    body: parts.body.read(),
  });
  const snapshot = () => {
    const { server, variables, url } = parts.server.read();
    const kept = (island.parameters ?? []).map((spec, i) => keptText(spec, parts.parameters[i].value()));
    return {
      server,
      variables,
      url,
      alternative: parts.security.read().alternative,
      parameters: kept,
      body: parts.body.kept(),
    };
  };
  const keep = () => {
    clearTimeout(timer);
    if (!parts) return;
    const kept = snapshot();
    memory.keepValues(kept);
    const path = Object.fromEntries(
      (island.parameters ?? [])
        .map((spec, i) => [spec.name, spec.in === "path" ? kept.parameters[i] : undefined])
        .filter(([, text]) => text !== undefined),
    );
    const shared = memory.shared();
    memory.keepShared({ ...shared, url: kept.url, variables: kept.variables, path: { ...shared.path, ...path } });
  };

  // The language is that of the page, and of the whole site.
  let language = null;
  const drawLanguages = () => {
    const { listed, chosen } = languageChoice();
    language = chosen;
    const choose = (at) => {
      language = listed[at];
      document.dispatchEvent(new CustomEvent("quire:choose", { detail: language.label }));
      update();
    };
    const list = listBox(
      listed.map(({ label }) => label),
      listed.indexOf(chosen),
      choose,
      { "aria-label": say("Language", "Language") },
    );
    languageList.replaceChildren(...(listed.length > 1 ? [list] : []));
  };

  /** An address of a server that is relative to the site, at the address of the site. */
  const absolute = (url, at) => (island.servers[at].relative ? url.replace("{baseUrl}", location.origin) : url);
  const base = () => {
    const { server: at, variables } = parts.server.read();
    return absolute(baseOf(island.servers[at], variables), at);
  };
  /** An address of a flow with the values of the variables of the server. */
  const filled = (address) => {
    const { server: at, variables } = parts.server.read();
    return withVariables(address, island.servers[at], variables);
  };
  /** The base address that was chosen on any page of the specification, else that of the page. */
  const startServer = () => {
    const shared = memory.shared();
    if (shared.url && island.servers.some(({ url }) => url === shared.url)) return shared;
    const { server, variables } = shownServer(island);
    return { url: server?.url, variables };
  };

  /** Begins the form with `start`: what was typed on this page, or, with `isPast`, all of a request that was sent. */
  const draw = (start, isPast = false) => {
    const shared = memory.shared();
    const server = isPast && start.url ? start : startServer();
    const names = alternativesOf(island).map(alternativeName);
    const chosen = names.indexOf(shared.alternative);
    const alternative = isPast || chosen < 0 ? start?.alternative : chosen;
    const parameters = island.parameters ?? [];
    const made = parameters.map((spec, i) => {
      const kept = keptValue(start ? start.parameters[i] : spec.in === "path" ? shared.path?.[spec.name] : undefined);
      const first = start ? kept : (kept ?? initialOf(spec, spec.prefill, spec.required));
      const allowsEmpty = spec.in === "query" && (spec.allowEmpty || spec.input === "text");
      return row(
        {
          ...about,
          label: spec.name,
          isRequired: Boolean(spec.required),
          allowsEmpty,
          keepsEmpty: false,
          example: spec.in === "path" ? `{${spec.name}}` : undefined,
          place: `${spec.in}-${spec.name}`,
        },
        spec,
        first,
      );
    });
    const isDropped = (spec) =>
      !isRelayed && (spec.in === "cookie" || (spec.in === "header" && forbidden.test(spec.name)));
    const sections = Object.entries(places()).map(([place, title]) => {
      const rows = made.filter((_, i) => parameters[i].in === place);
      if (!rows.length) return null;
      const lost = parameters.filter((spec) => spec.in === place && isDropped(spec)).map(({ name }) => name);
      const note = lost.length
        ? h(
            "p",
            { class: "play-note" },
            say("NotFromPage", "Browsers do not let a page set {}, so it is not sent from here.", lost.join(", ")),
          )
        : null;
      return section(
        title,
        note,
        h(
          "div",
          { class: "play-fields" },
          rows.map(({ element }) => element),
        ),
      );
    });
    parts = {
      server: serverOf(island, server, changed),
      security: securityOf(island, memory, alternative, changed, { relay: isRelayed ? relay : null, base, filled }),
      parameters: made,
      body: bodiesOf(island, start?.body, about),
    };
    const clear = button(
      "small",
      () => {
        memory.keepValues(undefined);
        memory.keepShared(undefined);
        isAsked = false;
        draw();
        changed();
      },
      say("ClearValues", "Clear values"),
    );
    const nothing = !parts.server.element && !parts.security.element && !parts.body.element && !parameters.length;
    form.replaceChildren(
      ...[parts.server.element, parts.security.element, ...sections, parts.body.element].filter(Boolean),
      nothing
        ? h("p", { class: "play-quiet-note" }, say("NothingNeeded", "This request needs nothing but to be sent."))
        : h("div", { class: "play-form-foot" }, clear),
    );
    form.append(importer);
    if (environments) form.prepend(environments.element);
    update();
  };

  // What these say and hold stays when the form is drawn anew.
  const importer = importOf(island, ({ start, auth }) => {
    const { given, isRemembered } = memory.auth();
    if (Object.keys(auth).length) memory.keepAuth({ ...given, ...auth }, isRemembered);
    draw(start, true);
    changed();
  });
  const hasEnvironments =
    island.servers.length > 1 ||
    island.servers.some(({ variables }) => variables?.length) ||
    alternativesOf(island).length > 0;
  const environments = hasEnvironments
    ? environmentOf(memory, {
        read: () => {
          const { url, variables } = parts.server.read();
          const { alternative, auth } = parts.security.read();
          return {
            url,
            variables,
            alternative: alternativeName(alternativesOf(island)[alternative] ?? []),
            auth: { ...auth },
          };
        },
        use: ({ url, variables, alternative, auth }) => {
          memory.keepAuth(auth ?? {}, memory.auth().isRemembered);
          memory.keepShared({ ...memory.shared(), url, variables, alternative });
          const at = alternativesOf(island).map(alternativeName).indexOf(alternative);
          draw({ ...snapshot(), url, variables, alternative: Math.max(0, at) }, true);
          changed();
        },
      })
    : null;

  const faults = () => {
    const found = [];
    for (const [i, spec] of (island.parameters ?? []).entries()) {
      for (const fault of parts.parameters[i].faults())
        found.push({
          ...fault,
          blocks: fault.blocks || (spec.in === "path" && fault.message === say("Required", "required")),
        });
      const value = parts.parameters[i].value();
      const isDots =
        spec.in === "path" &&
        value !== undefined &&
        /(^|\/)\.{1,2}(\/|$)/.test(
          island.path.replaceAll(`{${spec.name}}`, () => inPath(spec, spec.name, value)).replace(/\{[^}]*\}/g, "x"),
        );
      if (isDots)
        found.push({
          way: [spec.name],
          message: say("DotsInPath", "A part of a path cannot be “.” or “..”"),
          blocks: true,
          focus: parts.parameters[i].focus,
        });
      if (spec.in === "path" && value === "")
        found.push({
          way: [spec.name],
          message: say("Required", "required"),
          blocks: true,
          focus: parts.parameters[i].focus,
        });
    }
    return [...found, ...parts.body.faults()];
  };

  function update() {
    cancelAnimationFrame(frame);
    frame = 0;
    if (!parts) return;
    const values = readValues();
    const url = absolute(requestOf(island, values, { secrets: "none" }).url, values.server);
    parts.security.update?.();
    // A line breaks before a slash, not within a name.
    address.replaceChildren(...url.split(/(?<=[^/])(?=\/[^/])/).flatMap((part, i) => (i ? [h("wbr"), part] : [part])));
    const found = faults();
    const blocking = found.filter(({ blocks }) => blocks);
    summary.replaceChildren();
    if (isAsked && found.length) {
      const words = blocking.length
        ? say("NotSentYet", "Not sent. Values to correct: {}", found.length)
        : say("ValuesToCheck", "Values to check: {}", found.length);
      summary.append(
        h("p", {}, sign("warning"), words),
        h(
          "ul",
          {},
          found
            .slice(0, 20)
            .map(({ way, message, focus }) => h("li", {}, button("link", focus, way.join(" › ")), `: ${message}`)),
        ),
      );
    }
    const request = requestOf(island, values, { secrets: "placeholder" });
    const known = sampleRequest(request);
    if (!code.hidden) sample.replaceChildren(colored(language.highlight, sampleOf(language.id, known)));
    if (!past.hidden) drawPast();
    if (isChanged) {
      const media = island.bodies?.[values.body.index]?.media;
      follow((form) => (form === null || form === media ? known : null), media);
      const base = parts.server.read();
      if (JSON.stringify(base) !== toldBase) document.dispatchEvent(new CustomEvent("quire:base", { detail: base }));
      toldBase = JSON.stringify(base);
    }
  }

  const drawPast = () => {
    const entriesOf = memory.history();
    if (!entriesOf.length)
      return past.replaceChildren(
        h(
          "p",
          { class: "play-quiet-note" },
          say("HistoryEmpty", "Requests that were sent from this page appear here until the tab is closed."),
        ),
      );
    const rows = entriesOf.map((entry) => {
      const isFailed = typeof entry.status !== "number";
      const again = button(
        "small",
        () => {
          draw(entry.values, true);
          send();
        },
        say("SendAgain", "Send again"),
      );
      again.setAttribute("aria-label", `${say("SendAgain", "Send again")}: ${entry.method} ${entry.url}`);
      return h(
        "li",
        {},
        h(
          "span",
          { class: "play-status", "data-status": isFailed ? "x" : String(entry.status)[0] },
          String(entry.status),
        ),
        h("code", { class: "play-past-url" }, `${entry.method} ${entry.url}`),
        h("span", { class: "play-facts" }, `${new Date(entry.at).toLocaleTimeString()} · ${entry.ms} ms`),
        again,
      );
    });
    const clear = button(
      "small",
      () => {
        memory.keepHistory(undefined);
        drawPast();
      },
      say("ClearHistory", "Clear history"),
    );
    past.replaceChildren(h("ul", { class: "play-past-list" }, rows), clear);
  };

  const causes = (error) => {
    if (error.kind === "time") return [error.message];
    if (error.kind === "relay") return [error.message];
    return null;
  };
  const showFailure = (error, request) => {
    const own = causes(error);
    const command = commandOf(request);
    const text = own
      ? own.map((words) => h("p", {}, words))
      : [
          h("p", {}, say("BrowserSilent", "The browser does not say why. The likely causes:")),
          h(
            "ol",
            {},
            h("li", {}, say("CauseCors", "The API does not allow requests from pages of another origin (CORS).")),
            h(
              "li",
              {},
              say(
                "CauseSilent",
                "Nothing answers at this address: a wrong base URL, no connection, or a certificate that is not trusted.",
              ),
            ),
            h(
              "li",
              {},
              say(
                "CauseBlocked",
                "The browser or an extension stopped it: a page that was read through https may not ask an http address.",
              ),
            ),
          ),
        ];
    response.replaceChildren(
      h(
        "div",
        { class: "play-reply-head" },
        h(
          "span",
          { class: "play-status", "data-status": "x" },
          error.kind === "time" ? say("TimedOut", "Timed out") : say("NotReached", "Not reached"),
        ),
      ),
      h(
        "div",
        { class: "play-failure" },
        text,
        h("p", {}, say("SameAsCommand", "The same request as a command:")),
        h(
          "div",
          { class: "play-code-line" },
          h(
            "pre",
            { class: "play-output", tabindex: "0", role: "region", "aria-label": say("Code", "Code") },
            h("code", {}, colored("bash", command)),
          ),
          copier(() => command, say("CopyCode", "Copy code")),
        ),
      ),
    );
  };

  // What came through this site is held against the documentation by it; what the browser got itself only if the reader
  // says so.
  const offerCheck = (reply, isKnown) => {
    if (reply.content.size > maxChecked) return;
    const place = h("div", { class: "play-check-place" });
    response.querySelector(".play-reply-head").after(place);
    const check = () =>
      checkReply(place, { address: relay.replace(/relay$/, "conformity"), ...reply }).catch((error) =>
        console.error(error),
      );
    if (isKnown) return check();
    place.append(
      button("small", () => {
        place.replaceChildren();
        check();
      }, [sign("check"), say("CheckAnswer", "Check against the documentation")]),
    );
  };

  /** Sends the request of the form, or `bare`, which a redirect asks for. */
  async function send(bare) {
    if (running) return;
    isAsked = true;
    keep();
    update();
    const blocking = faults().filter(({ blocks }) => blocks);
    if (blocking.length) return blocking[0].focus();
    for (const let_go of release.splice(0)) let_go();
    const values = readValues();
    const made = requestOf(island, values);
    const request = bare ?? { ...made, url: absolute(made.url, values.server) };
    const safe = {
      ...values,
      parameters: values.parameters.map((value, i) => (asksSecret(island.parameters[i]) ? undefined : value)),
    };
    const shownUrl = absolute(requestOf(island, safe, { secrets: "none" }).url, values.server);
    const entry = { method: request.method, url: bare ? bare.url : shownUrl, at: Date.now(), values: snapshot() };
    const abort = new AbortController();
    running = abort;
    showRunning();
    tabs.choose(say("Response", "Response"));
    response.replaceChildren(
      h(
        "p",
        { class: "play-waiting" },
        h("span", { class: "play-spinner" }),
        say("WaitingForAnswer", "Waiting for the answer …"),
      ),
    );
    told.textContent = say("Sending", "Sending");
    // Where there is one column, what comes back is below the form.
    if (!matchMedia("(min-width: 56.01rem)").matches) result.scrollIntoView({ block: "start" });
    const began = performance.now();
    try {
      // The mock is this site: nothing stands between, and what a browser would keep back has a name of its own.
      const isMocked = !bare && Boolean(island.servers[values.server]?.isMock);
      const sent = isMocked
        ? {
            ...request,
            headers: request.headers.map(([name, value]) => [/^cookie$/i.test(name) ? "Quire-Cookie" : name, value]),
          }
        : request;
      const reply = await sendRequest(sent, {
        relay: isRelayed && !isMocked ? relay : null,
        credentials: Boolean(island.credentials) && !bare,
        signal: abort.signal,
        isOpen: Boolean(bare) || isFree(island.servers[values.server]),
      });
      entry.status = reply.status;
      const notes = [];
      const dropped = reply.isRelayed ? [] : droppedHeaders(sent);
      if (dropped.length)
        notes.push(
          say("NotFromPage", "Browsers do not let a page set {}, so it is not sent from here.", dropped.join(", ")),
        );
      if (reply.wasRefused)
        notes.push(say("SentStraight", "This site passes no requests on, so the browser sent it straight to the API."));
      if (reply.redirects) notes.push(say("Redirected", "The answer is that of {}, where the API led to.", reply.url));
      const next = elsewhere(reply);
      if (next)
        notes.push([
          `${say("LeadsTo", "The API leads to another origin, where nothing was sent: {}", next)} `,
          button(
            "small",
            () => send(bareRequest(sent, reply.status, next)),
            say("FollowBare", "Follow without credentials"),
          ),
        ]);
      told.textContent = say("StatusIs", "Status {}", `${reply.status} ${reply.reason}`);
      const {
        type = "",
        view,
        content,
      } = await showReply(response, reply, { began, release, stop: () => abort.abort(), notes });
      if (content && relay)
        offerCheck({ status: reply.status, type, content: new Blob(content), view }, reply.isRelayed || isMocked);
    } catch (error) {
      entry.status ??=
        error.kind === "cancelled"
          ? say("Cancelled", "Cancelled")
          : error.kind === "time"
            ? say("TimedOut", "Timed out")
            : say("Failed", "Failed");
      if (error.kind === "cancelled")
        response.replaceChildren(h("p", { class: "play-quiet-note" }, say("Cancelled", "Cancelled")));
      else if (error.kind) showFailure(error, requestOf(island, values, { secrets: "placeholder" }));
      else {
        response.replaceChildren(
          h("p", { class: "play-quiet-note" }, say("CannotShow", "The answer cannot be shown: {}", error.message)),
        );
        console.error(error);
      }
      told.textContent = String(entry.status);
    } finally {
      running = null;
      showRunning();
      entry.ms = Math.round(performance.now() - began);
      memory.keepHistory(entry);
      update();
    }
  }

  // A modal dialog of the browser would style every element of the page anew, which takes a tenth of a second where
  // there are many. This one keeps the focus itself, and is above the page by its look.
  const reachable = () =>
    [...dialog.querySelectorAll("button, input, select, textarea, summary, [tabindex]")].filter(
      (at) => !at.disabled && at.tabIndex >= 0 && at.checkVisibility(),
    );
  const keepInside = (event) => {
    const all = reachable();
    const edge = event.shiftKey ? all[0] : all.at(-1);
    if (document.activeElement !== edge && dialog.contains(document.activeElement)) return;
    event.preventDefault();
    (event.shiftKey ? all.at(-1) : all[0]).focus();
  };
  const bringBack = (event) => {
    if (dialog.open && !dialog.contains(event.target)) reachable()[0].focus();
  };
  dialog.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      send();
    }
    if (event.key === "Tab") keepInside(event);
    // The slash and the arrows are the form's, not the page's.
    if (event.key !== "Escape") event.stopPropagation();
  });
  const closeByKey = (event) => {
    if (event.key === "Escape" && dialog.open && !event.defaultPrevented) dialog.close();
  };
  dialog.addEventListener("wheel", (event) => event.target === dialog && event.preventDefault(), { passive: false });
  dialog.addEventListener("click", (event) => {
    // Not a selection that was begun inside and ends outside.
    if (event.target === dialog && pressedOn === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    keep();
    running?.abort();
  });
  let pressedOn = null;
  dialog.addEventListener(
    "pointerdown",
    (event) => {
      isPressed = true;
      pressedOn = event.target;
    },
    true,
  );
  addEventListener("pointerup", released);
  addEventListener("pointercancel", released);
  addEventListener("pagehide", keep);
  // A base address that is chosen on the page is that of the form.
  const takeServer = ({ detail }) => {
    if (!parts || dialog.open) return;
    parts.server.put(detail);
    toldBase = JSON.stringify(parts.server.read());
    update();
  };
  document.addEventListener("quire:server", takeServer);
  document.addEventListener("focusin", bringBack);
  document.addEventListener("keydown", closeByKey);
  showRunning();
  document.body.append(dialog);

  return {
    show: (opener) => {
      if (!parts) draw(memory.values());
      // Not `show()`, which looks for what to focus and has the page laid out for it.
      dialog.open = true;
      // Where the reader types first; without a field the button that sends.
      const fields = [...form.querySelectorAll("input:not([type='checkbox'], [type='file']), textarea")];
      const first = matchMedia("(pointer: coarse)").matches
        ? null
        : fields.find((field) => !field.closest(".play-environment, .play-import"));
      requestAnimationFrame(() =>
        setTimeout(() => dialog.open && (first ?? sendButton).focus({ preventScroll: true })),
      );
      // An edit of the page may have put another button in the place of the one that opened it.
      const back = () =>
        (opener.isConnected ? opener : document.querySelector("[data-playground]"))?.focus({ preventScroll: true });
      dialog.addEventListener("close", back, { once: true });
    },
    dispose: () => {
      running?.abort();
      for (const let_go of release.splice(0)) let_go();
      removeEventListener("pointerup", released);
      removeEventListener("pointercancel", released);
      removeEventListener("pagehide", keep);
      document.removeEventListener("quire:server", takeServer);
      document.removeEventListener("focusin", bringBack);
      document.removeEventListener("keydown", closeByKey);
      dialog.remove();
      follow(null);
    },
  };
};
