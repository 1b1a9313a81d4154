// Code samples are run, in every language that this machine has, against an API that writes down what arrives: the same
// bytes as the request says, for each case of `tests/wire/samples.json`, and as a query for each value of
// `values.json`.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { moduleOf, sampleBase as base, samplesOf } from "./modules.mjs";
import { readersOfForms } from "./readers.mjs";
import { header as headerOf, startRecorder } from "./recorder.mjs";

const module = await moduleOf("json", "request", "samples");
const { parseJson, jsonText, sampleOf } = module;
const { cases, values } = samplesOf(module);

const fileText = "bytes of a file\n\u0000é";

let api, folder, readers;
before(async () => {
  api = await startRecorder();
  readers = await readersOfForms();
  folder = mkdtempSync(join(tmpdir(), "quire-samples-"));
  writeFileSync(join(folder, "file"), fileText);
});
after(async () => {
  await api?.stop();
  await readers?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The samples of `list` whose paths begin with their numbers, by which what arrives is told. */
const numbered = (list, id) =>
  list.map((one, i) => ({
    ...one,
    request: { ...one.request, url: one.request.url.replace(base, `${api.origin}/${id}/${i}`) },
  }));

const has = (program, ...check) => {
  try {
    execFileSync(program, check, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
const run = (program, given, options = {}) =>
  new Promise((resolve) =>
    execFile(program, given, { cwd: folder, timeout: 120_000, ...options }, (error, _out, told) =>
      resolve(error ? `${error.message}\n${told}` : ""),
    ),
  );
/** Runs some at a time: each is a process of its own. */
const each = async (list, act) => {
  const waiting = [...list.entries()];
  await Promise.all(
    Array.from({ length: 3 }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await act(...next);
    }),
  );
};
const eachFile =
  (program, suffix, given = []) =>
  (sources, faults) =>
    each(sources, async (i, source) => {
      const path = join(folder, `sample${i}.${suffix}`);
      writeFileSync(path, source);
      faults[i] = await run(program, [...given, path]);
    });

/** Programs of a compiler are one: each sample is a function, or a class, of it. */
const runGo = async (sources, faults) => {
  const imports = new Set();
  const functions = sources.map((source, i) => {
    const [, listed, body] = /import \(\n([^]*?)\)\n\nfunc main\(\) ([^]*)$/.exec(source);
    for (const name of listed.match(/"[^"]+"/g)) imports.add(name);
    return `func sample${i}() ${body}`;
  });
  const calls = sources.map((_, i) => `\tcase "${i}":\n\t\tsample${i}()`).join("\n");
  const main = `package main\n\nimport (\n\t"os"\n${[...imports]
    .filter((name) => name !== '"os"')
    .map((name) => `\t${name}\n`)
    .join("")})\n\n${functions.join("\n\n")}\n\nfunc main() {\n\tswitch os.Args[1] {\n${calls}\n\t}\n}\n`;
  const at = join(folder, "go");
  mkdirSync(at);
  writeFileSync(join(at, "main.go"), main);
  const env = {
    ...process.env,
    GOCACHE: join(folder, "go-cache"),
    GO111MODULE: "off",
    GOFLAGS: "",
    GOTOOLCHAIN: "local",
    HOME: folder,
  };
  const built = await run("go", ["build", "-o", join(at, "samples"), join(at, "main.go")], { env, timeout: 600_000 });
  await each(sources, async (i) => (faults[i] = built || (await run(join(at, "samples"), [String(i)]))));
};
const runJava = async (sources, faults) => {
  const at = join(folder, "java");
  const paths = sources.map((source, i) => {
    mkdirSync(join(at, `s${i}`), { recursive: true });
    const path = join(at, `s${i}`, "Main.java");
    writeFileSync(path, `package s${i};\n${source}`);
    return path;
  });
  const all = sources
    .map(
      (_, i) =>
        `try { s${i}.Main.main(arguments); } catch (Throwable error) { System.err.println(${i} + " " + error); }`,
    )
    .join("\n");
  const runner = join(at, "Samples.java");
  writeFileSync(
    runner,
    `public class Samples {\npublic static void main(String[] arguments) throws Exception {\n${all}\n}\n}\n`,
  );
  const built = await run("javac", ["-encoding", "UTF-8", "-d", join(at, "out"), runner, ...paths], {
    timeout: 600_000,
  });
  const told =
    built ||
    (await new Promise((resolve) =>
      execFile("java", ["-cp", join(at, "out"), "Samples"], { cwd: folder, timeout: 120_000 }, (error, _out, words) =>
        resolve(error ? `${error.message}\n${words}` : words),
      ),
    ));
  for (const i of sources.keys())
    faults[i] = built || (told.split("\n").find((line) => line.startsWith(`${i} `)) ?? "");
};
/**
 * Samples of Rust are modules of one program. What `reqwest` is made of is compiled once and kept with what tests
 * build.
 */
const runRust = async (sources, faults) => {
  const at = join(folder, "rust");
  mkdirSync(join(at, "src"), { recursive: true });
  writeFileSync(
    join(at, "Cargo.toml"),
    '[package]\nname = "samples"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\nreqwest = { version = "=0.13.5", default-features = false, features = ["blocking", "multipart"] }\n',
  );
  for (const [i, source] of sources.entries())
    writeFileSync(join(at, "src", `s${i}.rs`), source.replace("fn main()", "pub fn main()"));
  const modules = sources.map((_, i) => `mod s${i};\n`).join("");
  const calls = sources.map((_, i) => `        "${i}" => s${i}::main(),\n`).join("");
  writeFileSync(
    join(at, "src", "main.rs"),
    `${modules}\nfn main() -> Result<(), Box<dyn std::error::Error>> {\n    match std::env::args().nth(1).unwrap().as_str() {\n${calls}        _ => Ok(()),\n    }\n}\n`,
  );
  const target = fileURLToPath(new URL("../../target/samples-of-rust", import.meta.url));
  const built = await run("cargo", ["build", "--quiet"], {
    cwd: at,
    env: { ...process.env, CARGO_TARGET_DIR: target },
    timeout: 900_000,
  });
  await each(sources, async (i) => (faults[i] = built || (await run(join(target, "debug", "samples"), [String(i)]))));
};

/** What stands on its standard input is a body where a sample says so, and nothing everywhere else. */
const runHttpie = async (sources, faults) => {
  const quiet = join(folder, "httpie");
  mkdirSync(quiet);
  writeFileSync(join(quiet, "config.json"), JSON.stringify({ default_options: ["--ignore-stdin"] }));
  await each(sources, async (i, source) => {
    const path = join(folder, `httpie${i}.sh`);
    writeFileSync(path, source);
    const env = { ...process.env, HTTPIE_CONFIG_DIR: /\|\nhttp|[^']* < '/.test(source) ? folder : quiet };
    faults[i] = await run("bash", [path], { env });
  });
};
const runC = (sources, faults) =>
  each(sources, async (i, source) => {
    const path = join(folder, `sample${i}`);
    writeFileSync(`${path}.c`, source);
    faults[i] = (await run("cc", ["-o", path, `${path}.c`, "-lcurl"])) || (await run(path, []));
  });

const python = ["/usr/bin/python3", "python3"].find((program) => has(program, "-c", "import requests"));
const runners = {
  curl: { run: eachFile("bash", "sh"), there: () => has("curl", "--version") },
  python: { run: eachFile(python, "py"), there: () => python !== undefined },
  node: { run: eachFile("node", "mjs", ["--no-warnings"]), there: () => true },
  wget: { run: eachFile("bash", "sh"), there: () => has("wget", "--version") },
  php: { run: eachFile("php", "php"), there: () => has("php", "-r", "exit(function_exists('curl_init') ? 0 : 1);") },
  ruby: { run: eachFile("ruby", "rb"), there: () => has("ruby", "-e", "require 'net/http'") },
  httpie: { run: runHttpie, there: () => has("http", "--version") },
  c: { run: runC, there: () => has("curl-config", "--version") && has("cc", "--version") },
  go: { run: runGo, there: () => has("go", "version") },
  rust: { run: runRust, there: () => has("cargo", "info", "reqwest@0.13.5") },
  java: { run: runJava, there: () => has("javac", "-version") },
};

// How a client writes an address anew, which says the same (RFC 3986, 6.2.2): the apostrophe of a query in `fetch`,
// brackets and needless escapes in Python's `requests`.
const rewritten = {
  node: (target) => target.replaceAll("'", "%27"),
  python: (target) =>
    target
      .replaceAll("[", "%5B")
      .replaceAll("]", "%5D")
      .replace(/%([0-9A-F]{2})/g, (all, digits) =>
        /[A-Za-z0-9\-._~]/.test(String.fromCharCode(parseInt(digits, 16)))
          ? String.fromCharCode(parseInt(digits, 16))
          : all,
      ),
};
// What a language cannot send, and why.
const cannot = {
  node: ({ method, body }) => (method === "GET" && body ? "fetch sends no body with GET" : null),
  httpie: ({ body }) =>
    body?.parts?.some(({ name }) => name.includes("\\")) ? "no name of a field holds a backslash" : null,
};

const usualType = (part) => part.type ?? (part.file === undefined ? "text/plain" : "application/octet-stream");
/** The parts of a form as they arrived: name, type, content, whether it is a file. */
const partsOfBody = (bytes, type) => {
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1];
  assert.ok(boundary, `no boundary in ${type}`);
  const text = bytes.toString("latin1");
  const pieces = text.split(`--${boundary}`);
  assert.match(pieces.at(-1), /^--(\r\n)?$/);
  return pieces.slice(1, -1).map((piece) => {
    const [, head, content] = /^\r\n([^]*?)\r\n\r\n([^]*)\r\n$/.exec(piece);
    const field = (name) =>
      head
        .split("\r\n")
        .find((line) => line.toLowerCase().startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim();
    const disposition = field("content-disposition");
    const of = (key) => new RegExp(`[; ]${key}="((?:\\\\.|[^"\\\\])*)"`).exec(disposition)?.[1];
    const file = of("filename");
    return {
      name: of("name"),
      file,
      type: usualType({ type: field("content-type")?.replace(/; ?charset=utf-8$/i, ""), file }),
      text: Buffer.from(content, "latin1").toString(),
    };
  });
};

/** What arrived is what the request says. */
const compare = (id, { request }, record) => {
  const { method, url, headers, body } = request;
  assert.equal(record.method, method);
  const target = url.slice(api.origin.length);
  const braced = (text) => text.replaceAll("{", "%7B").replaceAll("}", "%7D");
  assert.equal(braced(record.target), braced(rewritten[id]?.(target) ?? target));
  for (const [name, value] of headers) {
    const arrived = record.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
    assert.equal(
      arrived === undefined ? undefined : Buffer.from(arrived, "latin1").toString().trim(),
      value.trim(),
      name,
    );
  }
  if (!body) {
    assert.equal(headerOf(record, "content-type"), undefined, "a type of nothing");
    return assert.equal(record.body.toString(), "");
  }
  if (body.file) return assert.equal(record.body.toString(), fileText);
  if (body.parts) {
    const type = headerOf(record, "content-type") ?? "";
    const wanted = body.parts.map((part) => ({
      name: part.name,
      file: part.file,
      type: usualType(part),
      text: part.text ?? fileText,
    }));
    return assert.deepEqual(partsOfBody(record.body, type), wanted);
  }
  const arrived = record.body.toString();
  // A script that has the value as its own lays it out in its own way.
  if (body.json !== undefined && arrived !== body.text)
    return assert.equal(jsonText(parseJson(arrived)), jsonText(body.json));
  assert.equal(arrived, body.text);
};

for (const [id, runner] of Object.entries(runners)) {
  const isThere = runner.there();
  test(`samples in ${id} send what their requests say`, {
    skip: isThere ? false : `NOT RUN: this machine has no ${id}`,
  }, async (t) => {
    const all = numbered(["curl", "python", "node"].includes(id) ? [...cases, ...values] : cases, id);
    const runnable = all.filter(({ request }) => !cannot[id]?.(request));
    for (const one of all)
      if (!runnable.includes(one)) t.diagnostic(`${id} cannot: ${one.name} (${cannot[id](one.request)})`);
    const faults = [];
    await runner.run(
      runnable.map(({ request }) => sampleOf(id, request)),
      faults,
    );
    let same = 0;
    const wrong = [];
    for (const [i, one] of runnable.entries()) {
      const path = `${new URL(one.request.url).pathname.split("/").slice(0, 3).join("/")}`;
      const records = api.requests.filter(
        ({ target }) => target === path || [`${path}/`, `${path}?`].some((begin) => target.startsWith(begin)),
      );
      try {
        assert.equal(records.length, 1, faults[i] || "nothing arrived");
        compare(id, one, records[0]);
        same += 1;
      } catch (error) {
        wrong.push(`${one.name}: ${error.message}`);
      }
    }
    // What is parsed here by the letter is read by what servers are made of.
    for (const [reader, read] of Object.entries(readers.all)) {
      let forms = 0;
      for (const one of runnable.filter(({ request }) => request.body?.parts)) {
        const record = api.requests.find(({ target }) => target === one.request.url.slice(api.origin.length));
        const wanted = one.request.body.parts.map(({ name, text, file }) => [name, file ?? null, text ?? fileText]);
        try {
          assert.ok(record, "nothing arrived");
          assert.deepEqual(await read(record, wanted), readers.known(reader, wanted));
          forms += 1;
        } catch (error) {
          wrong.push(`${one.name}, read by ${reader}: ${error.message}`);
        }
      }
      t.diagnostic(`${id}: ${forms} forms are read by ${reader} as they are meant`);
    }
    t.diagnostic(`${id}: ${same} of ${runnable.length} arrive as the request says`);
    assert.deepEqual(wrong, [], wrong.join("\n\n"));
  });
}
