// Utilities as a browser computes them: each element of a page with ours has the styles that it has with the rules of
// Tailwind CSS (tests/oracle/utilities.tsv), which are compared as texts in tests/queries/utilities.rs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { program, serveExport, startBrowser } from "./support.mjs";

const list = join(dirname(fileURLToPath(import.meta.url)), "../oracle/utilities.tsv");

/** Beginnings of classes whose styles differ, each with the reason. */
const DIFFERENT = [
  ["blur-none", "is `blur(0)`, which draws the same"],
  ["backdrop-blur-none", "is `blur(0)`, which draws the same"],
  ["bg-[url(", "an address of the site has the base path"],
  ["bg-[url('", "an address of the site has the base path"],
  ["content-[", "an element that is no pseudo-element has no content of its own"],
  ["list-image-[", "addresses in a property of the author's own are not read"],
];

/** `text` with each color seen through as `rgba(…)`: `color-mix` computes to `oklab(…)`. */
function inRgb(text) {
  return text.replace(/oklab\(([^)]*)\)/g, (_, parts) => {
    const [l, a, b, alpha = 1] = parts.split(/[\s/]+/).map(Number);
    const cube = (x, y) => (l + x * a + y * b) ** 3;
    const [long, middle, short] = [
      cube(0.3963377774, 0.2158037573),
      cube(-0.1055613458, -0.0638541728),
      cube(-0.0894841775, -1.291485548),
    ];
    const linear = [
      4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
      -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
      -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
    ];
    const channels = linear.map((x) => Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055)));
    const clamped = channels.map((x) => Math.min(255, Math.max(0, x))).join(", ");
    return alpha === 1 ? `rgb(${clamped})` : `rgba(${clamped}, ${alpha})`;
  });
}

/** `text` as it is seen: colors in one form, without shadows that have no size or no color. */
function seen(text) {
  const shadows = inRgb(text).split(/, (?=rgba?\([^)]*\) -?[\d.]+px)/);
  return shadows.filter((shadow) => !/^rgba\(0, 0, 0, 0\) |\) 0px 0px 0px 0px$/.test(shadow)).join(", ");
}

/** The rules of Tailwind for all classes, and the classes. */
function tailwind() {
  const [first, ...lines] = readFileSync(list, "utf8").trimEnd().split("\n");
  const rules = [
    first.split("\t")[1].replace("*{", "*,::before,::after,::backdrop{"),
    // Of its preflight.
    '::before,::after{--tw-content:""}',
  ];
  const classes = lines.map((line) => {
    const [name, ...own] = line.split("\t");
    rules.push(...own.map((rule) => [name, rule]));
    return name;
  });
  return { rules, classes };
}

test("elements have the styles that Tailwind gives them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quire-utilities-"));
  const { rules, classes } = tailwind();
  const page = classes.map((name) => `<div className={${JSON.stringify(name)}}><i></i></div>`);
  writeFileSync(
    join(folder, "docs.json"),
    JSON.stringify({ name: "U", theme: "mint", colors: { primary: "#0055aa" }, navigation: { pages: ["index"] } }),
  );
  writeFileSync(join(folder, "index.mdx"), `---\ntitle: U\n---\n\n${page.join("\n")}\n`);
  execFileSync(program, [
    "build",
    folder,
    "--out",
    join(folder, "out"),
    "--base-path",
    "/docs",
    "--no-state",
    "--quiet",
  ]);
  const server = await serveExport(join(folder, "out"));
  const browser = await startBrowser();
  try {
    const tab = await browser.newPage({ viewport: { width: 1350, height: 900 } });
    await tab.goto(`${server.origin}/docs/`);
    const differing = await tab.evaluate(
      ({ rules, classes }) => {
        const elements = [...document.querySelectorAll("div[class] > i:only-child:empty")].map(
          (child) => child.parentElement,
        );
        if (elements.length !== classes.length) return [`${elements.length} elements of ${classes.length} classes`];
        // The longhands of a rule of Tailwind; what else ours declare, the comparison of texts finds.
        const longhands = (rule) => (rule.style ? [...rule.style] : [...(rule.cssRules ?? [])].flatMap(longhands));
        const names = classes.map(() => new Set());
        const index = new Map(classes.map((name, at) => [name, at]));
        const scratch = new CSSStyleSheet();
        const written = rules.map((rule) => {
          if (typeof rule === "string") return rule;
          const text = rule[1].replaceAll("&", `.${CSS.escape(rule[0])}`);
          scratch.replaceSync(text);
          const own = [...scratch.cssRules].flatMap((one) => [
            ...longhands(one),
            ...[...(one.cssRules ?? [])].flatMap(longhands),
          ]);
          for (const name of own) if (!name.startsWith("--tw-")) names[index.get(rule[0])].add(name);
          return text;
        });
        const computed = () =>
          elements.map((element, at) =>
            [[element], [element, "::before"], [element, "::after"], [element.firstChild]].map(([of, part]) => {
              const style = getComputedStyle(of, part);
              return Object.fromEntries([...names[at]].map((name) => [name, style.getPropertyValue(name)]));
            }),
          );
        const ours = computed();
        document.querySelector("style[data-live=styles]").remove();
        const sheet = document.createElement("style");
        sheet.textContent = written.join("\n");
        document.head.append(sheet);
        const theirs = computed();
        return classes.flatMap((name, at) =>
          ours[at].flatMap((style, part) =>
            [...names[at]]
              .filter((property) => style[property] !== theirs[at][part][property])
              .map((property) =>
                [
                  name,
                  ["element", "::before", "::after", "child"][part],
                  property,
                  style[property],
                  theirs[at][part][property],
                ].join("\t"),
              ),
          ),
        );
      },
      { rules, classes },
    );
    const drawn = differing.filter((line) => {
      const [, , , ours, theirs] = line.split("\t").map(seen);
      return ours !== theirs;
    });
    const of = (name) => (line) => line.startsWith(name);
    assert.deepEqual(
      drawn.filter((line) => !DIFFERENT.some(([name]) => of(name)(line))),
      [],
    );
    assert.deepEqual(
      DIFFERENT.filter(([name]) => !drawn.some(of(name))),
      [],
      "the same now",
    );
  } finally {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
