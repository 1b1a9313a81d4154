// The tables of redirects of an export, read by the parsers of the hosts: each line is taken, and leads where the
// server of the site leads. Needs no browser. Cloudflare publishes no parser of its tables; its rules are in
// tests/shell/export_redirects.rs.
import { test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parseAllRedirects } from "@netlify/redirect-parser";
import { getTransformedRoutes } from "@vercel/routing-utils";

import { previewOf, program } from "./support.mjs";

/** Sources and destinations; what no host can say is left out of the tables. */
const REDIRECTS = [
  ["/old", "/new/page"],
  ["/part", "/new/page#part"],
  ["/tab", "/new/page?tab=one#part"],
  ["/old#frag", "/new/page"],
  ["/q?x=1", "/new/page"],
  ["/:lang(en|fr)/start", "/new/page"],
  ["/some/:rest+", "/new/page"],
  ["/opt/:id?", "/new/page"],
  ["/with/", "/new/page"],
  ["/Docs/Old Name", "/new/page"],
  ["/caf%C3%A9", "/new/page"],
  ["/über", "/new/page"],
  ["/a(b)+c", "/new/page"],
  ["/a.b_c~d", "/new/page"],
  ["/v1/:slug*", "/v2/:slug*"],
  ["/blog-*", "/v2/*"],
  ["/u/:user/posts/:post", "/v2/:post"],
  ["/u-:user", "/new/page"],
  ["/away/:page", "https://x.example/:page?from=a#b"],
  ["/deep/*", "/v2/a"],
  ["/new/page", "/v2/a"],
  ["/o'clock", "/new/page"],
];

/** Addresses that are asked for. */
const ASKED = [
  "/old",
  "/part",
  "/tab",
  "/with",
  "/Docs/Old%20Name",
  "/caf%C3%A9",
  "/%C3%BCber",
  "/a(b)+c",
  "/a.b_c~d",
  "/v1/a",
  "/v1/a/b",
  "/blog-x",
  "/u/me/posts/last",
  "/away/y",
  "/deep/x/y",
  "/none",
  "/en/start",
  "/some/x",
  "/opt",
  "/opt/1",
  "/u-me",
  "/o'clock",
];

/** Where the rules of Netlify lead: the first that fits. */
function netlify(rules, path) {
  for (const { from, to } of rules) {
    const pattern = from
      .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
      .replace(/\*$/, "(?<splat>.*)")
      .replace(/:([A-Za-z]\w*)/g, "(?<$1>[^/]+)");
    const found = new RegExp(`^${pattern}/?$`).exec(decodeURI(path)) ?? new RegExp(`^${pattern}/?$`).exec(path);
    if (found) return to.replace(/:([A-Za-z]\w*)/g, (whole, name) => found.groups?.[name] ?? whole);
  }
  return null;
}

/** Where the routes of Vercel lead. */
function vercel(routes, path) {
  for (const { src, headers, status } of routes) {
    const found = status && new RegExp(src).exec(path);
    // The first ones are about slashes at the end.
    if (!found || /^\/\$1\/?$/.test(headers.Location)) continue;
    return headers.Location.replace(/\$(\d)/g, (_, number) => found[number] ?? "");
  }
  return null;
}

test("parsers of the hosts take each redirect and lead where the server leads", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quire-redirects-"));
  const out = join(folder, "out");
  const site = join(folder, "site");
  for (const name of ["new", "v2"]) mkdirSync(join(site, name), { recursive: true });
  const redirects = REDIRECTS.map(([source, destination]) => ({ source, destination }));
  const config = {
    name: "R",
    theme: "mint",
    colors: { primary: "#336699" },
    redirects,
    navigation: { pages: ["new/page", "v2/a"] },
  };
  writeFileSync(join(site, "docs.json"), JSON.stringify(config));
  writeFileSync(join(site, "new/page.mdx"), "# Page\n\n## Part\n");
  writeFileSync(join(site, "v2/a.mdx"), "# A\n");
  const preview = await previewOf(site);
  try {
    execFileSync(program, ["build", site, "--out", out], { stdio: "ignore" });
    const table = join(out, "_redirects");
    const lines = readFileSync(table, "utf8").trimEnd().split("\n");
    const read = await parseAllRedirects({ redirectsFiles: [table], minimal: true, featureFlags: {} });
    assert.deepEqual(read.errors, []);
    assert.equal(read.redirects.length, lines.length);
    const { redirects: rules, trailingSlash } = JSON.parse(readFileSync(join(out, "vercel.json"), "utf8"));
    const { routes, error } = getTransformedRoutes({ redirects: rules, trailingSlash });
    assert.equal(error, null);
    const differs = [];
    for (const path of ASKED) {
      const reply = await fetch(preview.origin + path, { redirect: "manual" });
      const location = reply.headers.get("location");
      // An export has a slash at the end of its pages.
      const plain = (address) =>
        address &&
        decodeURI(address)
          .replace(/\/(?=[?#]|$)/, "")
          .replace(preview.origin, "");
      for (const [host, led] of [
        ["netlify", netlify(read.redirects, path)],
        ["vercel", vercel(routes, path)],
      ]) {
        if (plain(led) !== plain(location)) differs.push(`${path}: ${location} on the server, ${led} on ${host}`);
      }
    }
    assert.deepEqual(differs, []);
  } finally {
    await preview.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
