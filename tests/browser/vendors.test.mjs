// Services of others: each is asked for where it documents, only where a site names it, under a policy that nothing on
// the page violates; when readers have to agree first; and that pages which are shown without being loaded are counted.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { daemonOf, previewOf, program, serveExport, startBrowser } from "./support.mjs";

/** Every service, with what the browser has to ask for: an address, and attributes of the element. */
const services = {
  adobe: [
    { launchUrl: "https://assets.adobedtm.com/launch-EN1.min.js" },
    "https://assets.adobedtm.com/launch-EN1.min.js",
  ],
  amplitude: [{ apiKey: "amp1" }, "https://cdn.amplitude.com/script/amp1.js"],
  clarity: [{ projectId: "cla1" }, "https://www.clarity.ms/tag/cla1"],
  fathom: [{ siteId: "FATHOM" }, "https://cdn.usefathom.com/script.js", { "data-site": "FATHOM", "data-spa": "auto" }],
  frontchat: [{ snippetId: "front1" }, "https://chat-assets.frontapp.com/v1/chat.bundle.js"],
  ga4: [{ measurementId: "G-ABC123" }, "https://www.googletagmanager.com/gtag/js?id=G-ABC123"],
  gtm: [{ tagId: "GTM-ABC" }, "https://www.googletagmanager.com/gtm.js?id=GTM-ABC"],
  heap: [{ appId: "42" }, "https://cdn.us.heap-api.com/config/42/heap_config.js"],
  hightouch: [{ writeKey: "hi1" }, "https://cdn.hightouch-events.com/browser/release/v1-latest/events.min.js"],
  hotjar: [{ hjid: 7, hjsv: 6 }, "https://static.hotjar.com/c/hotjar-7.js?sv=6"],
  intercom: [{ appId: "inter1" }, "https://widget.intercom.io/widget/inter1"],
  logrocket: [{ appId: "org/app" }, "https://cdn.logrocket.io/LogRocket.min.js", { crossorigin: "anonymous" }],
  mixpanel: [{ projectToken: "mix1", region: "eu" }, "https://cdn.mxpnl.com/libs/mixpanel-2-latest.min.js"],
  pirsch: [{ id: "pir1" }, "https://api.pirsch.io/pa.js", { id: "pianjs", "data-code": "pir1" }],
  plausible: [
    { domain: "docs.example.com" },
    "https://plausible.io/js/script.js",
    { "data-domain": "docs.example.com" },
  ],
  posthog: [{ apiKey: "phc_1" }, "https://us-assets.i.posthog.com/static/array.js", { crossorigin: "anonymous" }],
  segment: [{ key: "seg1" }, "https://cdn.segment.com/analytics.js/v1/seg1/analytics.min.js"],
  onetrust: [
    { domainScript: "one1-test" },
    "https://cdn.cookielaw.org/scripttemplates/otSDKStub.js",
    { "data-domain-script": "one1-test" },
  ],
  transcend: [{ bundleId: "tra1" }, "https://transcend-cdn.com/cm/tra1/airgap.js"],
};
/** Managers of tags run whatever they hold, so the policy of a site with one of them is no test of the others. */
const managers = ["adobe", "gtm", "segment"];
const settingsOf = (names) => Object.fromEntries(names.map((name) => [name, services[name][0]]));
const addressesOf = (names) => names.map((name) => services[name][1]).sort();

function writeSite(folder, integrations, files = {}) {
  const write = (path, text) => writeFileSync(join(folder, path), text);
  write(
    "docs.json",
    JSON.stringify({
      theme: "mint",
      name: "Vendors",
      colors: { primary: "#0a7" },
      integrations,
      navbar: { links: [{ type: "github", href: "https://github.com/owner/name" }] },
      navigation: { pages: ["index", "next"] },
    }),
  );
  write(
    "index.mdx",
    '---\ntitle: One\n---\n[Next](/next)\n\n<Tabs><Tab title="A">a</Tab><Tab title="B">b</Tab></Tabs>\n\n```mermaid\ngraph TD; A-->B\n```\n\n$x^2$\n\n| a | b |\n|:-:|---|\n| 1 | 2 |\n\n![p](data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=)\n',
  );
  write("next.mdx", "---\ntitle: Next\n---\nNext.\n");
  for (const [path, text] of Object.entries(files)) write(path, text);
}

