// The MCP server as programs see it that are not ours: the TypeScript SDK and the command line of the inspector, over
// HTTP and over standard streams. No browser is needed.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { patience, program, startPreview } from "./support.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, "node_modules");
// The command line looks for the manifest of the inspector in the folder around its own, as that package ships it. The
// inspector itself brings a web interface and 300 packages, so the command line is put where it expects to be.
const inspector = join(modules, ".inspector/cli/build/cli.js");
const run = promisify(execFile);

let preview;

before(async () => {
  const shipped = join(modules, "@modelcontextprotocol/inspector-cli");
  rmSync(join(modules, ".inspector"), { recursive: true, force: true });
  cpSync(shipped, join(modules, ".inspector/cli"), { recursive: true });
  cpSync(join(shipped, "package.json"), join(modules, ".inspector/package.json"));
  preview = await startPreview("--no-state", "--id", "museum");
});

after(async () => {
  assert.equal(await preview?.stop(), 0);
});

/** Connects by `transport`, has `use` do its work, and disconnects. */
async function connected(transport, use) {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const overHttp = (use) => connected(new StreamableHTTPClientTransport(new URL(`${preview.origin}/mcp`)), use);

const overStreams = (folder, use) =>
  connected(
    new StdioClientTransport({ command: program, args: ["mcp", folder, "--no-state"], stderr: "inherit" }),
    use,
  );

/** Calls a tool; resolves to its only text. */
async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.notEqual(result.isError, true, result.content[0]?.text);
  assert.equal(result.content.length, 1);
  assert.equal(result.structuredContent, undefined);
  return result.content[0].text;
}

/** The lines of a list of operations. */
const operationsIn = (text) => text.split("\n").filter((line) => line.startsWith("- `"));

/** What every client finds in the museum, however it is connected. */
async function looksAround(client) {
  assert.equal(client.getServerVersion().title, "Museum of Everyday Things documentation");
  assert.match(client.getInstructions(), /get_page/);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ["search", "get_page", "list_operations", "get_operation", "get_schema", "ask", "submit_feedback"],
  );
  for (const tool of tools) {
    assert.equal(tool.annotations.readOnlyHint, tool.name !== "submit_feedback");
    assert.ok(tool.description.length > 80, tool.name);
  }

  const found = await call(client, "search", { query: "buy a ticket", limit: 3 });
  const url = "/api/tickets/buy-a-ticket";
  assert.match(found, /^3 pages for `buy a ticket`:\n/);
  assert.ok(found.includes(`\n1. [Buy a ticket](${url})`), found);
  assert.ok(found.includes("`POST /tickets`"), found);

  const page = await call(client, "get_page", { path: url });
  assert.match(page, /^# Buy a ticket\n/);
  assert.match(page, /\n`POST \/tickets`\n/);

  const listed = await call(client, "list_operations", { tag: "tickets", limit: 2 });
  assert.equal(operationsIn(listed).length, 2);
  assert.match(listed, /^Operations 1 to 2 of 5:\n[^]*`offset` 2\./);
  const rest = await call(client, "list_operations", { tag: "tickets", offset: 2 });
  assert.equal(operationsIn(rest).length, 3);

  for (const operation of ["buyTicket", "POST /tickets", url]) {
    const brief = await call(client, "get_operation", { operation });
    assert.match(brief, /^`POST \/tickets`: .*`operationId` `buyTicket`\n/, operation);
    assert.match(brief, /\nRequest:\n\n- `/, operation);
    const full = await call(client, "get_operation", { operation, detail: "full" });
    assert.ok(full.length > brief.length, operation);
    assert.match(full, /\n {4}NewTicket:\n/, operation);
  }
  const schema = await call(client, "get_schema", { name: "Ticket" });
  assert.ok(schema.includes("#/components/schemas/Money"), schema);

  const answer = await call(client, "ask", { question: "How do I buy a ticket?" });
  assert.ok(answer.includes(`](${url}`), answer);

  const wrong = await client.callTool({ name: "get_page", arguments: { path: "/quickstrat" } });
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0].text, /`\/quickstart`/);
  await assert.rejects(client.callTool({ name: "no_tool", arguments: {} }), /no_tool/);

  const uris = [];
  for (let cursor; ; ) {
    const part = await client.listResources({ cursor });
    uris.push(...part.resources.map((resource) => resource.uri));
    cursor = part.nextCursor;
    if (!cursor) break;
  }
  assert.equal(new Set(uris).size, uris.length);
  assert.ok(uris.includes("docs://pages/quickstart") && uris.includes("docs://specs/openapi/museum.yaml"), uris.join());
  for (const uri of uris) {
    const { contents } = await client.readResource({ uri });
    assert.ok(contents[0].text.length > 20, uri);
    assert.equal(contents[0].uri, uri);
  }
  await assert.rejects(client.readResource({ uri: "docs://pages/nowhere" }), /there is no page/);
}

test("the TypeScript SDK looks around over HTTP", async () => {
  await overHttp(looksAround);
});

test("the TypeScript SDK looks around over standard streams, and sees what is written meanwhile", async () => {
  const folder = mkdtempSync(join(tmpdir(), "quire-mcp-"));
  try {
    cpSync(preview.folder, folder, { recursive: true });
    await overStreams(folder, async (client) => {
      await looksAround(client);
      writeFileSync(join(folder, "quickstart.mdx"), "---\ntitle: Quickstart\n---\n\nNow it says marmalade.\n");
      const page = await call(client, "get_page", { path: "/quickstart" });
      assert.match(page, /marmalade/);
      const found = await call(client, "search", { query: "marmalade" });
      assert.ok(found.includes("\n1. [Quickstart](/quickstart)"), found);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("what a program says is kept", async () => {
  await overHttp((client) =>
    call(client, "submit_feedback", { path: "/quickstart", helpful: false, text: "Step 2 is unclear." }),
  );
  const kept = await (await fetch(`${preview.admin}/_quire/feedback`)).json();
  const { at, ...entry } = kept.feedback[0];
  assert.ok(at > 1_700_000_000);
  assert.deepEqual(entry, {
    kind: "mcp",
    path: "/quickstart",
    helpful: false,
    text: "Step 2 is unclear.",
    site: "museum",
  });
});

/** Runs the inspector; resolves to what it prints. */
async function inspect(target, ...args) {
  const { stdout } = await run(process.execPath, [inspector, "--cli", ...target, ...args], {
    timeout: patience,
    maxBuffer: 1 << 24,
  });
  return JSON.parse(stdout);
}

test("the inspector lists and calls tools, over HTTP and over standard streams", async () => {
  const targets = [
    [`${preview.origin}/mcp`, "--transport", "http"],
    [program, "mcp", preview.folder, "--no-state"],
  ];
  for (const target of targets) {
    const { tools } = await inspect(target, "--method", "tools/list");
    assert.equal(tools.length, 7);
    const found = await inspect(
      target,
      "--method",
      "tools/call",
      "--tool-name",
      "search",
      "--tool-arg",
      "query=tickets",
      "--tool-arg",
      "limit=2",
    );
    assert.match(found.content[0].text, /^2 pages for `tickets`:\n/);
    const { resources } = await inspect(target, "--method", "resources/list");
    assert.ok(resources.some((resource) => resource.uri === "docs://pages/quickstart"));
  }
});
