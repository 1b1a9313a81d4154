// Writes the findings of a check as annotations, and their counts as outputs and as the summary of the step.
import { appendFileSync } from "node:fs";

import { counted, findings } from "./findings.mjs";

const dir = process.env.DIR || ".";
const { summary, found } = findings(process.argv[2], dir);
const data = (text) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text) => data(String(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");

// GitHub shows ten annotations of a kind of a step, so errors come first.
const rank = ({ severity }) => (severity === "error" ? 0 : 1);
for (const one of found.toSorted?.((a, b) => rank(a) - rank(b)) ?? found) {
  const place = [`file=${property(one.path)}`, `title=${property(one.code)}`];
  if (one.line) place.push(`line=${one.line}`, `col=${one.column}`);
  const hint = one.hint ? ` (${one.hint})` : "";
  console.log(`::${one.severity} ${place.join(",")}::${data(one.message + hint)}`);
}
const { errors, warnings, pages } = summary;
const { GITHUB_OUTPUT, GITHUB_STEP_SUMMARY } = process.env;
if (GITHUB_OUTPUT) appendFileSync(GITHUB_OUTPUT, `errors=${errors}\nwarnings=${warnings}\n`);
if (GITHUB_STEP_SUMMARY) {
  const counts = [counted(pages, "page"), counted(errors, "error"), counted(warnings, "warning")];
  appendFileSync(GITHUB_STEP_SUMMARY, `**Documentation**: ${counts.join(", ")}\n`);
}
