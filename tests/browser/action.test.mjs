// The action for GitHub without GitHub: its scripts over a release, a site and an API that stand in. No browser is
// needed.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { program } from "./support.mjs";

const action = fileURLToPath(new URL("../../.github/actions/quire/", import.meta.url));
const name = "quire-1.2.3-x86_64-unknown-linux-gnu";
let folder;

const config = { name: "T", theme: "mint", colors: { primary: "#000000" }, navigation: { pages: ["start", "api"] } };
const environment = (more) => ({
  ...process.env,
  RUNNER_TEMP: folder,
  RUNNER_OS: "Linux",
  RUNNER_ARCH: "X64",
  GITHUB_OUTPUT: join(folder, "output"),
  GITHUB_PATH: join(folder, "path"),
  GITHUB_STEP_SUMMARY: join(folder, "summary"),
  DIR: "docs",
  ...more,
});
const run = (command, args, more) =>
  spawnSync(command, args, { cwd: folder, encoding: "utf8", env: environment(more), timeout: 60_000 });

before(() => {
  folder = mkdtempSync(join(tmpdir(), "quire-action-"));
  for (const path of ["release/v1.2.3", `made/${name}`, "docs", "bin"]) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  writeFileSync(join(folder, `made/${name}/quire`), "#!/bin/sh\necho quire 1.2.3\n", { mode: 0o755 });
  const archive = join(folder, `release/v1.2.3/${name}.tar.gz`);
  execFileSync("tar", ["-C", join(folder, "made"), "-czf", archive, name]);
  const sum = createHash("sha256").update(readFileSync(archive)).digest("hex");
  writeFileSync(join(folder, "release/v1.2.3/SHA256SUMS"), `${sum}  ${name}.tar.gz\n`);
  writeFileSync(join(folder, "docs/docs.json"), JSON.stringify(config));
  writeFileSync(join(folder, "docs/start.mdx"), "---\ntitle: Start\n---\n\n[50 %, or so](/nowhere)\n");
  writeFileSync(join(folder, "docs/api.mdx"), "---\ntitle: [\n---\n\nText.\n");
  writeFileSync(join(folder, "bin/quire"), `#!/bin/sh\nexec "${program}" "$@"\n`, { mode: 0o755 });
});

after(() => rmSync(folder, { recursive: true, force: true }));

const install = (version, more = {}) =>
  run("bash", [join(action, "install.sh")], {
    VERSION: version,
    DOWNLOAD_URL: pathToFileURL(join(folder, "release")).href,
    ...more,
  });

test("a release is unpacked where its checksum fits, by version or by tag", () => {
  for (const version of ["1.2.3", "v1.2.3"]) {
    const { status, stdout, stderr } = install(version);
    assert.deepEqual([status, stdout], [0, "quire 1.2.3\n"], stderr);
  }
  assert.match(readFileSync(join(folder, "path"), "utf8"), new RegExp(`quire-1.2.3/${name}\n`));
});

test("other bytes, no sum, no version and no such platform are refused", () => {
  assert.match(install("main").stdout, /`main` is no version/);
  assert.match(install("1.2.3", { RUNNER_OS: "Windows" }).stdout, /no release for Windows/);
  const sums = join(folder, "release/v1.2.3/SHA256SUMS");
  const good = readFileSync(sums, "utf8");
  for (const bad of [good.replace(/^./, (digit) => (digit === "0" ? "1" : "0")), good.replace(".tar", ".zip"), ""]) {
    writeFileSync(sums, bad);
    const { status, stdout } = install("1.2.3");
    assert.notEqual(status, 0, bad);
    assert.doesNotMatch(stdout, /quire 1\.2\.3/);
  }
  writeFileSync(sums, good);
});

const check = (more) =>
  run("bash", [join(action, "check.sh")], { PATH: `${folder}/bin:${process.env.PATH}`, STRICT: "false", ...more });

test("findings are annotations at their files, errors first, and the exit code is left to a later step", () => {
  writeFileSync(join(folder, "output"), "");
  const { status, stdout, stderr } = check();
  assert.equal(status, 0, stderr);
  const [first, second] = stdout.split("\n");
  assert.match(first, /^::error file=docs\/api\.mdx,title=[a-z-]+,line=\d+,col=\d+::/);
  assert.match(second, /^::warning file=docs\/start\.mdx,title=broken-link,line=5,col=15::`\/nowhere` does not exist/);
  assert.equal(readFileSync(join(folder, "output"), "utf8"), "code=1\nerrors=1\nwarnings=1\n");
  assert.match(readFileSync(join(folder, "summary"), "utf8"), /2 pages, 1 error, 1 warning/);
  assert.equal(check({ DIR: "nowhere" }).status, 2);
});

test("what annotations must not hold is escaped", () => {
  const found = { code: "c", severity: "error", path: "a,b:c.mdx", line: 1, column: 2, message: "50 %\n::error::x" };
  const file = join(folder, "made.jsonl");
  writeFileSync(file, `${JSON.stringify(found)}\n{"summary":{"errors":1,"warnings":0,"pages":1}}\n`);
  const { stdout } = run(process.execPath, [join(action, "annotate.mjs"), file]);
  assert.equal(stdout, "::error file=docs/a%2Cb%3Ac.mdx,title=c,line=1,col=2::50 %25%0A::error::x\n");
});

test("a pull request has one comment, which later runs change", async () => {
  copyFileSync(join(folder, "docs/start.mdx"), join(folder, "docs/api.mdx"));
  check();
  const comments = [{ id: 1, body: "Nice." }];
  const calls = [];
  const api = createServer(async (request, reply) => {
    let text = "";
    for await (const piece of request) text += piece;
    calls.push(`${request.method} ${request.url}`);
    assert.equal(request.headers.authorization, "Bearer secret");
    const { body } = text ? JSON.parse(text) : {};
    if (request.method === "POST") comments.push({ id: 2, body });
    if (request.method === "PATCH") comments[1].body = body;
    reply.end(JSON.stringify(request.method === "GET" ? comments : {}));
  });
  await once(api.listen(0, "127.0.0.1"), "listening");
  writeFileSync(join(folder, "event"), JSON.stringify({ pull_request: { number: 7, head: { ref: "New/intro_2" } } }));
  const env = environment({
    GITHUB_API_URL: `http://127.0.0.1:${api.address().port}`,
    GITHUB_EVENT_PATH: join(folder, "event"),
    GITHUB_REPOSITORY: "o/r",
    GITHUB_TOKEN: "secret",
    PREVIEW_URL: "https://{branch}--docs.example.org",
    ARTIFACT_URL: "https://example.org/artifact",
  });
  for (const _ of [1, 2]) {
    const args = [join(action, "comment.mjs"), join(folder, "quire-check.jsonl")];
    const [code] = await once(spawn(process.execPath, args, { cwd: folder, env, stdio: "inherit" }), "close");
    assert.equal(code, 0);
  }
  api.close();
  assert.equal(comments.length, 2);
  const listed = "GET /repos/o/r/issues/7/comments?per_page=100&page=1";
  assert.deepEqual(calls, [listed, "POST /repos/o/r/issues/7/comments", listed, "PATCH /repos/o/r/issues/comments/2"]);
  assert.match(comments[1].body, /^<!-- quire -->\n### ✅ Documentation: 2 pages, 0 errors, 2 warnings\n/);
  assert.match(comments[1].body, /\[Preview\]\(https:\/\/new-intro-2--docs\.example\.org\)/);
  assert.match(comments[1].body, /\| warning \| `docs\/start\.mdx:5` \| `'\/nowhere' does not exist` \|/);
});
