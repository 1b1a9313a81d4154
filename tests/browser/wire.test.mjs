// What the form of a page sends, byte for byte, by the table that the samples are made by: `tests/wire/`. No browser is
// needed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { moduleOf, read, requestOfCase } from "./modules.mjs";

const module = await moduleOf("json", "request", "samples", "check");
const {
  Raw,
  parseJson,
  jsonText,
  prettyJson,
  layOut,
  jsonTokens,
  inPath,
  inQuery,
  inHeader,
  inCookie,
  formOf,
  addressOf,
} = module;
const { requestOf, sampleOf, sampleRequest, multipartOf, partsOf, islandOf, compareNumbers, faultOf, initialOf, fits } =
  module;

// Numbers of the cases keep their texts.
const values = parseJson(read("tests/wire/values.json"));
const plain = (map, key) => {
  const value = map.get(key);
  return value instanceof Raw ? JSON.parse(value.text) : value;
};

for (const one of values.get("values")) {
  const spec = Object.fromEntries(
    ["style", "explode", "allowReserved", "json", "content", "whole", "inner"].map((key) => [key, plain(one, key)]),
  );
  const [name, value, place] = [one.get("name"), one.get("value"), one.get("in")];
  test(`${place}: ${one.get("case")}`, () => {
    const written = {
      path: () => inPath(spec, name, value),
      query: () => inQuery(spec, name, value).join("&"),
      header: () => inHeader(spec, value),
      cookie: () => inCookie(spec, name, value).join("; "),
    }[place]();
    assert.equal(written, one.get("wire"));
  });
}

test("addresses and forms", () => {
  for (const one of values.get("addresses")) assert.equal(addressOf(one.get("base"), one.get("path")), one.get("wire"));
  for (const one of values.get("forms")) assert.equal(formOf(one.get("pairs")), one.get("wire"));
});

for (const one of parseJson(read("tests/wire/requests.json"))) {
  test(`the request of the samples: ${one.get("case")}`, () => {
    const island = islandOf(jsonText(one.get("island")));
    const typed = one.get("values");
    const parameters = (island.parameters ?? []).map(({ name }) => typed.get("parameters")?.get(name));
    const body = typed.has("text") ? { index: 0, text: typed.get("text") } : { index: 0, value: typed.get("body") };
    const request = requestOf(island, { parameters, body }, { secrets: "placeholder" });
    assert.equal(sampleOf("curl", sampleRequest(request)), one.get("curl"));
  });
}

for (const one of parseJson(read("tests/wire/samples.json"))) {
  test(`code in every language: ${one.get("case")}`, () => {
    const request = requestOfCase(module, one.get("request"));
    for (const [language, code] of one.get("samples")) assert.equal(sampleOf(language, request), code, language);
  });
}

