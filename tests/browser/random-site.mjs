// Sites that nobody wrote, and questions for them: the same for the same seed. They have what orders pages: words in
// every form and script, identifiers, codes, data, authors' factors, versions with copies, languages, tabs, operations.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Numbers between 0 and 1 that look random (mulberry32). */
const numbersOf = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

// Few words, so that pages share many, in forms of one stem and of several.
const english = `cancel cancels cancelled cancelling cancellation ticket tickets ticketing rate rates rating limit limits limited
limitless key keys keyed webhook webhooks visit visits visitor visitors museum museums open opens opening reopened exhibit exhibits
exhibition error errors erroneous retry retries retried authenticate authentication authenticated authorize general generally
generate generator the a an to of and how do I is it's in with without your all sky skies early only
createTicket rateLimit HTTPServer max_retries getUserById XMLHttpRequest snake_case_name kebab-case-name API SDK id v2 2024 404 0042
RFC-7231 v2.3.1-rc.1 gpt-4o-mini utf-8 1.2.3-beta ISO-8601-1 x86-64 café naïve Zoë résumé façade Łódź smørrebrød Straße œuvre
don't we'll visitor's`;
const others = {
  fr: "annuler annulé billet billets visite visites musée ouvrir ouverture clé clés erreur erreurs le la les des une avec pour",
  es: "cancelar cancelación entrada entradas visita museo abrir clave claves error errores el la los una con para año años",
  ru: "отменить отмена билет билеты билетов музей музея открыть ключ ключи ошибка ошибки как что для и в",
  ja: "チケット キャンセル 美術館 を開く 鍵 エラー の一覧 ガイド 東京タワー プレビュー ﾃｽﾄ",
  ar: "تذكرة التذكرة التذاكر متحف المتحف مفتاح المفتاح والمفتاح إلغاء خطأ الأخطاء كيف",
  el: "ακύρωση εισιτήριο εισιτήρια ΟΔΟΣ οδός μουσείο κλειδί σφάλμα το η και",
  mt: "ħlas ħlasijiet biljett għandek żjara mużew ġdid ċavetta żball",
  az: "bilet biletlər ləğv etmək muzey açar səhv görüş üçün və Məlumat",
  zh: "取消门票 博物馆 开放时间 密钥 错误 重试 如何 访问者",
};

/** A source of choices: `of` a list, `some` of one, `chance`. */
const choicesOf = (seed) => {
  const number = numbersOf(seed);
  const below = (count) => Math.floor(number() * count);
  // The first of a list more often than the last, as words are.
  const of = (list) => list[Math.floor(number() ** 2 * list.length)];
  const some = (list, least, most) => Array.from({ length: least + below(most - least + 1) }, () => of(list));
  return { below, of, some, chance: (share) => number() < share };
};

/** Words of the language, of which each site shuffles its own first ones. */
const wordsOf = (language, { below }) => {
  const words = (language === "en" ? english : others[language]).split(/\s+/);
  for (let at = words.length - 1; at > 0; at -= 1) {
    const other = below(at + 1);
    [words[at], words[other]] = [words[other], words[at]];
  }
  return words;
};

const joint = (language) => (language === "ja" || language === "zh" ? "" : " ");

/** What looks like a long identifier or like data: parts of some length, some with digits. */
const longOf = ({ below, chance }) => {
  const [most, least] = [60 + below(220), 1 + below(6)];
  let text = "";
  while (text.length < most) {
    const part = "organizationrepositoryadvancedvulnerability".slice(below(12)).slice(0, least + below(8));
    text += chance(0.08) ? `${below(100)}` : part[0].toUpperCase() + part.slice(1);
  }
  return text;
};

/** The text of a page, called `title` if that is given, and its headings. */
const pageOf = (words, language, choices, title) => {
  const { some, chance, below } = choices;
  const phrase = (least, most) => some(words, least, most).join(joint(language));
  title ??= phrase(1, 3);
  const lines = ["---", `title: ${JSON.stringify(title)}`];
  if (chance(0.5)) lines.push(`description: ${JSON.stringify(phrase(3, 8))}`);
  if (chance(0.2)) lines.push(`keywords: [${JSON.stringify(phrase(1, 2))}]`);
  if (chance(0.2)) lines.push(`boost: ${[0.5, 2, 3, 0, 1.5][below(5)]}`);
  lines.push("---", "");
  const headings = [];
  for (let count = below(5); count >= 0; count -= 1) {
    if (chance(0.8)) {
      headings.push(phrase(1, 4));
      lines.push(`${"#".repeat(2 + below(2))} ${headings.at(-1)}`, "");
    }
    lines.push(`${phrase(3, 40)}.`, "");
    if (chance(0.2)) lines.push("```js", `const ${phrase(1, 1)} = "${phrase(1, 3)}";`, "```", "");
    if (chance(0.2)) lines.push(`Data: \`${longOf(choices)}\`.`, "");
  }
  return { title, headings, text: lines.join("\n") };
};