let browser;
const folders = [];
const folderOf = () => {
  folders.push(mkdtempSync(join(tmpdir(), "quire-vendors-")));
  return folders.at(-1);
};
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A page whose requests to other origins are answered here: with `scripts[address]`, else with nothing. */
async function openPage(origin, scripts = {}, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const asked = [];
  const faults = [];
  await page.route(
    (url) => url.origin !== origin,
    (route) => {
      const url = route.request().url();
      if (route.request().resourceType() === "script") asked.push(url);
      return route.fulfill({
        contentType: "text/javascript",
        headers: { "access-control-allow-origin": "*" },
        body: scripts[url] ?? "",
      });
    },
  );
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.addInitScript(() => {
    globalThis.violated = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      globalThis.violated.push(`${event.effectiveDirective} ${event.blockedURI}`),
    );
  });
  const violated = () => page.evaluate(() => globalThis.violated);
  return { page, asked, faults, violated, close: () => context.close() };
}

/** Runs `work` with the origin of a daemon that publishes a site with `integrations`. */
async function published(integrations, work, files) {
  const [folder, state] = [folderOf(), folderOf()];
  writeSite(folder, integrations, files);
  const daemon = await daemonOf(state, `[sites.docs]\nroot = "${folder}"\nwatch = false\n`);
  try {
    await work(daemon.origin, folder);
  } finally {
    await daemon.stop();
  }
}

const allAsked = (page, addresses) =>
  page.waitForFunction((all) => all.every((address) => document.querySelector(`script[src="${address}"]`)), addresses);

