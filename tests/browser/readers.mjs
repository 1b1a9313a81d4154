// Readers of forms that servers are made of: a request that arrived is handed to each, and they say what it holds.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import busboy from "busboy";
import formidable from "formidable";
import multer from "multer";

import { header } from "./recorder.mjs";

/** Fields and files in their order, as name, name of the file or `null`, and text. */
const withBusboy = (request) =>
  new Promise((resolve, reject) => {
    const found = [];
    const parser = busboy({ headers: request.headers });
    parser.on("field", (name, text) => found.push([name, null, text]));
    parser.on("file", (name, stream, { filename }) => {
      const entry = [name, filename, ""];
      found.push(entry);
      stream.on(
        "data",
        (chunk) => (entry[2] = Buffer.concat([Buffer.from(entry[2], "latin1"), chunk]).toString("latin1")),
      );
    });
    parser.on("error", reject);
    parser.on("close", () =>
      resolve(
        found.map(([name, file, text]) => [name, file, file === null ? text : Buffer.from(text, "latin1").toString()]),
      ),
    );
    request.pipe(parser);
  });

/** A middleware, which tells fields and files apart. */
const withMulter = (request, response) =>
  new Promise((resolve, reject) =>
    multer({ storage: multer.memoryStorage() }).any()(request, response, (error) => {
      if (error) return reject(error);
      const fields = Object.entries(request.body).flatMap(([name, texts]) =>
        [texts].flat().map((text) => [name, null, text]),
      );
      resolve([
        ...fields,
        ...request.files.map(({ fieldname, originalname, buffer }) => [fieldname, originalname, buffer.toString()]),
      ]);
    }),
  );

const withFormidable = async (request) => {
  const form = formidable({ allowEmptyFiles: true, minFileSize: 0, multiples: true });
  const [fields, files] = await form.parse(request);
  const found = Object.entries(fields).flatMap(([name, texts]) => texts.map((text) => [name, null, text]));
  for (const [name, list] of Object.entries(files))
    for (const file of list) {
      found.push([name, file.originalFilename, readFileSync(file.filepath).toString()]);
      rmSync(file.filepath);
    }
  return found;
};

const php = `<?php
$found = [];
foreach ($_POST as $name => $text) $found[] = [$name, null, $text];
foreach ($_FILES as $name => $file) $found[] = [$name, $file["name"], file_get_contents($file["tmp_name"])];
echo json_encode($found);
`;

const python = String.raw`
import json, sys
from email import policy
from email.parser import BytesParser
head = b"Content-Type: " + sys.argv[1].encode() + b"\r\n\r\n"
form = BytesParser(policy=policy.HTTP).parsebytes(head + sys.stdin.buffer.read())
assert not form.defects, form.defects
found = []
for part in form.iter_parts():
    assert not part.defects, part.defects
    name = part.get_param("name", header="content-disposition")
    found.append([name, part.get_filename(), part.get_payload(decode=True).decode()])
print(json.dumps(found))
`;

const has = (program, ...check) => {
  try {
    execFileSync(program, check, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** The server of PHP, whose readers are in no module of their own; `null` where there is none. */
const startPhp = async () => {
  if (!has("php", "--version")) return null;
  const folder = mkdtempSync(join(tmpdir(), "quire-reader-"));
  writeFileSync(join(folder, "index.php"), php);
  const server = spawn("php", ["-S", "127.0.0.1:0", join(folder, "index.php")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const origin = await new Promise((resolve, reject) => {
    let told = "";
    server.stderr.on("data", (chunk) => {
      told += chunk;
      const found = /\((http:[^)]*)\) started/.exec(told);
      if (found) resolve(found[1]);
    });
    server.on("close", () => reject(new Error(told)));
  });
  return {
    origin,
    stop: () => {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/**
 * `all` are functions, by name, that read a request of `recorder.mjs`; `known` is what such a reader can say of a form:
 * some know neither order nor two fields of one name.
 */
export async function readersOfForms() {
  const inside = { busboy: withBusboy, multer: withMulter, formidable: withFormidable };
  const server = createServer(async (request, response) => {
    try {
      const found = await inside[request.url.slice(1)](request, response);
      response.end(JSON.stringify(found));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const served = await startPhp();
  const ask = async (url, record) => {
    const reply = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": header(record, "content-type") ?? "" },
      body: record.body,
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(text);
    return JSON.parse(text);
  };
  const all = Object.fromEntries(
    Object.keys(inside).map((name) => [name, (record) => ask(`${origin}/${name}`, record)]),
  );
  if (served) all.php = (record) => ask(served.origin, record);
  all.python = (record) =>
    JSON.parse(
      execFileSync("python3", ["-c", python, header(record, "content-type") ?? ""], {
        input: record.body,
        encoding: "utf8",
      }),
    );
  // Most keep fields and files apart, or read those with a type later than others: what they hold is told in the order
  // of names.
  const sorted = (parts) => [...parts].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  const isOrdered = (reader) => reader === "busboy" || reader === "python";
  for (const [name, read] of Object.entries(all))
    if (!isOrdered(name)) all[name] = async (record) => sorted(await read(record));
  const known = (reader, parts) => {
    if (isOrdered(reader)) return parts;
    // PHP keeps the last of one name.
    return sorted(reader === "php" ? [...new Map(parts.map((part) => [part[0], part])).values()] : parts);
  };
  return {
    all,
    known,
    stop: async () => {
      served?.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
