// How a reader gets a token of an OAuth 2.0 scheme: with a code and PKCE (RFC 6749, 4.1; RFC 7636), or as a client by
// itself (RFC 6749, 4.4). Tokens and secrets are where the other credentials are, and in no address.
//
// The implicit flow is explained and not run: its token would stand in an address, where histories and scripts find it
// (RFC 9700, 2.1.2). A password is for the server that it belongs to, not for a page of documentation (RFC 9700, 2.4).
const callbackUrl = () => new URL("oauth.html", import.meta.url).href;
const channelName = "quire-oauth";

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
/**
 * A secret of this sign-in, and what of it is told beforehand. Needs a page that was read through https, or from this
 * machine.
 */
const pkcePair = async () => {
  const verifier = randomText();
  const digest = await crypto.subtle.digest("SHA-256", utf8.encode(verifier));
  return { verifier, challenge: base64url(new Uint8Array(digest)) };
};

/** An address of a flow; one without a host is that of the API. `null` if it is none of HTTP. */
const flowUrl = (text, base) => {
  try {
    const root = new URL(base, location.href).href;
    const url = new URL(text, root.endsWith("/") ? root : `${root}/`);
    return /^https?:$/.test(url.protocol) ? url : null;
  } catch {
    return null;
  }
};

const noFlow = () => say("OauthNoFlow", "The server does not have this flow.");
const meanings = {
  access_denied: () => say("OauthDenied", "The sign-in was refused, by you or by the server."),
  invalid_client: () => say("OauthClient", "The server does not know this client, or its secret is another."),
  invalid_grant: () => say("OauthGrant", "The code or the refresh token is not valid, or not any more. Begin anew."),
  invalid_request: () => say("OauthRequest", "The server misses something, or does not know the redirect address."),
  invalid_scope: () => say("OauthScope", "The server does not give one of the scopes."),
  unauthorized_client: () => say("OauthUnauthorized", "This client may not use this flow."),
  unsupported_grant_type: noFlow,
  unsupported_response_type: noFlow,
};
/** What a server says of an error (RFC 6749, 4.1.2.1 and 5.2), and what that means. */
const toldError = (error, description) =>
  new Error(
    [meanings[error]?.(), say("ServerSays", "The server says: {}", `${error}${description ? `, ${description}` : ""}`)]
      .filter(Boolean)
      .join(" "),
  );

const formPair = (text) => encode(text).replaceAll("%20", "+");
/** The request for a token. The secret of a client goes into the header, or beside the rest where `inBody` says so. */
const tokenRequest = (url, pairs, { clientId, secret, inBody }) => {
  const headers = [
    ["Content-Type", "application/x-www-form-urlencoded"],
    ["Accept", "application/json"],
  ];
  const all = { ...pairs };
  if (secret && !inBody)
    headers.push(["Authorization", `Basic ${base64(`${formPair(clientId)}:${formPair(secret)}`)}`]);
  else Object.assign(all, { client_id: clientId }, secret ? { client_secret: secret } : {});
  const text = formOf(Object.entries(all).map(([name, value]) => `${encode(name)}=${encode(value)}`));
  return { method: "POST", url, headers, body: { kind: "form", text } };
};

/** Asks for a token, through the site where it passes the request on. */
const askToken = async (request, { relay, signal }) => {
  const send = (through) => sendRequest(request, { relay: through, credentials: false, signal });
  let reply;
  try {
    reply = await send(relay).catch((error) => {
      // The site may not reach it; the browser may all the same.
      if (!relay || !["relay-target", "relay-address"].includes(error.code)) throw error;
      return send(null);
    });
  } catch (error) {
    if (error.kind !== "network") throw error;
    throw new Error(
      say(
        "TokenUnreached",
        "The token URL cannot be reached from this page: it does not allow requests from pages of another origin (CORS), or nothing answers there.",
      ),
      { cause: error },
    );
  }
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of reply.chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > 1 << 20) throw new Error(say("TokenTooLong", "The answer of the token URL is too long."));
  }
  let told = null;
  try {
    told = JSON.parse(text);
  } catch {
    // Said below.
  }
  if (told?.error) throw toldError(String(told.error), told.error_description);
  if (reply.status !== 200 && reply.status !== 201)
    throw new Error(say("TokenStatus", "The token URL answers with status {}.", reply.status));
  if (typeof told?.access_token !== "string")
    throw new Error(say("NoToken", "The token URL answers without an access token."));
  return told;
};

