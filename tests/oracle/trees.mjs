// Reads every page of a corpus with remark-mdx, the reference implementation of MDX, and writes what it found as
// counts and digests: one line a page. tests/queries/differential.rs compares them with what we read.
//
//     npm ci && node trees.mjs CORPUS > trees.tsv
//     node trees.mjs --cases cases.txt > cases.tsv
//     node trees.mjs --show FILE      the tree of one file
//
// A line: path, then either `refused LINE:COLUMN`, or digest of the JSX tree, number of elements, number of
// expressions that are more than a comment, digest of the text, and counts of blocks and inlines as `name=count`, names
// sorted, zeros left out.

import fs from "node:fs";
import path from "node:path";
import { unified } from "unified";
import remarkParse from "remark-parse";
import remarkFrontmatter from "remark-frontmatter";
import remarkGfm from "remark-gfm";
import remarkMdx from "remark-mdx";

const reader = unified().use(remarkParse).use(remarkFrontmatter).use(remarkGfm).use(remarkMdx).freeze();

const ELEMENTS = new Set(["mdxJsxFlowElement", "mdxJsxTextElement"]);
const EXPRESSIONS = new Set(["mdxFlowExpression", "mdxTextExpression"]);

/** FNV-1a, 64 bits, of UTF-8, in hexadecimal. */
function digest(text) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}

/** An attribute: its name and its value, without white space, which depends on what the element stands in. */
function attribute(node) {
  const bare = (text) => text.replace(/\s+/g, "");
  if (node.type === "mdxJsxExpressionAttribute") return `{${bare(node.value)}}`;
  if (node.value === null || node.value === undefined) return node.name;
  return node.name + (typeof node.value === "string" ? `="${bare(node.value)}"` : `={${bare(node.value.value)}}`);
}

/** `Name attribute attribute[children]`, of elements only. */
function tree(node) {
  const children = (node.children ?? []).map(tree).join("");
  if (!ELEMENTS.has(node.type)) return children;
  return `<${[node.name ?? "", ...node.attributes.map(attribute)].join(" ")}>${children}</>`;
}

/** Whether an expression holds a comment only. */
const isComment = (node) => /^(\s*\/\*[^]*?\*\/)+\s*$/.test(node.value);

/** Whether a paragraph holds JSX and blanks only: MDX takes such a paragraph away. */
function isUnravelled(node) {
  return node.children.every(
    (child) =>
      ELEMENTS.has(child.type) || EXPRESSIONS.has(child.type) || (child.type === "text" && child.value.trim() === ""),
  );
}

const NAMES = {
  blockquote: "quote",
  break: "break",
  code: "code",
  delete: "strike",
  emphasis: "emphasis",
  footnoteDefinition: "footnote",
  footnoteReference: "mention",
  image: "image",
  imageReference: "image",
  inlineCode: "span",
  link: "link",
  linkReference: "link",
  list: "list",
  listItem: "item",
  strong: "strong",
  table: "table",
  tableRow: "row",
  thematicBreak: "rule",
};

function count(root) {
  const counts = {};
  let elements = 0;
  let expressions = 0;
  let text = "";
  const add = (name) => (counts[name] = (counts[name] ?? 0) + 1);
  // Paragraphs of items keep their tags where a blank line parts what stands in the list (CommonMark 5.3); one within
  // an element is the element's own.
  const isParted = ({ children }) =>
    children.some((child, at) => at > 0 && child.position.start.line - children[at - 1].position.end.line > 1);
  const isLoose = (list) => isParted(list) || list.children.some(isParted);
  const visit = (node, list) => {
    if (node.type === "listItem" && isLoose(list)) {
      node.children.forEach((child) => child.type === "paragraph" && !isUnravelled(child) && add("loose"));
    }
    if (ELEMENTS.has(node.type)) elements += 1;
    else if (EXPRESSIONS.has(node.type)) expressions += isComment(node) ? 0 : 1;
    else if (node.type === "heading") add(`h${node.depth}`);
    else if (node.type === "paragraph" && !isUnravelled(node)) add("paragraph");
    else if (NAMES[node.type]) add(NAMES[node.type]);
    if (["text", "inlineCode", "code"].includes(node.type)) text += node.value;
    if (node.type === "image") text += node.alt ?? "";
    for (const child of node.children ?? []) visit(child, node);
  };
  visit(root);
  return { counts, elements, expressions, text: text.replace(/\s+/g, "") };
}

function line(source) {
  let root;
  try {
    root = reader.parse(source);
  } catch (error) {
    return `refused ${error.line ?? error.place?.line ?? 0}:${error.column ?? error.place?.column ?? 0}`;
  }
  const { counts, elements, expressions, text } = count(root);
  const list = Object.keys(counts)
    .sort()
    .map((name) => `${name}=${counts[name]}`);
  return [digest(tree(root)), elements, expressions, digest(text), list.join(" ")].join("\t");
}

function* pages(folder, below = "") {
  const entries = fs.readdirSync(path.join(folder, below), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const name = below ? `${below}/${entry.name}` : entry.name;
    if (entry.isDirectory()) yield* pages(folder, name);
    else if (entry.isFile() && /\.mdx?$/.test(entry.name)) yield name;
  }
}

const [command, file] = process.argv.slice(2);
if (command === "--show") {
  const root = reader.parse(fs.readFileSync(file, "utf8"));
  const show = (node, depth) => {
    const words = [node.type, node.name, node.depth, node.value && JSON.stringify(node.value).slice(0, 60)];
    console.log("  ".repeat(depth) + words.filter(Boolean).join(" "));
    for (const child of node.children ?? []) show(child, depth + 1);
  };
  show(root, 0);
  console.log(tree(root));
} else if (command === "--cases") {
  const cases = fs.readFileSync(file, "utf8").split("=====\n");
  cases.forEach((source, at) => console.log(`${at + 1}\t${line(source)}`));
} else if (command) {
  for (const name of pages(command)) {
    console.log(`${name}\t${line(fs.readFileSync(path.join(command, name), "utf8"))}`);
  }
} else {
  console.error(
    "usage: node trees.mjs CORPUS > trees.tsv\n       node trees.mjs --cases cases.txt > cases.tsv\n       node trees.mjs --show FILE",
  );
  process.exitCode = 2;
}
