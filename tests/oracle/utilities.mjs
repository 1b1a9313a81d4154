// Writes utilities of Tailwind 3 with the rules that the real package makes of them: utilities.tsv.
//
//     npm ci && node utilities.mjs > utilities.tsv
//
// A line: the class, then its rules with `&` in place of the class; the
// first line, of `*`, holds the custom properties that Tailwind gives to every element. tests/queries/utilities.rs
// reads the list.
//
// The list holds all names of the default theme, of a few colors only, values in brackets, opacities and variants.

import postcss from "postcss";
import tailwind from "tailwindcss";
import resolveConfig from "tailwindcss/resolveConfig.js";
import contexts from "tailwindcss/lib/lib/setupContextUtils.js";
import escaped from "tailwindcss/lib/util/escapeClassName.js";
import rules from "tailwindcss/lib/lib/generateRules.js";

const config = resolveConfig({ content: [{ raw: "" }], darkMode: "class" });
const context = contexts.createContext(config);

const COLORS = ["inherit", "current", "transparent", "black", "white", "gray-200", "blue-600"];
const isColor =
  /-(?:slate|gray|zinc|neutral|stone|red|orange|amber|yellow|lime|green|emerald|teal|cyan|sky|blue|indigo|violet|purple|fuchsia|pink|rose)-\d+$/;
const kept = new RegExp(`-(?:${COLORS.join("|")})$`);

const classes = new Set(
  context.getClassList().filter((name) => name !== "*" && (!isColor.test(name) || kept.test(name))),
);
const add = (...names) => names.forEach((name) => classes.add(name));

// Colors that are seen through, and of the author's own.
const COLORED = [
  "bg",
  "text",
  "border",
  "border-t",
  "border-x",
  "divide",
  "ring",
  "ring-offset",
  "outline",
  "decoration",
  "accent",
  "caret",
  "fill",
  "stroke",
  "shadow",
  "placeholder",
  "from",
  "via",
  "to",
];
for (const stem of COLORED) {
  for (const color of ["red-500", "white", "black", "current"]) {
    for (const alpha of ["5", "50", "95", "[.06]", "[0.35]", "[12%]"]) add(`${stem}-${color}/${alpha}`);
  }
  for (const own of [
    "[#1da1f2]",
    "[#abc]",
    "[rgb(1,2,3)]",
    "[hsl(210,40%,50%)]",
    "[color:var(--x)]",
    "[#1da1f2]/50",
    "[#abc]/[.3]",
  ]) {
    add(`${stem}-${own}`);
  }
}

// Lengths of the author's own.
const LENGTHS = [
  "p",
  "px",
  "py",
  "ps",
  "pe",
  "pt",
  "pr",
  "pb",
  "pl",
  "m",
  "mx",
  "my",
  "ms",
  "me",
  "mt",
  "mr",
  "mb",
  "ml",
  "-m",
  "-mx",
  "-my",
  "-mt",
  "-mr",
  "-mb",
  "-ml",
  "w",
  "h",
  "size",
  "min-w",
  "min-h",
  "max-w",
  "max-h",
  "inset",
  "inset-x",
  "inset-y",
  "top",
  "right",
  "bottom",
  "left",
  "start",
  "end",
  "-top",
  "-left",
  "gap",
  "gap-x",
  "gap-y",
  "space-x",
  "space-y",
  "-space-x",
  "-space-y",
  "basis",
  "text",
  "leading",
  "tracking",
  "rounded",
  "rounded-t",
  "rounded-tl",
  "rounded-s",
  "border",
  "border-t",
  "border-x",
  "divide-x",
  "divide-y",
  "outline",
  "outline-offset",
  "ring",
  "ring-offset",
  "decoration",
  "underline-offset",
  "indent",
  "translate-x",
  "translate-y",
  "-translate-x",
  "-translate-y",
  "scroll-m",
  "scroll-mt",
  "scroll-p",
  "scroll-pt",
  "blur",
  "backdrop-blur",
  "columns",
  "border-spacing",
  "stroke",
];
for (const stem of LENGTHS) {
  add(`${stem}-[3px]`, `${stem}-[1.25rem]`, `${stem}-[calc(100%-2rem)]`, `${stem}-[var(--x)]`);
}
for (const stem of ["w", "h", "min-w", "max-w", "min-h", "max-h", "size", "basis"]) {
  add(
    `${stem}-[50%]`,
    `${stem}-[10ch]`,
    `${stem}-[70vh]`,
    `${stem}-[min(100%,30rem)]`,
    `${stem}-[clamp(1rem,5vw,3rem)]`,
    `${stem}-[theme(spacing.4)]`,
  );
}