/** A specification with operations of paths that share segments. */
const specificationOf = (words, { of, below, chance }) => {
  const paths = {};
  const segment = () => of(words).replace(/[^\w-]/g, "") || "things";
  for (let count = 2 + below(6); count > 0; count -= 1) {
    const path = `/${segment()}${chance(0.6) ? "/{id}" : ""}${chance(0.4) ? `/${segment()}` : ""}`;
    const parameters = path.includes("{id}")
      ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }]
      : [];
    const methods = ["get", "put", "post", "delete"].filter(() => chance(0.5));
    const operation = () => ({
      ...(chance(0.5) && { summary: `${of(words)} ${of(words)}` }),
      parameters,
      responses: { 200: { description: "Fine." } },
    });
    paths[path] = Object.fromEntries((methods.length ? methods : ["get"]).map((method) => [method, operation()]));
  }
  return { openapi: "3.1.0", info: { title: "A", version: "1" }, paths };
};

/**
 * Writes the site of `seed` to `folder`; gives as many questions for it as `count`, each with its filter. The script
 * knows stems of English alone: in other languages it is asked for words as they stand on pages of theirs.
 */
export function randomSite(folder, seed, count) {
  const choices = choicesOf(seed);
  const { below, of, some, chance } = choices;
  const titles = [];
  const headings = [];
  const write = (name, text) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const pagesBelow = (start, language, many, copied = []) =>
    Array.from({ length: many }, (_, i) => {
      const page = pageOf(words[language], language, choices, chance(0.7) ? copied[i] : undefined);
      if (language === "en") {
        titles.push(page.title);
        headings.push(...page.headings);
      }
      written[language].push(page.text);
      write(`${start}p${i}.mdx`, page.text);
      return `${start}p${i}`;
    });
  const kind = ["tabs", "versions", "languages"][seed % 3];
  const codes = kind === "languages" ? ["en", ...Object.keys(others).filter(() => chance(0.7))] : ["en"];
  const words = Object.fromEntries(codes.map((code) => [code, wordsOf(code, choices)]));
  const written = Object.fromEntries(codes.map((code) => [code, []]));
  const filters = [{}];
  let navigation;
  if (kind === "tabs") {
    write("api.json", JSON.stringify(specificationOf(words.en, choices)));
    navigation = {
      tabs: [
        { tab: "Guides", pages: pagesBelow("", "en", 20) },
        { tab: "More", pages: pagesBelow("more/", "en", 10) },
        { tab: "API", openapi: "api.json" },
      ],
    };
    filters.push({ tab: "Guides" }, { tab: "API" });
  } else if (kind === "versions") {
    // Pages of one name and title are copies of each other.
    const first = pagesBelow("v2/", "en", 15);
    const old = pagesBelow("v1/", "en", 15, [...titles]);
    navigation = {
      versions: [
        { version: "2", pages: first },
        { version: "1", pages: old },
      ],
    };
    filters.push({ version: "1" }, { version: "2" });
  } else {
    navigation = {
      languages: codes.map((language) => ({ language, pages: pagesBelow(`${language}/`, language, 8) })),
    };
  }
  const synonyms = Array.from({ length: below(3) }, () => [of(words.en), some(words.en, 1, 2).join(" ")]);
  const docs = {
    theme: "mint",
    name: "A",
    colors: { primary: "#0a7" },
    search: { semantic: false, synonyms },
    navigation,
  };
  write("docs.json", JSON.stringify(docs));

  const slip = (text) => {
    const letters = [...text];
    const at = below(letters.length);
    const made = [
      () => letters.splice(at, 1),
      () => letters.splice(at, 0, of([..."aeinrst"])),
      () => letters.splice(at, 2, letters[at + 1] ?? "", letters[at]),
      () => (letters[at] = "x"),
    ];
    of(made)();
    return letters.join("");
  };
  const long = Object.values(written).flatMap((texts) =>
    texts.flatMap((text) => text.match(/[A-Za-z0-9]{50,}/g) ?? []),
  );
  const rules = [
    (said) => some(said, 1, 4).join(" "),
    () => of(titles),
    () => of(headings),
    () => of(titles).toLowerCase(),
    (said) => `${some(said, 1, 2).join(" ")} ${slip(of(said))}`,
    (said) => slip(of(said)),
    (said) =>
      some(said, 1, 3)
        .join(" ")
        .slice(0, -1 - below(3)),
    (said) => `"${some(said, 1, 2).join(" ")}" ${of(said)}`,
    () => `"${of(headings)}"`,
    (said) => of(said).toUpperCase(),
    (said) => some(said, 2, 3).join(""),
    (said) => `how do I ${some(said, 1, 3).join(" ")}?`,
    (said) => `${of(["GET", "post", "DELETE", ""])} /${of(said)}/${of(["8f14", "{id}", of(said)])}`.trim(),
    () => of(long),
    () => of(long).toLowerCase(),
    (said) => some(said, 3, 12).map(slip).join(" "),
    (said) => some(said, 20, 80).join(" "),
    () => of(["?", "!!", "-", "1", "a", "/", '"', "«»", "…"]),
  ];
  const questions = Array.from({ length: count }, () => {
    const language = of(codes);
    if (language === "en") {
      const filter = kind === "languages" ? { language } : of(filters);
      return { query: rules[below(rules.length)](words.en), ...(Object.keys(filter).length && { filter }) };
    }
    const said = words[language].filter((word) => written[language].some((text) => text.includes(word)));
    return { query: some(said, 1, 4).join(" "), filter: { language } };
  });
  return { kind, questions: questions.filter(({ query }) => query.trim()) };
}
