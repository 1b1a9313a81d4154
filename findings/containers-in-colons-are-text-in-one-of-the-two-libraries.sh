#!/usr/bin/env bash
# Containers in colons (`:::tip`) look like one syntax. The two libraries behind most sites that have them, markdown-it-container 4.0.0
# (VitePress, VuePress) and remark-directive 4.0.0 (Starlight, Docusaurus), agree on `:::tip` alone:
#   `:::tip A title` and `::: tip` are text in remark-directive (Docusaurus rewrites the first before it is read);
#   `:::tip[A title]` is text in markdown-it-container.
# Both end two nested containers of three colons at the first closing line: what stands between the two closing lines falls out of
# the outer one, and the second closing line is text. So a page moved from one tool to the other loses boxes without a message, and
# a reader of both must take every form.
# Needs npm and its registry. Exits with 1 if that is no longer so.
set -euo pipefail

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-save markdown-it@14.1.0 markdown-it-container@4.0.0 unified@11.0.5 remark-parse@11.0.0 \
    remark-directive@4.0.0 > /dev/null 2>&1
cat > seen.mjs <<'JS'
import MarkdownIt from "markdown-it";
import container from "markdown-it-container";
import remarkDirective from "remark-directive";
import remarkParse from "remark-parse";
import { unified } from "unified";

const vitepress = new MarkdownIt().use(container, "info").use(container, "tip");
const starlight = unified().use(remarkParse).use(remarkDirective);
const words = (node) => node.value?.replaceAll("\n", " ") ?? node.children.map(words).join("|");
const boxes = (node) => (node.name ? `${node.name}[${node.children.map(boxes).join(" ")}]` : node.children && node.type === "root" ? node.children.map(boxes).join(" ") : words(node));
const texts = [":::tip\na\n:::\n", ":::tip A title\na\n:::\n", "::: tip\na\n:::\n", ":::tip[A title]\na\n:::\n", ":::info\na\n:::tip\nb\n:::\nc\n:::\n"];
for (const text of texts) {
  const html = vitepress.render(text).replaceAll("\n", " ").replace(/<div class="(\w+)">/g, "$1[").replaceAll("</div>", "]").replaceAll(/<\/?p>/g, "");
  console.log(`${JSON.stringify(text)} => ${html.replace(/\s+/g, " ").trim()} => ${boxes(starlight.parse(text))}`);
}
JS
node seen.mjs > seen.txt
cat > expected.txt <<'TEXT'
":::tip\na\n:::\n" => tip[ a ] => tip[a]
":::tip A title\na\n:::\n" => tip[ a ] => :::tip A title a :::
"::: tip\na\n:::\n" => tip[ a ] => ::: tip a :::
":::tip[A title]\na\n:::\n" => :::tip[A title] a ::: => tip[A title a]
":::info\na\n:::tip\nb\n:::\nc\n:::\n" => info[ a tip[ b ] ] c ::: => info[a tip[b]] c :::
TEXT
diff expected.txt seen.txt
cat seen.txt