// Other values in brackets.
add(
  "w-[calc(100%-var(--x))]",
  "h-[calc(100vh-var(--header-height))]",
  "max-h-[calc(100vh_-_4rem)]",
  "-mt-[var(--nav-height)]",
  "top-[calc(var(--header-height)+1rem)]",
  "w-[calc((100%-2rem)/3)]",
  "h-[calc(100dvh-4rem)]",
  "-left-[calc(var(--a)/2)]",
  "rounded-[calc(var(--radius)-2px)]",
  "min-h-[calc(100vh-var(--a,3rem)-2px)]",
  "z-[60]",
  "-z-[60]",
  "z-[var(--z)]",
  "order-[13]",
  "-order-[13]",
  "opacity-[.67]",
  "opacity-[0.5]",
  "flex-[2]",
  "flex-[2_2_0%]",
  "flex-[1_1_auto]",
  "grow-[3]",
  "shrink-[3]",
  "font-[550]",
  "font-[Inter]",
  "font-['Open_Sans']",
  "font-[family-name:var(--f)]",
  "font-[weight:var(--w)]",
  "text-[14px]/[20px]",
  "text-[14px]/6",
  "text-sm/6",
  "text-sm/[17px]",
  "text-lg/7",
  "text-base/loose",
  "text-[length:var(--x)]",
  "text-[color:var(--x)]",
  "text-[1.5em]",
  "content-['']",
  "content-['x_y']",
  "content-[attr(data-x)]",
  "content-none",
  "before:content-['→']",
  "bg-[url(/a.png)]",
  "bg-[url('/a.png')]",
  "bg-[length:200px_100px]",
  "bg-[size:50%]",
  "bg-[position:center_top]",
  "bg-[center_top_1rem]",
  "bg-[linear-gradient(90deg,#000,#fff)]",
  "bg-[image:var(--i)]",
  "bg-[percentage:30%]",
  "from-[10%]",
  "via-[30%]",
  "to-[90%]",
  "rotate-[17deg]",
  "-rotate-[17deg]",
  "skew-x-[17deg]",
  "-skew-y-[3deg]",
  "scale-[1.7]",
  "scale-x-[1.7]",
  "-scale-x-[1.7]",
  "origin-[33%_75%]",
  "duration-[2000ms]",
  "delay-[2000ms]",
  "ease-[cubic-bezier(0.95,0.05,0.795,0.035)]",
  "transition-[height]",
  "transition-[height,width]",
  "animate-[wiggle_1s_ease-in-out_infinite]",
  "brightness-[1.1]",
  "contrast-[.25]",
  "grayscale-[50%]",
  "hue-rotate-[270deg]",
  "-hue-rotate-[270deg]",
  "invert-[.25]",
  "saturate-[.25]",
  "sepia-[.25]",
  "drop-shadow-[0_35px_35px_rgba(0,0,0,0.25)]",
  "backdrop-brightness-[1.75]",
  "backdrop-contrast-[.25]",
  "backdrop-grayscale-[.5]",
  "backdrop-hue-rotate-[90deg]",
  "backdrop-invert-[.25]",
  "backdrop-opacity-[.15]",
  "backdrop-saturate-[.25]",
  "backdrop-sepia-[.25]",
  "shadow-[0_35px_60px_-15px_rgba(0,0,0,0.3)]",
  "shadow-[inset_0_1px_2px_#000]",
  "shadow-[var(--x)]",
  "grid-cols-[200px_minmax(0,1fr)_100px]",
  "grid-cols-[auto,1fr]",
  "grid-cols-[repeat(auto-fill,minmax(8rem,1fr))]",
  "grid-rows-[200px_1fr]",
  "col-[16_/_span_16]",
  "col-start-[7]",
  "-col-start-[7]",
  "col-end-[7]",
  "row-[span_16_/_span_16]",
  "row-start-[7]",
  "row-end-[7]",
  "auto-cols-[minmax(0,2fr)]",
  "auto-rows-[minmax(0,2fr)]",
  "aspect-[4/3]",
  "aspect-[16/9]",
  "columns-[10rem]",
  "object-[center_top]",
  "list-['👍']",
  "list-[upper-roman]",
  "list-image-[url(carrot.png)]",
  "line-clamp-[7]",
  "cursor-[grab]",
  "cursor-[url(hand.cur),_pointer]",
  "will-change-[top,left]",
  "fill-[url(#a)]",
  "stroke-[1.5]",
  "align-[4px]",
  "accent-[auto]",
  "caret-[auto]",
  "[mask-type:luminance]",
  "[mask:none]",
  "[--x:1rem]",
  "[color:red]",
  "[text-wrap:balance]",
  "[font-variant:small-caps]",
  "[&>p]:mt-4",
  "[&_p]:mt-4",
  "[&:nth-child(3)]:mt-4",
  "[@media(min-width:640px)]:mt-4",
  "[@supports(display:grid)]:grid",
  "supports-[display:grid]:grid",
  "min-[900px]:flex",
  "max-[900px]:flex",
  "data-[state=open]:block",
  "aria-[sort=ascending]:block",
  "aria-checked:block",
  "group-data-[x=y]:block",
  "group-[.is-open]:block",
  "peer-[.is-open]:block",
  "has-[:checked]:block",
  "has-[img]:p-0",
  "group-has-[a]:block",
  "peer-has-[a]:block",
  "nth-[3]:block",
  "not-[:first-child]:block",
  "*:mt-4",
  "hover:*:mt-4",
);