/** What the window that comes back says, which does not know the language of the page. */
const windowWords = (name, english) => {
  const { lang, dir } = document.documentElement;
  return { told: say(name, english), title: say("OauthBack", "Back to the documentation"), lang, dir };
};

/**
 * Waits for the answer that a window brings back; `warn` is told of those that are not ours, and with nothing when they
 * were another's.
 */
const answerOf = (state, { signal, warn }) =>
  new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(channelName);
    let strange = null;
    const end = (act, value) => {
      channel.close();
      act(value);
    };
    signal.addEventListener("abort", () => end(reject, new SendError("cancelled", say("Cancelled", "Cancelled"))), {
      once: true,
    });
    channel.onmessage = ({ data }) => {
      if (data.kind === "taken" && data.state === strange) {
        strange = null;
        warn(strange);
      }
      if (data.kind !== "answer") return;
      if (data.state !== state) {
        strange = data.state;
        channel.postMessage({
          kind: "refused",
          state: data.state,
          ...windowWords(
            "OauthStrange",
            "This answer belongs to no sign-in that waits, so it was not used. Begin anew where you began.",
          ),
        });
        return warn(true);
      }
      channel.postMessage({
        kind: "taken",
        state,
        ...windowWords("OauthTaken", "The answer was handed over. This window can be closed."),
      });
      end(resolve, data);
    };
  });

const flowNames = () => ({
  authorizationCode: `${say("AuthorizationCode", "Authorization code")} (PKCE)`,
  clientCredentials: say("ClientCredentials", "Client credentials"),
  implicit: say("ImplicitFlow", "Implicit (deprecated)"),
  password: say("PasswordFlow", "Password (deprecated)"),
});
const unrun = {
  implicit: () =>
    say("ImplicitUnrun", "The implicit flow puts the token into an address, where histories and scripts find it."),
  password: () => say("PasswordUnrun", "The password flow would hand your password to this page."),
};

/**
 * The ways to get a token of a scheme. `given` holds what was typed by the key of the scheme; `keep` stores it, `take`
 * shows a new token, `relay`, `base` and `filled` are as everywhere. `forget` ends what waits, `update` shows the
 * addresses of the chosen server.
 */
