// The files of the playground as the one module that they are on a page, without a browser.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const read = (path) => readFileSync(join(repository, path), "utf8");

const templates = ["shell", "script", "compiled", "managed"].map((name) =>
  read(`queries/openapi/src/code/languages/${name}.tpl`),
);

/** The files called `names`, which name each other without imports. */
export const moduleOf = (...names) => {
  const files = names.map((name) => read(`queries/theme/js/playground/${name}.js`));
  const source = ["const sampleTable = String.raw`\n", ...templates, "`;\n", ...files].join("");
  return import(`data:text/javascript;base64,${Buffer.from(source).toString("base64")}`);
};

/** The request of a case of `samples.json`, as templates know it. */
export const requestOfCase = ({ prettyJson }, map) => {
  const { method, url, headers, body } = Object.fromEntries(map);
  if (!(body instanceof Map)) return { method, url, headers, body: null };
  if (body.has("json"))
    return { method, url, headers, body: { text: prettyJson(body.get("json")), json: body.get("json") } };
  if (body.has("parts"))
    return { method, url, headers, body: { parts: body.get("parts").map((part) => Object.fromEntries(part)) } };
  return { method, url, headers, body: Object.fromEntries(body) };
};

/** The server of the samples. */
export const sampleBase = "https://api.example.com/v1";

/** The requests of `tests/wire/samples.json`, and those with each value of `values.json` in the query. */
export const samplesOf = (module) => {
  const { parseJson, inQuery } = module;
  const cases = parseJson(read("tests/wire/samples.json")).map((one) => ({
    name: one.get("case"),
    request: requestOfCase(module, one.get("request")),
  }));
  const values = parseJson(read("tests/wire/values.json"))
    .get("values")
    .filter((one) => one.get("in") === "query")
    .map((one) => {
      const spec = Object.fromEntries(
        ["style", "explode", "allowReserved", "json", "content", "whole"].map((key) => [
          key,
          one.has(key) && one.get(key).text === undefined ? one.get(key) : one.get(key)?.text === "true",
        ]),
      );
      const pairs = inQuery(spec, one.get("name"), one.get("value"));
      return {
        name: `value: ${one.get("case")}`,
        request: {
          method: "GET",
          url: `${sampleBase}/values${pairs.length ? `?${pairs.join("&")}` : ""}`,
          headers: [],
          body: null,
        },
      };
    });
  return { cases, values };
};
