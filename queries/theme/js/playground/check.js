// What is wrong with a value. A reader is told and may send it all the same: an API is asked what it does with it, too.

/** A number text as sign, digits and exponent, or `null`. */
const decimalOf = (text) => {
  const [all, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (all === undefined) return null;
  const digits = (whole + fraction).replace(/^0+/, "");
  const trimmed = digits.replace(/0+$/, "");
  return {
    sign: trimmed ? sign : "",
    digits: trimmed,
    exponent: Number(exponent) - fraction.length + digits.length - trimmed.length,
  };
};

/** Whether a number text is one without a fraction. */
const isWhole = (text) => {
  const decimal = decimalOf(text);
  return decimal !== null && (!decimal.digits || decimal.exponent >= 0);
};

/** -1, 0 or 1: numbers of any size, compared without doubles. */
export const compareNumbers = (a, b) => {
  const [left, right] = [decimalOf(a), decimalOf(b)];
  const signOf = ({ sign, digits }) => (digits ? (sign ? -1 : 1) : 0);
  if (signOf(left) !== signOf(right)) return Math.sign(signOf(left) - signOf(right));
  const direction = signOf(left);
  if (!direction) return 0;
  const places = ({ digits, exponent }) => digits.length + exponent;
  if (places(left) !== places(right)) return Math.sign(places(left) - places(right)) * direction;
  const width = Math.max(left.digits.length, right.digits.length);
  const [x, y] = [left, right].map(({ digits }) => digits.padEnd(width, "0"));
  return x === y ? 0 : (x < y ? -1 : 1) * direction;
};

const shapes = {
  email: [/^[^@\s]+@[^@\s]+$/, () => say("NotEmail", "Not an e-mail address")],
  url: [/^[A-Za-z][A-Za-z0-9+.-]*:\S*$/, () => say("NotUrl", "Not an address such as {}", "https://example.com")],
  date: [/^\d{4}-\d\d-\d\d$/, () => say("NotDate", "Not a date such as {}", "2026-01-31")],
  "datetime-local": [
    /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/,
    () => say("NotTime", "Not a time such as {}", "2026-01-31T09:30:00Z"),
  ],
};

const textFault = ({ type, minLength, maxLength, patterns = [] }, text) => {
  const length = [...text].length;
  if (minLength !== undefined && length < minLength) return say("MinLength", "Minimum length: {}", minLength);
  if (maxLength !== undefined && length > maxLength) return say("MaxLength", "Maximum length: {}", maxLength);
  for (const pattern of patterns) {
    try {
      if (!new RegExp(pattern, "u").test(text)) return say("DoesNotMatch", "Does not match {}", pattern);
    } catch {
      // A pattern of another dialect says nothing here.
    }
  }
  const shape = shapes[type];
  return shape && text && !shape[0].test(text) ? shape[1]() : null;
};

const numberFault = ({ integer, min, max }, value) => {
  if (!(value instanceof Raw) || !decimalOf(value.text)) return say("NotNumber", "Not a number");
  if (integer && !isWhole(value.text)) return say("NotWhole", "Not a whole number");
  const against = (limit, side) => {
    if (!limit) return null;
    const order = compareNumbers(value.text, limit.number.text) * side;
    return order < 0 || (order === 0 && limit.exclusive) ? limit.number.text : null;
  };
  const [least, most] = [against(min, 1), against(max, -1)];
  if (least)
    return min.exclusive ? say("MustExceed", "Must be greater than {}", least) : say("LessThan", "Less than {}", least);
  if (!most) return null;
  return max.exclusive ? say("MustBeBelow", "Must be less than {}", most) : say("GreaterThan", "Greater than {}", most);
};

/** What is wrong with a value itself, not with what is in it; `null` if nothing is. */
export const faultOf = (input, value, isRequired) => {
  if (value === undefined || (isRequired && Array.isArray(value) && !value.length && input.minItems))
    return isRequired ? say("Required", "required") : null;
  if (value instanceof Raw && value.text === "null") return null;
  if (input.input === "text" && typeof value === "string") return textFault(input, value);
  if (input.input === "number") return numberFault(input, value);
  if (input.input === "choice")
    return input.values.some((one) => jsonText(one) === jsonText(value))
      ? null
      : say("NotAllowed", "Not one of the values");
  if (input.input === "list" && Array.isArray(value)) {
    if (value.length < (input.minItems ?? 0)) return say("MinItems", "Minimum number of items: {}", input.minItems);
    if (value.length > (input.maxItems ?? Infinity))
      return say("MaxItems", "Maximum number of items: {}", input.maxItems);
  }
  return null;
};

/**
 * Everything that is wrong with a value, as `[names on the way, message]`: what a form says of parts that are not drawn
 * yet.
 */
export const faultsOf = (input, value, isRequired, way = []) => {
  const own = faultOf(input, value, isRequired);
  const faults = own ? [[way, own]] : [];
  if (input.input === "list" && Array.isArray(value)) {
    for (const [i, item] of value.entries()) faults.push(...faultsOf(input.item, item, false, [...way, String(i + 1)]));
  }
  if (input.input === "object" && value instanceof Map) {
    for (const { name, required, ...field } of input.fields)
      faults.push(...faultsOf(field, value.get(name), required, [...way, name]));
  }
  return faults;
};

/** The value that an input begins with: what the author says it begins with, else nothing. */
export const initialOf = (input, prefill, isRequired) => {
  if (prefill !== undefined) return prefill;
  if (input.input === "choice") return isRequired && input.values.length === 1 ? input.values[0] : undefined;
  if (input.input === "union")
    return isRequired && input.branches.length ? initialOf(input.branches[0], undefined, true) : undefined;
  if (input.input !== "object") return undefined;
  const members = new Map();
  for (const { name, required, prefill: own, ...field } of input.fields) {
    const value = initialOf(field, own, required);
    if (value !== undefined) members.set(name, value);
  }
  return members.size || isRequired ? members : undefined;
};

/** Whether an input can show a value without losing any of it. */
export const fits = (input, value) => {
  if (value === undefined) return true;
  const isText = typeof value === "string";
  const is = {
    text: () => isText && (input.multiline || !/[\r\n]/.test(value)),
    number: () => value instanceof Raw && decimalOf(value.text) !== null,
    boolean: () => value instanceof Raw && /^(true|false)$/.test(value.text),
    choice: () => input.values.some((one) => jsonText(one) === jsonText(value)),
    list: () => Array.isArray(value),
    object: () => value instanceof Map,
    union: () => input.branches.some((branch) => fitsWhole(branch, value)),
    file: () => typeof Blob === "function" && value instanceof Blob,
    json: () => true,
  }[input.input];
  return is();
};

/** Whether an input names every member of a value. */
const fitsWhole = (input, value) => {
  if (!fits(input, value)) return false;
  if (input.input !== "object" || !(value instanceof Map)) return true;
  const known = new Map(input.fields.map((field) => [field.name, field]));
  return [...value].every(([key, member]) =>
    known.has(key) ? fits(known.get(key), member) : input.others && fits(input.others, member),
  );
};

const kept = ["prefill", "number", "values"];

/** The data of the page: numbers of the author's stay as they are written. */
export const islandOf = (text) => {
  const plainOf = (value, key) => {
    if (kept.includes(key)) return value;
    if (value instanceof Map)
      return Object.fromEntries([...value].map(([name, member]) => [name, plainOf(member, name)]));
    if (Array.isArray(value)) return value.map((item) => plainOf(item, ""));
    return value instanceof Raw ? JSON.parse(value.text) : value;
  };
  return plainOf(parseJson(text), "");
};
