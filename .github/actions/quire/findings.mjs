// What `quire check --format json` wrote, for annotations and comments.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The findings of `file` with their paths from the root of the repository, and the counts. */
export function findings(file, dir) {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean).map(JSON.parse);
  const { summary } = lines.at(-1);
  const isFolder = statSync(dir, { throwIfNoEntry: false })?.isDirectory() ?? true;
  const found = lines.slice(0, -1).filter(({ severity }) => severity !== "info");
  return { summary, found: found.map((one) => ({ ...one, path: isFolder ? join(dir, one.path) : dir })) };
}

/** `1 error`, `2 errors`. */
export const counted = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;