test("code has the text of a body as it is typed, and the names of the files that are chosen", () => {
  const of = (id, body) => sampleOf(id, sampleRequest({ method: "POST", url: "https://h", headers: [], body }));
  assert.match(of("curl", { kind: "json", text: '{"a":1.0}' }), /--data '\{"a":1\.0\}'/);
  assert.match(
    of("python", { kind: "json", text: '{"a":1.5, "b":null}' }),
    /payload = \{\n {4}"a": 1\.5,\n {4}"b": None\n\}/,
  );
  assert.match(of("python", { kind: "json", text: '{"a":1.0}' }), /data = "\{\\"a\\":1\.0\}"\.encode\(\)/);
  assert.match(of("python", { kind: "json", text: "{" }), /data = "\{"\.encode\(\)/);
  const picture = new File(["x"], "it's.png", { type: "image/png" });
  assert.match(of("curl", { kind: "file", file: picture }), /--data-binary '@it'\\''s\.png'/);
  const parts = partsOf(
    {},
    new Map([
      ["a", picture],
      ["b", new File(["x"], "b;c")],
      ["c", "1"],
    ]),
  );
  const form = { kind: "multipart", parts };
  assert.match(
    of("curl", form),
    /--form 'a=@it'\\''s\.png;type=image\/png' \\\n {2}--form 'b=@"b;c"' \\\n {2}--form 'c=1'/,
  );
  assert.match(
    of("node", form),
    /const file = await openAsBlob\("it's\.png"\);\nconst file2 = await openAsBlob\("b;c"\);/,
  );
  assert.match(of("node", form), /form\.append\("b", file2, "b;c"\);/);
});

test("numbers are sent as they are typed", () => {
  for (const text of ["9007199254740993", "1e400", "1E5", "-0", "1.50", "0.1e-7"]) {
    assert.deepEqual(inQuery({ style: "form", explode: true }, "n", new Raw(text)), [`n=${text}`]);
    assert.equal(jsonText(parseJson(`[${text}]`)), `[${text}]`);
  }
});

const island = (more) => ({ method: "POST", path: "/a", servers: [{ url: "https://h" }], ...more });
const headersOf = (security, auth) => requestOf(island({ security }), { auth }).headers;

test("credentials are put where the scheme says", () => {
  const key = { key: "k", kind: "key", in: "header", name: "X-Key" };
  assert.deepEqual(headersOf([[key]], { k: { value: " secret " } }), [["X-Key", "secret"]]);
  assert.deepEqual(headersOf([[key]], {}), []);
  assert.deepEqual(headersOf([[{ key: "b", kind: "bearer" }]], { b: { value: "t" } }), [["Authorization", "Bearer t"]]);
  assert.deepEqual(headersOf([[{ key: "b", kind: "bearer" }]], { b: { value: "Bearer t" } }), [
    ["Authorization", "Bearer t"],
  ]);
  const basic = headersOf([[{ key: "l", kind: "basic" }]], { l: { user: "ä", password: "p:q" } });
  assert.deepEqual(basic, [["Authorization", `Basic ${Buffer.from("ä:p:q").toString("base64")}`]]);
  const both = [
    [
      { ...key, in: "query", name: "a b" },
      { key: "c", kind: "key", in: "cookie", name: "sid" },
      { key: "n", kind: "none" },
    ],
  ];
  const request = requestOf(island({ security: both }), { auth: { k: { value: "x&y" }, c: { value: "1" } } });
  assert.equal(request.url, "https://h/a?a%20b=x%26y");
  assert.deepEqual(request.headers, [["Cookie", "sid=1"]]);
});

test("secrets are left out of what is shown", () => {
  const security = [[{ key: "k", kind: "key", in: "query", name: "key" }]];
  const request = requestOf(island({ security }), { auth: { k: { value: "secret" } } }, { secrets: "none" });
  assert.equal(request.url, "https://h/a");
});

test("the variables of a server are parts of its address and nothing else", () => {
  const servers = [
    {
      url: "https://{region}.h/{v}",
      variables: [
        { name: "region", default: "eu" },
        { name: "v", default: "v1" },
      ],
    },
  ];
  const url = (variables) => requestOf(island({ servers }), { variables }).url;
  assert.equal(url({}), "https://eu.h/v1/a");
  assert.equal(url({ region: "us", v: " v'2$ " }), "https://us.h/v%272%24/a");
});

test("a form in parts has a part for each property and item, with the type that the table says", async () => {
  const body = {
    encodings: [
      { name: "note", contentType: "application/json" },
      { name: "any", contentType: "image/png, image/jpeg" },
    ],
  };
  const file = new File(["bytes"], 'a"b.png', { type: "image/png" });
  const value = new Map([
    ["text", "a"],
    ["count", new Raw("1e400")],
    ["meta", new Map([["n", new Raw("-0")]])],
    ["tags", ["x", "y"]],
    ["note", "n"],
    ["any", file],
  ]);
  const text = await new Blob(multipartOf(partsOf(body, value), "B")).text();
  const part = (head, content) => `--B\r\nContent-Disposition: form-data; name=${head}\r\n\r\n${content}\r\n`;
  const expected = [
    part('"text"', "a"),
    part('"count"', "1e400"),
    part('"meta"\r\nContent-Type: application/json', '{"n":-0}'),
    part('"tags"', "x"),
    part('"tags"', "y"),
    part('"note"\r\nContent-Type: application/json', '"n"'),
    part('"any"; filename="a%22b.png"\r\nContent-Type: image/png', "bytes"),
    "--B--\r\n",
  ];
  assert.equal(text, expected.join(""));
});

test("the type of a body is that of its form, of the file, or what was typed", () => {
  const typeOf = (media, body, input) => {
    const { headers } = requestOf(island({ bodies: [{ media, input, sample: "" }] }), { body });
    return headers.find(([name]) => name === "Content-Type")?.[1];
  };
  const file = { value: new File(["x"], "a", { type: "image/webp" }) };
  assert.equal(typeOf("image/*", file, { input: "file" }), "image/webp");
  assert.equal(typeOf("image/*", { value: new File(["x"], "a") }, { input: "file" }), "application/octet-stream");
  assert.equal(typeOf("image/png", file, { input: "file" }), "image/png");
  assert.equal(typeOf("*/*", { text: "{}" }), "application/json");
  assert.equal(typeOf("*/*", { text: "a", media: "text/a" }), "text/a");
  assert.equal(typeOf("text/plain", {}), undefined);
});

test("JSON is read and written without loss", () => {
  for (const text of ['{"b":9007199254740993,"a":[1e400,-0,1.50,true,null],"2":"\\u2028ä","1":{}}', "[]", '""', "-0"]) {
    assert.equal(jsonText(parseJson(text)), text.replace("\\u2028", "\u2028"));
    assert.equal(jsonText(parseJson(layOut(text))), jsonText(parseJson(text)));
    assert.equal([...jsonTokens(text)].map(([, piece]) => piece).join(""), text);
  }
  assert.equal(
    layOut('{"a":[1,{"b":"x, {y}"}],"c":{},"d":[]}'),
    '{\n  "a": [\n    1,\n    {\n      "b": "x, {y}"\n    }\n  ],\n  "c": {},\n  "d": []\n}',
  );
  assert.equal(layOut('{"a":[1]}'), prettyJson(parseJson('{"a":[1]}')));
});

test("what is not JSON is said with its place", () => {
  for (const [text, place] of [
    ['{"a":1,}', "Line 1:8: "],
    ["[1\n 2]", "Line 2:2: "],
    ["{", "Line 1:2: "],
    ["01", "Line 1:2: "],
    ['"a\nb"', "Line 1:3: "],
    ["[1] 2", "Line 1:5: "],
    ["nul", "Line 1:1: "],
    ['"\\x"', "Line 1:2: "],
  ]) {
    assert.throws(
      () => parseJson(text),
      (error) => error.message.startsWith(place),
      `${text}`,
    );
  }
  assert.throws(() => parseJson("[".repeat(2000)), /Too many levels/);
});

test("numbers of any size are compared", () => {
  const order = [
    "-1e400",
    "-9007199254740993",
    "-9007199254740992",
    "-0.1",
    "0",
    "0.10",
    "1",
    "9007199254740992",
    "9007199254740993",
    "1e17",
    "1e400",
  ];
  for (const [i, a] of order.entries())
    for (const [j, b] of order.entries()) assert.equal(compareNumbers(a, b), Math.sign(i - j), `${a} ${b}`);
  assert.equal(compareNumbers("-0", "0.0"), 0);
  assert.equal(compareNumbers("100", "1e2"), 0);
});

test("what is wrong with a value is said, and what is not is not", () => {
  const number = { input: "number", integer: true, max: { number: new Raw("9223372036854775807") } };
  assert.equal(faultOf(number, new Raw("9223372036854775807")), null);
  assert.equal(faultOf(number, new Raw("9223372036854775808")), "Greater than 9223372036854775807");
  assert.equal(faultOf(number, new Raw("1e3")), null);
  assert.equal(faultOf(number, new Raw("1.5")), "Not a whole number");
  assert.equal(faultOf(number, "x"), "Not a number");
  const text = { input: "text", type: "text", minLength: 2, maxLength: 2, patterns: ["^\\p{L}+$"] };
  assert.equal(faultOf(text, "😀"), "Minimum length: 2");
  assert.equal(faultOf(text, "äb"), null);
  assert.equal(faultOf(text, "a1"), "Does not match ^\\p{L}+$");
  assert.equal(faultOf(text, undefined, true), "required");
  assert.equal(faultOf(text, undefined, false), null);
  assert.equal(faultOf({ input: "text", type: "date", patterns: ["("] }, "2026-01-31"), null);
  assert.equal(faultOf({ input: "list", item: text, minItems: 2 }, ["ab"]), "Minimum number of items: 2");
});

test("forms begin with what the author says and show only what they lose nothing of", () => {
  const input = {
    input: "object",
    fields: [
      { name: "kind", required: true, input: "choice", values: ["card"] },
      { name: "unit", input: "text", type: "text", prefill: "mm" },
      { name: "inner", input: "object", fields: [{ name: "a", input: "number" }] },
    ],
  };
  assert.equal(jsonText(initialOf(input, undefined, true)), '{"kind":"card","unit":"mm"}');
  assert.equal(initialOf(input.fields[2], undefined, false), undefined);
  assert.equal(fits({ input: "text", type: "text" }, "a\nb"), false);
  assert.equal(fits({ input: "number" }, "1"), false);
  assert.equal(fits({ input: "choice", values: [new Raw("1")] }, "1"), false);
  assert.equal(fits({ input: "boolean" }, new Raw("null")), false);
});
