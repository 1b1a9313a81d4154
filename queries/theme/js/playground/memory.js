// What a reader typed, for as long as they want: credentials for the tab, or on this device if they say so; other
// values for the tab; environments on this device, as they are saved by name. Nothing of it is part of an address, and
// nothing leaves the browser but in the request itself.
const authKey = "quire-playground-auth";
const valuesKey = "quire-playground-values";
const historyKey = "quire-playground-history";
const environmentsKey = "quire-playground-environments";
const maxHistory = 20;
// A body beyond this is not kept: what a tab may keep is little.
const maxKept = 64 * 1024;

const readStore = (storage, key) => {
  try {
    return JSON.parse(window[storage].getItem(key)) ?? {};
  } catch {
    return {};
  }
};
const writeStore = (storage, key, value) => {
  try {
    if (Object.keys(value).length) window[storage].setItem(key, JSON.stringify(value));
    else window[storage].removeItem(key);
  } catch {
    // It lasts as long as the page.
  }
};
/** Changes what is kept for `name`; without a value it is forgotten. */
const keepOne = (storage, key, name, value) => {
  const { [name]: before, ...rest } = readStore(storage, key);
  writeStore(storage, key, value === undefined ? rest : { ...rest, [name]: value });
};

/** What is kept for the specification called `spec`, on the page of `operation`. */
export const memoryOf = (spec, operation) => {
  const here = `${spec} ${operation}`;
  const schemes = (storage) => readStore(storage, authKey)[spec] ?? {};
  return {
    /** Credentials by the key of their scheme, and whether those of the device are among them. */
    auth: () => ({
      given: { ...schemes("localStorage"), ...schemes("sessionStorage") },
      isRemembered: Object.keys(schemes("localStorage")).length > 0,
    }),
    keepAuth: (given, isRemembered) => {
      const filled = Object.fromEntries(
        Object.entries(given).filter(([, typed]) => Object.values(typed).some(Boolean)),
      );
      const kept = Object.keys(filled).length ? filled : undefined;
      keepOne("sessionStorage", authKey, spec, kept);
      keepOne("localStorage", authKey, spec, isRemembered ? kept : undefined);
    },
    /** Forgets the credentials of every specification, wherever they are. */
    clearAuth: () => {
      writeStore("sessionStorage", authKey, {});
      writeStore("localStorage", authKey, {});
      const withoutAuth = (all) =>
        Object.fromEntries(Object.entries(all).map(([name, { auth, ...rest }]) => [name, rest]));
      const kept = Object.entries(readStore("localStorage", environmentsKey)).map(([of, all]) => [
        of,
        withoutAuth(all),
      ]);
      writeStore("localStorage", environmentsKey, Object.fromEntries(kept));
    },
    /** What the reader has saved by name, on this device: server, variables and credentials. */
    environments: () => readStore("localStorage", environmentsKey)[spec] ?? {},
    keepEnvironment: (name, environment) => {
      const { [name]: before, ...rest } = readStore("localStorage", environmentsKey)[spec] ?? {};
      const all = environment ? { ...rest, [name]: environment } : rest;
      keepOne("localStorage", environmentsKey, spec, Object.keys(all).length ? all : undefined);
    },
    values: () => readStore("sessionStorage", valuesKey)[here],
    keepValues: (values) => keepOne("sessionStorage", valuesKey, here, values),
    /** What every page of the specification begins with: the server, values of the path by their names. */
    shared: () => readStore("sessionStorage", valuesKey)[spec] ?? {},
    keepShared: (values) => keepOne("sessionStorage", valuesKey, spec, values),
    history: () => readStore("sessionStorage", historyKey)[here] ?? [],
    keepHistory: (entry) => {
      const before = readStore("sessionStorage", historyKey)[here] ?? [];
      const kept = entry ? [entry, ...before].slice(0, maxHistory) : undefined;
      keepOne("sessionStorage", historyKey, here, kept);
    },
  };
};

/** Whether an input asks for a secret anywhere. */
export const asksSecret = (input) => {
  if (!input) return false;
  if (input.input === "text") return input.type === "password";
  if (input.input === "list") return asksSecret(input.item);
  if (input.input === "union") return input.branches.some(asksSecret);
  return input.input === "object" && (input.fields.some(asksSecret) || asksSecret(input.others));
};

/** A value as it is kept: without secrets and files, as JSON; `undefined` if nothing is left, or too much. */
export const keptText = (input, value) => {
  const strip = (at, part) => {
    if (part === undefined || (typeof Blob === "function" && part instanceof Blob)) return undefined;
    if (at?.input === "text" && at.type === "password") return undefined;
    if (Array.isArray(part)) return part.map((item) => strip(at?.item, item)).filter((item) => item !== undefined);
    if (!(part instanceof Map)) return part;
    const branch = at?.input === "union" ? at.branches.find((one) => fitsWhole(one, part)) : at;
    const known = new Map((branch?.fields ?? []).map((field) => [field.name, field]));
    const members = [...part].map(([key, member]) => [key, strip(known.get(key) ?? branch?.others, member)]);
    return new Map(members.filter(([, member]) => member !== undefined));
  };
  const left = strip(input, value);
  const text = left === undefined ? undefined : jsonText(left);
  return text && text.length <= maxKept ? text : undefined;
};

/** What was kept; `undefined` if it cannot be read any more. */
export const keptValue = (text) => {
  try {
    return text === undefined ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
};
