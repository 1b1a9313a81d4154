// Draws diagrams when they come near the window, again when the theme changes, and anew when the page is edited.
(() => {
  const root = document.documentElement;
  const isDark = () => root.classList.contains("dark");
  const scripts = new Map();
  // What was drawn, by theme and source: an edit of the page elsewhere shows it again at once.
  const drawn = new Map();
  let count = 0;

  const load = (url) => {
    if (!scripts.has(url)) {
      const loaded = new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = url;
        script.onload = () => (window.mermaid ? resolve(window.mermaid) : reject(new Error("the script is not there")));
        script.onerror = () => {
          scripts.delete(url);
          reject(new Error("the script could not be loaded"));
        };
        document.head.append(script);
      });
      scripts.set(url, loaded);
    }
    return scripts.get(url);
  };

  // Colors of the page as `rgb()`, which is what Mermaid reads.
  const color = (name) => {
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  };

  const options = () => {
    const line = color("line-strong");
    const ink = color("ink");
    const hues = ["blue", "teal", "amber", "purple", "green", "orange", "red"].map(color);
    const pies = Object.fromEntries(hues.map((hue, i) => [`pie${i + 1}`, hue]));
    return {
      startOnLoad: false,
      securityLevel: "strict",
      suppressErrorRendering: true,
      fontFamily: getComputedStyle(document.body).fontFamily,
      theme: "base",
      themeVariables: {
        darkMode: isDark(),
        background: color("ground"),
        fontSize: "15px",
        primaryColor: color("ground-sunken"),
        primaryTextColor: ink,
        primaryBorderColor: line,
        secondaryColor: color("ground-raised"),
        secondaryTextColor: ink,
        secondaryBorderColor: line,
        tertiaryColor: color("ground"),
        tertiaryTextColor: ink,
        tertiaryBorderColor: line,
        lineColor: color("ink-soft"),
        textColor: ink,
        edgeLabelBackground: color("ground"),
        noteBkgColor: color("ground-raised"),
        noteTextColor: ink,
        noteBorderColor: line,
        activationBkgColor: line,
        ...pies,
        pieStrokeColor: color("ground"),
        pieOuterStrokeColor: line,
        pieSectionTextColor: color("ground"),
        pieOpacity: "1",
      },
    };
  };

  const source = (figure) => figure.querySelector(".diagram-source").textContent;
  const key = (figure) => `${isDark()}\n${source(figure)}`;

  const show = (figure, svg) => {
    let view = figure.querySelector(".diagram-view");
    if (!view) {
      view = document.createElement("div");
      view.className = "diagram-view";
      // Without a mouse it is scrolled too.
      view.tabIndex = 0;
      figure.append(view);
    }
    view.innerHTML = svg;
    // On a small screen a wide diagram is scrolled, not shrunk until nobody can read it.
    const drawing = view.querySelector("svg");
    const width = drawing?.viewBox.baseVal?.width;
    if (width) drawing.style.minInlineSize = `${Math.min(width * 0.8, 560)}px`;
    figure.querySelector(".diagram-note")?.remove();
    figure.setAttribute("data-drawn", "");
    document.dispatchEvent(new CustomEvent("quire:diagram", { detail: figure }));
  };

  const fail = (figure, error) => {
    figure.querySelector(".diagram-view")?.remove();
    figure.removeAttribute("data-drawn");
    let note = figure.querySelector(".diagram-note");
    if (!note) {
      note = document.createElement("p");
      note.className = "diagram-note";
      figure.append(note);
    }
    note.textContent = globalThis.quireSay(
      "DiagramFailed",
      "This diagram could not be drawn: {}",
      String(error?.message ?? error).split("\n")[0],
    );
  };

  // One at a time: Mermaid has one configuration for all.
  let queue = Promise.resolve();
  const draw = (figure) => {
    const known = drawn.get(key(figure));
    if (known) return show(figure, known);
    queue = queue.then(async () => {
      if (!figure.isConnected) return;
      const wanted = key(figure);
      const id = `diagram-${++count}`;
      try {
        const mermaid = await load(figure.dataset.diagram);
        mermaid.initialize(options());
        const { svg } = await mermaid.render(id, source(figure));
        // Its ids are those of its first drawing, so a copy of the same diagram is drawn by itself.
        drawn.set(wanted, svg);
        if (figure.isConnected && key(figure) === wanted) show(figure, svg);
      } catch (error) {
        document.getElementById(`d${id}`)?.remove();
        document.getElementById(id)?.remove();
        fail(figure, error);
      }
    });
  };

  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        near.unobserve(entry.target);
        entry.target.setAttribute("data-near", "");
        draw(entry.target);
      }
    },
    { rootMargin: "600px" },
  );

  const prepare = () => {
    for (const figure of document.querySelectorAll("[data-diagram]:not([data-near])")) {
      if (drawn.has(key(figure))) {
        figure.setAttribute("data-near", "");
        draw(figure);
      } else {
        near.observe(figure);
      }
    }
  };

  let wasDark = isDark();
  new MutationObserver(() => {
    if (wasDark === isDark()) return;
    wasDark = isDark();
    for (const figure of document.querySelectorAll("[data-diagram][data-near]")) draw(figure);
  }).observe(root, { attributes: true, attributeFilter: ["class"] });

  // What is printed is all of the page.
  addEventListener("beforeprint", () => {
    for (const figure of document.querySelectorAll("[data-diagram]:not([data-near])")) draw(figure);
  });
  document.addEventListener("quire:update", prepare);
  prepare();
})();
