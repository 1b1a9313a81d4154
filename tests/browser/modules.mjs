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
