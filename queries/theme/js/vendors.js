// Loads the services of others that the site names, each as it documents, once the reader has agreed wherever the site
// asks for that. Addresses and identifiers stand in the page; here is only what each script expects to find when it
// comes.
(() => {
  const { vendors, gate } = JSON.parse(document.getElementById("quire-vendors").textContent);

  const load = ({ src, set = {} }, then) => {
    const script = document.createElement("script");
    script.async = true;
    for (const [name, value] of Object.entries(set)) script.setAttribute(name, value);
    script.onload = then ?? null;
    script.src = src;
    document.head.append(script);
  };
  /**
   * A global function whose calls are kept in `q` until the script is there.
   * @param {string} name
   */
  const waiting = (name) => {
    window[name] ??= function () {
      (window[name].q ??= []).push(arguments);
    };
  };
  /**
   * A global list of calls, with a method for each of `names` that adds one.
   * @param {string} name
   */
  const listing = (name, names) => {
    const list = (window[name] ??= []);
    for (const method of names) {
      list[method] ??= (...given) => {
        list.push([method, ...given]);
        return list;
      };
    }
    return list;
  };
  const dataLayer = () => (window.dataLayer ??= []);

  // What is there before the script of a service; where it is told only afterwards, it loads itself.
  const begin = {
    amplitude: (vendor) =>
      load(vendor, () =>
        window.amplitude?.init(vendor.key, {
          fetchRemoteConfig: true,
          autocapture: {
            pageViews: true,
            sessions: true,
            attribution: true,
            fileDownloads: false,
            formInteractions: false,
            elementInteractions: false,
          },
        }),
      ),
    clarity(vendor) {
      waiting("clarity");
      load(vendor);
    },
    frontchat: (vendor) =>
      load(vendor, () => window.FrontChat?.("init", { chatId: vendor.id, useDefaultLauncher: true })),
    ga4(vendor) {
      const layer = dataLayer();
      window.gtag ??= function () {
        layer.push(arguments);
      };
      window.gtag("js", new Date());
      window.gtag("config", vendor.id);
      load(vendor);
    },
    gtm(vendor) {
      dataLayer().push({ "gtm.start": Date.now(), event: "gtm.js" });
      load(vendor);
    },
    heap(vendor) {
      const ready = (window.heapReadyCb ??= []);
      const heap = (window.heap ??= []);
      heap.envId = vendor.id;
      heap.clientConfig = { shouldFetchServerConfig: false };
      for (const name of [
        "init",
        "startTracking",
        "stopTracking",
        "track",
        "identify",
        "resetIdentity",
        "addUserProperties",
        "addEventProperties",
        "trackPageview",
        "onReady",
      ]) {
        heap[name] ??= (...given) => ready.push({ name, fn: () => window.heap[name]?.(...given) });
      }
      load(vendor);
    },
    hightouch(vendor) {
      const events = listing("htevents", ["track", "identify", "page", "group", "reset", "ready", "on", "once", "off"]);
      events.invoked = true;
      events._writeKey = vendor.key;
      events._loadOptions = { apiHost: vendor.host };
      events.page();
      load(vendor);
    },
    hotjar(vendor) {
      waiting("hj");
      window._hjSettings = { hjid: Number(vendor.id), hjsv: Number(vendor.version) };
      load(vendor);
    },
    intercom(vendor) {
      window.intercomSettings = { app_id: vendor.id, api_base: vendor.host };
      window.Intercom ??= Object.assign((...given) => window.Intercom.c(given), {
        q: [],
        c: (given) => window.Intercom.q.push(given),
      });
      load(vendor);
    },
    logrocket: (vendor) => load(vendor, () => window.LogRocket?.init(vendor.id)),
    mixpanel(vendor) {
      const mixpanel = (window.mixpanel ??= []);
      mixpanel.people ??= [];
      mixpanel._i = [[vendor.key, { api_host: vendor.host, track_pageview: "url-with-path" }, "mixpanel"]];
      mixpanel.__SV = 1.2;
      load(vendor);
    },
    onetrust(vendor) {
      window.OptanonWrapper ??= () => {};
      addEventListener("OneTrustGroupsUpdated", decide);
      load(vendor);
    },
    posthog(vendor) {
      const posthog = (window.posthog ??= []);
      posthog.people ??= [];
      const settings = {
        api_host: vendor.host,
        capture_pageview: "history_change",
        disable_session_recording: vendor.recording !== "yes",
      };
      posthog._i = [[vendor.key, settings, "posthog"]];
      posthog.__SV = 1;
      load(vendor);
    },
    segment(vendor) {
      const analytics = listing("analytics", [
        "track",
        "identify",
        "page",
        "group",
        "alias",
        "reset",
        "ready",
        "on",
        "once",
        "off",
      ]);
      analytics.invoked = true;
      analytics._writeKey = vendor.key;
      analytics._cdn = vendor.cdn;
      analytics.SNIPPET_VERSION = "5.2.0";
      analytics.page();
      load(vendor);
    },
    transcend(vendor) {
      const airgap = (window.airgap ??= {});
      airgap.readyQueue ??= [];
      airgap.ready ??= (call) => airgap.readyQueue.push(call);
      airgap.ready((manager) => {
        manager.addEventListener("consent-change", decide);
        decide();
      });
      load(vendor);
    },
  };
  // The others hear of pages that are shown without being loaded by the History API.
  const visited = {
    hightouch: () => window.htevents.page(),
    intercom: () => window.Intercom("update"),
    segment: () => window.analytics.page(),
  };

  // ---- Consent

  const kept = (key) => {
    try {
      const value = localStorage.getItem(key);
      if (value !== null) return value;
    } catch {
      // There may be a cookie.
    }
    const pairs = document.cookie.split("; ").map((pair) => [pair.split("=")[0], pair.slice(pair.indexOf("=") + 1)]);
    const found = pairs.find(([name]) => name === key)?.[1];
    try {
      return found && decodeURIComponent(found);
    } catch {
      return found;
    }
  };
  const allows = {
    onetrust: ({ category }) => !category || (window.OnetrustActiveGroups ?? "").split(",").includes(category),
    transcend: ({ purpose }) => window.airgap?.getConsent?.()?.purposes?.[purpose] === true,
  };
  const isAgreed = () => {
    const value = gate ? kept(gate.key) : "";
    const isOpen = !gate || (gate.value == null ? Boolean(value) : value === gate.value);
    return isOpen && vendors.every((vendor) => !vendor.asks || allows[vendor.name](vendor));
  };

  let isLoaded = false;
  function decide() {
    if (isAgreed() === isLoaded) return;
    // What a script has done cannot be undone but by another page.
    if (isLoaded) return location.reload();
    isLoaded = true;
    for (const vendor of vendors) if (!vendor.asks) (begin[vendor.name] ?? load)(vendor);
  }

  for (const vendor of vendors) if (vendor.asks) begin[vendor.name](vendor);
  decide();
  document.addEventListener("quire:visited", () => {
    const wasLoaded = isLoaded;
    decide();
    if (wasLoaded && isLoaded) for (const { name } of vendors) visited[name]?.();
  });
})();
