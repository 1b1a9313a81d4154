// Writes the result of a check as a comment of the pull request; the comment of an earlier run is changed.
import { readFileSync } from "node:fs";

import { counted, findings } from "./findings.mjs";

const MARK = "<!-- quire -->";
const MOST = 20;

const { GITHUB_API_URL, GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_TOKEN, PREVIEW_URL, ARTIFACT_URL, DIR } =
  process.env;

async function ask(method, path, body) {
  const reply = await fetch(`${GITHUB_API_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${GITHUB_TOKEN}`, accept: "application/vnd.github+json" },
    body: body && JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

/** A branch as hosts of previews have it. */
const label = (branch) =>
  branch
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

/** Text of others in a table: neither markup nor a mention. */
const plain = (text) => `\`${text.replaceAll(/[`\n]/g, "'").replaceAll("|", "\\|")}\``;

function text({ summary, found }, branch) {
  const { errors, warnings, pages } = summary;
  const counts = [counted(pages, "page"), counted(errors, "error"), counted(warnings, "warning")];
  const lines = [MARK, `### ${errors ? "❌" : "✅"} Documentation: ${counts.join(", ")}`, ""];
  if (PREVIEW_URL) lines.push(`[Preview](${PREVIEW_URL.replaceAll("{branch}", label(branch))})`, "");
  if (ARTIFACT_URL) lines.push(`[Built site](${ARTIFACT_URL})`, "");
  if (found.length) {
    lines.push("| | Place | |", "|---|---|---|");
    for (const one of found.slice(0, MOST)) {
      const place = one.line ? `${one.path}:${one.line}` : one.path;
      lines.push(`| ${one.severity} | ${plain(place)} | ${plain(one.message)} |`);
    }
    if (found.length > MOST) lines.push("", `And ${found.length - MOST} more, in the log of the check.`);
  }
  return lines.join("\n");
}

async function earlier(path) {
  for (let page = 1; ; page += 1) {
    const comments = await ask("GET", `${path}?per_page=100&page=${page}`);
    const own = comments.find(({ body }) => body?.startsWith(MARK));
    if (own || comments.length < 100) return own;
  }
}

const { pull_request } = JSON.parse(readFileSync(GITHUB_EVENT_PATH, "utf8"));
const body = text(findings(process.argv[2], DIR || "."), pull_request.head.ref);
const issue = `/repos/${GITHUB_REPOSITORY}/issues`;
const own = await earlier(`${issue}/${pull_request.number}/comments`);
if (own) await ask("PATCH", `${issue}/comments/${own.id}`, { body });
else await ask("POST", `${issue}/${pull_request.number}/comments`, { body });