// Marks of importance and variants.
const VARIANTS = [
  "hover",
  "focus",
  "active",
  "visited",
  "focus-within",
  "focus-visible",
  "disabled",
  "checked",
  "first",
  "last",
  "only",
  "odd",
  "even",
  "first-of-type",
  "last-of-type",
  "empty",
  "required",
  "valid",
  "invalid",
  "read-only",
  "target",
  "open",
  "before",
  "after",
  "placeholder",
  "file",
  "marker",
  "selection",
  "first-line",
  "first-letter",
  "backdrop",
  "sm",
  "md",
  "lg",
  "xl",
  "2xl",
  "max-sm",
  "max-md",
  "max-lg",
  "dark",
  "print",
  "portrait",
  "landscape",
  "motion-safe",
  "motion-reduce",
  "contrast-more",
  "contrast-less",
  "forced-colors",
  "rtl",
  "ltr",
  "group-hover",
  "group-focus",
  "group-first",
  "group-odd",
  "peer-checked",
  "peer-focus",
  "peer-disabled",
  "group-hover/card",
  "peer-checked/box",
  "md:hover",
  "dark:hover",
  "dark:md",
  "md:dark",
  "lg:group-hover",
  "first:hover",
  "hover:before",
  "sm:max-lg",
  "dark:group-hover",
  "enabled",
  "indeterminate",
  "default",
  "optional",
  "in-range",
  "out-of-range",
  "placeholder-shown",
  "autofill",
  "only-of-type",
];
for (const variant of VARIANTS) {
  add(`${variant}:mt-4`, `${variant}:bg-red-500`, `${variant}:underline`, `${variant}:!flex`, `${variant}:w-[12px]`);
}
add("!mt-4", "!-mt-4", "-!mt-4", "!bg-red-500/50", "!text-sm", "!rounded", "!w-[12px]");

/** `selector` with `&` in place of the class `name`. */
const placed = (selector, name) =>
  selector
    .replace(/\s+/g, " ")
    .split(`.${escaped.default(name)}`)
    .join("&");

/** Rules below `node`, each in a line. */
function* written(node, conditions, name) {
  if (node.type === "atrule") {
    if (node.name === "defaults" || node.name.endsWith("keyframes")) return;
    const condition = `@${node.name} ${node.params}`;
    for (const child of node.nodes ?? []) yield* written(child, [...conditions, condition], name);
  } else if (node.type === "rule") {
    const declarations = node.nodes.filter((child) => child.type === "decl");
    for (const child of node.nodes) if (child.type !== "decl") yield* written(child, conditions, name);
    if (declarations.length === 0) return;
    const body = declarations
      .map(({ prop, value, important }) => `${prop}:${value.replace(/\s+/g, " ")}${important ? " !important" : ""}`)
      .join(";");
    const around = conditions.map((condition) => `${condition}{`).join("");
    yield `${around}${placed(node.selector, name)}{${body}}${"}".repeat(conditions.length)}`;
  }
}

/** Custom properties that Tailwind gives to every element. */
async function defaults() {
  const all = { content: [{ raw: [...classes].join(" ") }], experimental: { optimizeUniversalDefaults: false } };
  const { root } = await postcss([tailwind(all)]).process("@tailwind base; @tailwind utilities", { from: undefined });
  const found = [];
  root.walkRules((rule) => {
    if (!rule.selector.startsWith("*, ::before")) return;
    rule.walkDecls(/^--tw-/, ({ prop, value }) => found.push(`${prop}:${value.trim()}`));
  });
  return [...new Set(found)].join(";");
}

console.log(`*\t*{${await defaults()}}`);
for (const name of [...classes].sort()) {
  const found = rules.generateRules(new Set([name]), context);
  const lines = found.flatMap(([, node]) => [...written(node, [], name)]);
  // A name of the list that Tailwind has no rule for says nothing.
  if (lines.length > 0) console.log([name, ...lines].join("\t"));
}