const flowsOf = (scheme, given, { relay, base, filled, keep, take }) => {
  const names = flowNames();
  const order = Object.keys(names);
  const rank = ({ name }) => (order.indexOf(name) + order.length + 1) % (order.length + 1);
  const flows = [...scheme.flows].sort((one, other) => rank(one) - rank(other));
  const typed = () => given[scheme.key] ?? {};
  const put = (more) => {
    given[scheme.key] = { ...typed(), ...more };
    keep();
  };
  let flow = flows[0];
  let running = null;
  let pair = null;
  let update = () => {};
  const body = h("div", { class: "play-fields" });
  const status = h("div", { class: "play-oauth-status", role: "status" });
  const tell = (kind, ...words) => {
    status.dataset.kind = kind;
    status.replaceChildren(...words.map((one) => (typeof one === "string" ? h("p", {}, one) : one)));
  };
  const line = (label, made, note) => {
    const id = newId();
    made.id = id;
    return h(
      "div",
      { class: "play-row" },
      h(
        "label",
        { class: "play-label", for: id },
        h("span", { class: "play-name play-word" }, label),
        note && h("span", { class: "play-hint" }, note),
      ),
      made,
    );
  };
  const text = (part, label, note, isSecret) => {
    const field = h("input", {
      class: "play-input",
      type: isSecret ? "password" : "text",
      placeholder: " ",
      ...quietly,
      oninput: () => {
        put({ [part]: field.value });
        showWay();
      },
    });
    field.value = typed()[part] ?? "";
    return line(label, field, note);
  };
  // How a secret is sent is a question only where there is one.
  const showWay = () => {
    const way = body.querySelector("[data-way]");
    if (way) way.hidden = !typed().secret;
  };
  const client = () => {
    const { clientId = "", secret = "", inBody = false } = typed();
    return { clientId: clientId.trim(), secret, inBody };
  };

  const received = ({ access_token: value, token_type: kind, expires_in: seconds, refresh_token: refresh }) => {
    put({
      value,
      refresh: refresh ?? typed().refresh ?? "",
      expires: Number(seconds) > 0 ? Date.now() + Number(seconds) * 1000 : 0,
      flow: flow.name,
    });
    take(value);
    const isOdd = kind && !/^bearer$/i.test(kind);
    showToken(
      isOdd ? say("OddToken", "The server calls it a token of the kind {}; it is sent as a bearer token.", kind) : "",
    );
  };
  /** What is known of the token that is used. */
  const showToken = (note = "") => {
    const { value, refresh, expires } = typed();
    if (!value || expires === undefined) return tell("");
    const until = expires
      ? ` ${say("GoodUntil", "It is good until {}.", new Date(expires).toLocaleTimeString(document.documentElement.lang || [], { hour: "2-digit", minute: "2-digit" }))}`
      : "";
    const again =
      refresh && (flow.refreshUrl || flow.tokenUrl)
        ? button("small", renew, say("RefreshToken", "Refresh the token"))
        : "";
    tell(
      "good",
      h("p", {}, sign("check"), `${say("TokenFilled", "A token is filled in.")}${until}`),
      ...[note, again].filter(Boolean),
    );
  };
  const failed = (error) => {
    if (error.kind === "cancelled") return showToken();
    const isKnown = error instanceof SendError || error.constructor === Error;
    tell("wrong", isKnown ? error.message : say("WentWrong", "It went wrong here: {}", error.message));
  };
  /** Does something that ends with a token; one at a time. */
  const run = async (act) => {
    const mine = new AbortController();
    running = mine;
    drawGet();
    try {
      received(await act(mine.signal));
    } catch (error) {
      if (running === mine) failed(error);
    } finally {
      if (running === mine) {
        running = null;
        drawGet();
      }
    }
  };
  // One with a variable that no server has is no address.
  const urlOf = (address) => {
    const url = flowUrl(filled(address ?? ""), base());
    return /[{}]/.test(filled(address ?? "")) ? null : url;
  };
  const tokenUrl = (text_) => {
    const url = urlOf(text_);
    if (!text_ || !url)
      throw new Error(
        say("NoFlowUrl", "The specification has no usable address for this flow: {}", say("TokenUrl", "Token URL")),
      );
    return url.href;
  };
  const scopes = () =>
    [...body.querySelectorAll("[data-scope]")]
      .filter(({ checked }) => checked)
      .map(({ dataset }) => dataset.scope)
      .join(" ");

  const renew = () =>
    run((signal) => {
      tell("", say("AskingToken", "Asking for a token …"));
      const pairs = { grant_type: "refresh_token", refresh_token: typed().refresh };
      return askToken(tokenRequest(tokenUrl(flow.refreshUrl ?? flow.tokenUrl), pairs, client()), { relay, signal });
    });
  const byCredentials = (signal) => {
    tell("", say("AskingToken", "Asking for a token …"));
    const scope = scopes();
    const pairs = { grant_type: "client_credentials", ...(scope && { scope }) };
    return askToken(tokenRequest(tokenUrl(flow.tokenUrl), pairs, client()), { relay, signal });
  };
  const byCode = async (signal) => {
    const url = urlOf(flow.authorizationUrl);
    if (!flow.authorizationUrl || !url)
      throw new Error(
        say(
          "NoFlowUrl",
          "The specification has no usable address for this flow: {}",
          say("AuthorizationUrl", "Authorization URL"),
        ),
      );
    const [redirect, target] = [callbackUrl(), tokenUrl(flow.tokenUrl)];
    const { verifier, challenge } = pair;
    const state = randomText();
    const scope = scopes();
    const asked = {
      response_type: "code",
      client_id: client().clientId,
      redirect_uri: redirect,
      ...(scope && { scope }),
      state,
      code_challenge: challenge,
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
    // Before anything is waited for: a browser opens a window for a click, not for a page.
    const wanted = answerOf(state, {
      signal,
      warn: (isStrange) =>
        isStrange
          ? tell(
              "wrong",
              say(
                "StrangeState",
                "An answer came back whose state is not the one that was sent, so it was not used: it may be forged, or of an older sign-in. Still waiting for the right one.",
              ),
            )
          : waiting(),
    });
    const popup = window.open("", "_blank", "popup,width=560,height=760");
    const waiting = () => tell("", say("WaitingSignIn", "Waiting for you to sign in in the window that was opened …"));
    let watch = 0;
    if (popup) {
      // What is shown there is of another site, and has no business with this page.
      popup.opener = null;
      popup.location.href = url.href;
      waiting();
      watch = setInterval(() => {
        if (!popup.closed) return;
        clearInterval(watch);
        // Some servers cut the window off from this page, which looks the same.
        if (!signal.aborted && status.dataset.kind !== "wrong")
          tell(
            "",
            say(
              "WindowClosed",
              "The window is closed, or out of sight of this page. If you did not finish, cancel and begin anew.",
            ),
          );
      }, 400);
    } else {
      tell(
        "wrong",
        say("PopupBlocked", "The browser blocked the window. Allow pop-ups for this site, or open it yourself:"),
        h(
          "p",
          {},
          h(
            "a",
            { href: url.href, target: "_blank", rel: "noopener noreferrer" },
            say("SignInTab", "Sign in in a new tab"),
          ),
        ),
      );
    }
    try {
      const { code, error, description } = await wanted;
      popup?.close();
      if (error) throw toldError(error, description);
      tell("", say("AskingToken", "Asking for a token …"));
      const pairs = { grant_type: "authorization_code", code, redirect_uri: redirect, code_verifier: verifier };
      return await askToken(tokenRequest(target, pairs, client()), { relay, signal });
    } finally {
      clearInterval(watch);
      prepare();
    }
  };
  const prepare = () => {
    pair = null;
    if (flow.name === "authorizationCode" && crypto.subtle)
      pkcePair().then((made) => {
        pair = made;
        drawGet();
      });
  };

  const get = h("div", { class: "play-oauth-get" });
  const drawGet = () => {
    if (running) return get.replaceChildren(button("small", stop, say("Cancel", "Cancel")));
    const isCode = flow.name === "authorizationCode";
    const start = () => {
      if (!client().clientId) {
        tell(
          "wrong",
          say(
            "ClientIdMissing",
            "The client ID is missing: the API gives one to each application that is registered with it.",
          ),
        );
        return body.querySelector("input")?.focus();
      }
      run(isCode ? byCode : byCredentials);
    };
    const made = button(
      "get",
      start,
      isCode ? say("SignIn", "Sign in and get a token") : say("GetToken", "Get a token"),
    );
    made.disabled = isCode && !pair;
    get.replaceChildren(made);
  };
  function stop() {
    const mine = running;
    running = null;
    mine?.abort();
    drawGet();
    showToken();
  }

  const scopeBoxes = () => {
    const asked = typed().scopes?.[flow.name];
    const note = () => put({ scopes: { ...typed().scopes, [flow.name]: scopes().split(" ") } });
    const needed = [...(flow.scopes ?? [])].sort(
      (one, other) => Number(Boolean(other.required)) - Number(Boolean(one.required)),
    );
    const boxes = needed.map(({ name, about, required }) =>
      h(
        "label",
        { class: "play-scope" },
        h("input", {
          type: "checkbox",
          checked: asked ? asked.includes(name) || Boolean(required) : Boolean(required),
          "data-scope": name,
          onchange: note,
        }),
        h(
          "span",
          {},
          h("code", {}, name),
          required && h("span", { class: "play-required" }, ` ${say("Required", "required")}`),
          about && h("span", { class: "play-hint" }, about),
        ),
      ),
    );
    return boxes.length
      ? h(
          "fieldset",
          { class: "play-scopes" },
          h("legend", { class: "play-name play-word" }, say("Scopes", "Scopes")),
          h("div", { class: "play-scope-list", tabindex: boxes.length > 8 ? "0" : undefined }, boxes),
        )
      : null;
  };
  const draw = () => {
    const isCode = flow.name === "authorizationCode";
    const addresses = [
      [say("AuthorizationUrl", "Authorization URL"), flow.authorizationUrl],
      [say("TokenUrl", "Token URL"), flow.tokenUrl],
      [say("RefreshUrl", "Refresh URL"), flow.refreshUrl],
    ].filter(([, address]) => address);
    const facts = h("dl", { class: "play-oauth-facts" });
    update = () =>
      facts.replaceChildren(
        ...addresses.flatMap(([title, address]) => [
          h("dt", {}, title),
          h("dd", {}, h("code", {}, urlOf(address)?.href ?? address)),
        ]),
      );
    const isRun = isCode || flow.name === "clientCredentials";
    if (!isRun) {
      const words = [
        unrun[flow.name]?.(),
        say("FlowUnrun", "This flow is not run from here. Get a token elsewhere and paste it above."),
      ];
      body.replaceChildren(h("p", { class: "play-note" }, words.filter(Boolean).join(" ")), facts);
      return tell("");
    }
    const redirect = callbackUrl();
    const where =
      isCode &&
      h(
        "div",
        { class: "play-row" },
        h("span", { class: "play-name play-word" }, say("RedirectUri", "Redirect URI")),
        h(
          "p",
          { class: "play-hint" },
          say("RegisterRedirect", "Register this address with the API, so that it leads back here."),
        ),
        h(
          "div",
          { class: "play-code-line" },
          h(
            "pre",
            { class: "play-output", tabindex: "0", role: "region", "aria-label": say("RedirectUri", "Redirect URI") },
            redirect,
          ),
          copier(() => redirect, say("Copy", "Copy")),
        ),
      );
    const through = relay
      ? say("SecretPasses", "It passes through this page and this site to the token URL.")
      : say("SecretRefused", "It is sent from this page; most token URLs refuse that from a browser.");
    const warning =
      !isCode &&
      h(
        "p",
        { class: "play-note" },
        `${say("SecretWarning", "A client secret belongs on a server: use one here that was made for trying things out.")} ${through}`,
      );
    const way = h(
      "div",
      { class: "play-row", "data-way": true },
      h("span", { class: "play-name play-word" }, say("SecretIsSent", "Secret is sent")),
      listBox(
        [say("InHeader", "In the {} header", "Authorization"), say("InBody", "In the body")],
        typed().inBody ? 1 : 0,
        (i) => put({ inBody: i === 1 }),
        { "aria-label": say("SecretIsSent", "Secret is sent") },
      ),
    );
    const insecure =
      isCode &&
      !crypto.subtle &&
      h(
        "p",
        { class: "play-note" },
        say(
          "InsecurePage",
          "This page was not read through https, so the browser has no means to protect a code (PKCE). Paste a token instead.",
        ),
      );
    body.replaceChildren(
      ...[
        warning,
        insecure,
        text("clientId", say("ClientId", "Client ID"), "", false),
        text(
          "secret",
          say("ClientSecret", "Client secret"),
          isCode ? say("OnlyIfHas", "only if the client has one") : "",
          true,
        ),
        way,
        scopeBoxes(),
        where,
        facts,
        get,
      ].filter(Boolean),
    );
    showWay();
    prepare();
    drawGet();
    showToken();
  };
  const chooser =
    flows.length > 1 &&
    listBox(
      flows.map(({ name }) => names[name] ?? name),
      0,
      (i) => {
        stop();
        flow = flows[i];
        draw();
        update();
      },
      { "aria-label": say("Flow", "Flow") },
    );
  draw();
  const title =
    flows.length > 1
      ? say("GetToken", "Get a token")
      : `${say("GetToken", "Get a token")}: ${names[flow.name] ?? flow.name}`;
  const element = h(
    "details",
    { class: "play-group play-oauth" },
    h("summary", {}, sign("chevron"), h("span", { class: "play-name play-word" }, title)),
    h("div", { class: "play-group-body" }, chooser, body, status),
  );
  return {
    element,
    update: () => update(),
    forget: () => {
      stop();
      showWay();
      tell("");
    },
  };
};