test("each service is asked for where it documents, and nothing violates the policy", async () => {
  const asksConsent = ["onetrust", "transcend"];
  const names = Object.keys(services).filter((name) => !managers.includes(name) && !asksConsent.includes(name));
  await published(settingsOf(names), async (origin) => {
    const { page, asked, faults, violated, close } = await openPage(origin);
    const reply = await page.goto(origin);
    assert.match(reply.headers()["content-security-policy"], /script-src 'self' 'sha256-/);
    await allAsked(page, addressesOf(names));
    await page.waitForLoadState("networkidle");
    assert.deepEqual(asked.sort(), addressesOf(names));
    for (const name of names) {
      for (const [key, value] of Object.entries(services[name][2] ?? {})) {
        assert.equal(await page.getAttribute(`script[src="${services[name][1]}"]`, key), value, name);
      }
    }
    // What the page itself does is allowed: its tabs, a diagram, the search, a page by a click.
    await page.click("[role=tab] >> nth=1");
    await page.waitForSelector("main svg[id^=mermaid], main .mermaid svg, main [data-diagram] svg");
    await page.keyboard.press("/");
    await page.fill(".search-field", "next");
    await page.waitForSelector(".search-option");
    await page.keyboard.press("Escape");
    await page.click("main a[href='/next']");
    await page.waitForFunction(() => document.querySelector("main h1")?.textContent.trim() === "Next");
    assert.deepEqual(asked.sort(), addressesOf(names), "once for all pages");
    assert.deepEqual(await violated(), []);
    assert.deepEqual(faults, []);
    await close();
    // The policy is in force: a script of anybody else is not run.
    const other = await openPage(origin);
    await other.page.goto(origin);
    await other.page.evaluate(() => {
      const script = document.createElement("script");
      script.src = "https://elsewhere.example/x.js";
      document.head.append(script);
    });
    await other.page.waitForFunction(() => globalThis.violated.length > 0);
    assert.match((await other.violated())[0], /^script-src-elem https:\/\/elsewhere.example/);
    assert.ok(!other.asked.includes("https://elsewhere.example/x.js"));
    await other.close();
  });
});

test("nothing of the demonstration site violates the policy", async () => {
  const [folder, state] = [folderOf(), folderOf()];
  cpSync(new URL("../../fixtures/museum", import.meta.url).pathname, folder, { recursive: true });
  const docs = JSON.parse(readFileSync(join(folder, "docs.json"), "utf8"));
  writeFileSync(join(folder, "docs.json"), JSON.stringify({ ...docs, integrations: settingsOf(["ga4"]) }));
  const daemon = await daemonOf(state, `[sites.docs]\nroot = "${folder}"\nwatch = false\n`);
  try {
    const { page, violated, close } = await openPage(daemon.origin, {}, { viewport: { width: 1350, height: 900 } });
    for (const path of [
      "/",
      "/quickstart",
      "/guides/webhooks",
      "/components",
      "/changelog",
      "/api/tickets/list-tickets",
      "/api/tickets/buy-a-ticket",
    ]) {
      const reply = await page.goto(daemon.origin + path);
      assert.match(reply.headers()["content-security-policy"], /script-src 'self' 'sha256-/, path);
      await allAsked(page, addressesOf(["ga4"]));
      await page.waitForLoadState("networkidle");
      assert.deepEqual(await violated(), [], path);
    }
    // What is read when it is wanted: the playground, the panel of the assistant.
    await page.getByRole("button", { name: "Try it" }).click();
    await page.waitForSelector(".play-send");
    assert.deepEqual(await violated(), []);
    await page.goto(`${daemon.origin}/quickstart`);
    await page.click("#assistant-entry");
    await page.waitForSelector("#chat-assistant-textarea");
    assert.deepEqual(await violated(), []);
    await close();
  } finally {
    await daemon.stop();
  }
});

test("managers of tags and own scripts load what they name", async () => {
  const own =
    "const script = document.createElement('script'); script.src = 'https://own.example/consent.js'; document.head.append(script); const inline = document.createElement('script'); inline.textContent = 'globalThis.isInline = true'; document.head.append(inline);";
  await published(
    settingsOf([...managers, "ga4"]),
    async (origin) => {
      const { page, asked, violated, close } = await openPage(origin);
      await page.goto(origin);
      await page.waitForFunction(() => globalThis.isInline === true);
      await allAsked(page, addressesOf([...managers, "ga4"]));
      await page.waitForLoadState("networkidle");
      assert.deepEqual(asked.sort(), [...addressesOf([...managers, "ga4"]), "https://own.example/consent.js"].sort());
      assert.deepEqual(await violated(), []);
      await close();
    },
    { "own.js": own },
  );
});

/** A policy that lets run what comes with the theme, and nothing else. */
const onlyOurs = /; script-src 'self'( 'sha256-[^' ]+')+; /;

test("nothing is asked for where nothing is configured, nor while somebody writes", async () => {
  await published({}, async (origin, folder) => {
    const plain = await openPage(origin);
    const reply = await plain.page.goto(origin);
    await plain.page.waitForLoadState("networkidle");
    assert.match(reply.headers()["content-security-policy"], onlyOurs);
    assert.deepEqual(plain.asked, []);
    assert.equal(await plain.page.locator("script[src*='vendors.']").count(), 0);
    await plain.close();
    writeSite(folder, settingsOf(Object.keys(services)));
    const preview = await previewOf(folder);
    try {
      const { page, asked, close } = await openPage(preview.origin);
      const reply = await page.goto(preview.origin);
      await page.waitForSelector("main h1");
      assert.match(reply.headers()["content-security-policy"], onlyOurs);
      assert.equal(await page.locator("#quire-vendors, script[src*='vendors.'], script[src*='readers.']").count(), 0);
      assert.deepEqual(asked, []);
      await close();
    } finally {
      await preview.stop();
    }
  });
});

test("an export loads the same under a policy of its own", async () => {
  const [folder, out] = [folderOf(), folderOf()];
  writeSite(folder, settingsOf(["ga4", "plausible"]));
  const built = spawnSync(program, ["build", folder, "--out", out, "--base-path", "/docs"]);
  assert.equal(built.status, 0, String(built.stderr));
  const server = await serveExport(out);
  const { page, asked, faults, violated, close } = await openPage(server.origin);
  await page.goto(`${server.origin}/docs/`);
  assert.match(
    await page.getAttribute("meta[http-equiv='Content-Security-Policy']", "content"),
    /script-src 'self' 'sha256-.*https:\/\/plausible.io/,
  );
  await allAsked(page, addressesOf(["ga4", "plausible"]));
  await page.keyboard.press("/");
  await page.fill(".search-field", "next");
  await page.waitForSelector(".search-option");
  await page.keyboard.press("Escape");
  await page.click("main a[href*='next']");
  await page.waitForFunction(() => document.querySelector("main h1")?.textContent.trim() === "Next");
  assert.deepEqual(asked.sort(), addressesOf(["ga4", "plausible"]));
  assert.deepEqual(await violated(), []);
  assert.deepEqual(faults, []);
  // Nothing of what a server counts is in it.
  assert.equal(await page.locator("script[src*='readers.']").count(), 0);
  assert.deepEqual(server.posted, []);
  await close();
  await server.stop();
});

test("the scripts find what they expect, and hear of a page by a click", async () => {
  const names = [
    "ga4",
    "hotjar",
    "clarity",
    "intercom",
    "mixpanel",
    "posthog",
    "hightouch",
    "segment",
    "heap",
    "amplitude",
    "frontchat",
    "logrocket",
  ];
  // Each does what its library does first: it takes what waits for it.
  const scripts = {
    [services.amplitude[1]]:
      "globalThis.amplitude = { init: (...given) => (globalThis.begun = { ...globalThis.begun, amplitude: given }) };",
    [services.frontchat[1]]:
      "globalThis.FrontChat = (...given) => (globalThis.begun = { ...globalThis.begun, frontchat: given });",
    [services.logrocket[1]]:
      "globalThis.LogRocket = { init: (...given) => (globalThis.begun = { ...globalThis.begun, logrocket: given }) };",
  };
  await published(settingsOf(names), async (origin) => {
    const { page, faults, close } = await openPage(origin, scripts);
    await page.goto(origin);
    await page.waitForFunction(() => Object.keys(globalThis.begun ?? {}).length === 3);
    const state = () =>
      page.evaluate(() => ({
        begun: globalThis.begun,
        ga4: globalThis.dataLayer.filter((call) => call[0] !== "js").map((call) => [...call]),
        hotjar: globalThis._hjSettings,
        clarity: typeof globalThis.clarity,
        intercom: [globalThis.intercomSettings, globalThis.Intercom.q.map((call) => [...call])],
        mixpanel: [globalThis.mixpanel._i, globalThis.mixpanel.__SV],
        posthog: globalThis.posthog._i,
        hightouch: [globalThis.htevents._writeKey, globalThis.htevents._loadOptions, [...globalThis.htevents]],
        segment: [globalThis.analytics._writeKey, globalThis.analytics._cdn, [...globalThis.analytics]],
        heap: globalThis.heap.envId,
      }));
    const first = await state();
    assert.equal(first.begun.amplitude[0], "amp1");
    assert.equal(first.begun.amplitude[1].autocapture.elementInteractions, false);
    assert.deepEqual(first.begun.frontchat, ["init", { chatId: "front1", useDefaultLauncher: true }]);
    assert.deepEqual(first.begun.logrocket, ["org/app"]);
    assert.deepEqual(first.ga4, [["config", "G-ABC123"]]);
    assert.deepEqual(first.hotjar, { hjid: 7, hjsv: 6 });
    assert.equal(first.clarity, "function");
    assert.deepEqual(first.intercom, [{ app_id: "inter1", api_base: "https://api-iam.intercom.io" }, []]);
    assert.deepEqual(first.mixpanel, [
      [["mix1", { api_host: "https://api-eu.mixpanel.com", track_pageview: "url-with-path" }, "mixpanel"]],
      1.2,
    ]);
    assert.deepEqual(first.posthog, [
      [
        "phc_1",
        { api_host: "https://us.i.posthog.com", capture_pageview: "history_change", disable_session_recording: true },
        "posthog",
      ],
    ]);
    assert.deepEqual(first.hightouch, ["hi1", { apiHost: "us-east-1.hightouch-events.com" }, [["page"]]]);
    assert.deepEqual(first.segment, ["seg1", "https://cdn.segment.com", [["page"]]]);
    assert.equal(first.heap, "42");
    await page.click("main a[href='/next']");
    await page.waitForFunction(() => document.querySelector("main h1")?.textContent.trim() === "Next");
    const second = await state();
    assert.deepEqual(second.hightouch[2], [["page"], ["page"]]);
    assert.deepEqual(second.segment[2], [["page"], ["page"]]);
    assert.deepEqual(second.intercom[1], [["update"]]);
    assert.deepEqual(second.ga4, first.ga4, "it hears of the history by itself");
    assert.deepEqual(faults, []);
    await close();
  });
});

test("where readers have to agree, nothing comes before they did", async () => {
  await published({ ...settingsOf(["ga4"]), cookies: { key: "consent", value: "yes" } }, async (origin) => {
    const { page, asked, close } = await openPage(origin);
    await page.goto(origin);
    await page.waitForLoadState("networkidle");
    assert.deepEqual(asked, []);
    await page.evaluate(() => localStorage.setItem("consent", "no"));
    await page.reload();
    await page.waitForLoadState("networkidle");
    assert.deepEqual(asked, []);
    // With the next page, however it is shown.
    await page.evaluate(() => localStorage.setItem("consent", "yes"));
    await page.click("main a[href='/next']");
    await allAsked(page, addressesOf(["ga4"]));
    // And with the next page after they took it back, none of it is there.
    await page.evaluate(() => localStorage.setItem("consent", "no"));
    await page.click(".sidebar a[href='/']");
    await page.waitForFunction(
      () => document.querySelector("main h1")?.textContent.trim() === "One" && !globalThis.gtag,
    );
    await page.waitForLoadState("networkidle");
    assert.deepEqual(asked, addressesOf(["ga4"]));
    await close();
    const cookie = await openPage(origin);
    await cookie.page.context().addCookies([{ name: "consent", value: "yes", url: origin }]);
    await cookie.page.goto(origin);
    await allAsked(cookie.page, addressesOf(["ga4"]));
    await cookie.close();
  });
});

test("managers of consent come first and let the others in", async () => {
  const transcend =
    "airgap.purposes = { Analytics: false }; airgap.getConsent = () => ({ purposes: airgap.purposes }); const heard = []; airgap.addEventListener = (name, call) => heard.push(call); airgap.choose = (value) => { airgap.purposes.Analytics = value; for (const call of heard) call(); }; for (const call of airgap.readyQueue) call(airgap);";
  await published(settingsOf(["ga4", "transcend"]), async (origin) => {
    const { page, asked, close } = await openPage(origin, { [services.transcend[1]]: transcend });
    await page.goto(origin);
    await page.waitForFunction(() => globalThis.airgap?.choose);
    assert.deepEqual(asked, addressesOf(["transcend"]));
    await page.evaluate(() => globalThis.airgap.choose(true));
    await allAsked(page, addressesOf(["ga4"]));
    await Promise.all([page.waitForEvent("load"), page.evaluate(() => globalThis.airgap.choose(false))]);
    await page.waitForFunction(() => globalThis.airgap?.choose && !globalThis.gtag);
    await close();
  });
  const category = { ...services.onetrust[0], categoryId: "C0002" };
  await published({ ...settingsOf(["ga4"]), onetrust: category }, async (origin) => {
    const { page, asked, close } = await openPage(origin);
    await page.goto(origin);
    await allAsked(page, addressesOf(["onetrust"]));
    await page.waitForLoadState("networkidle");
    assert.deepEqual(asked, addressesOf(["onetrust"]));
    assert.equal(await page.getAttribute(`script[src="${services.onetrust[1]}"]`, "data-domain-script"), "one1-test");
    await page.evaluate(() => {
      globalThis.OnetrustActiveGroups = ",C0001,C0002,";
      globalThis.dispatchEvent(new Event("OneTrustGroupsUpdated"));
    });
    await allAsked(page, addressesOf(["ga4"]));
    await close();
  });
});
