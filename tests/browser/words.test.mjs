// The words of a question in an export are cut as those of its pages, in each language: without a browser, as it needs
// none.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { firstFive, searcherOf, serviceOf } from "./questions.mjs";
import { previewOf, program } from "./support.mjs";

const long = "listOrganizationRepositoryAdvancedSecurityVulnerabilityAlertsForEnterprise";
const pages = {
  guide: ["ガイド", "プレビューを作ります。"],
  key: ["المفتاح", "أنشئ مفتاح الوصول وأرسله مع كل طلب. المصادقة والإلغاء."],
  cafe: ["Café", "ﬁnal values of the ＡＰＩ."],
  refund: ["환불", "카드로 지불합니다."],
  bilet: ["Səhv", "Biletləri ləğv edin."],
  hlas: ["Ħlas", "Il-ħlasijiet għall-biljetti."],
  alerts: ["Alerts", `Call \`${long}\` for all of them.`],
};

let folder, search;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "quire-words-"));
  for (const [name, [title, text]] of Object.entries(pages))
    writeFileSync(join(folder, `${name}.mdx`), `---\ntitle: "${title}"\n---\n\n${text}\n`);
  writeFileSync(
    join(folder, "docs.json"),
    JSON.stringify({
      name: "Words",
      theme: "mint",
      colors: { primary: "#000000" },
      navigation: { pages: Object.keys(pages) },
    }),
  );
  const output = join(folder, "out");
  execFileSync(program, ["build", folder, "--out", output], { stdio: "ignore" });
  search = await searcherOf(output);
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [question, page] of [
  ["ガイド", "guide"],
  ["ｶﾞｲﾄﾞ", "guide"],
  ["フ\u309aレヒ\u3099ュー", "guide"],
  ["المفتاح", "key"],
  ["مفتاح", "key"],
  ["والمفتاح", "key"],
  ["للمِفتاح", "key"],
  ["مصادقه", "key"],
  ["مصـــادقة", "key"],
  ["إلغاء", "key"],
  ["cafe", "cafe"],
  ["CAFE\u0301", "cafe"],
  ["final", "cafe"],
  ["api", "cafe"],
  ["ｆｉｎａｌ ＡＰＩ", "cafe"],
  ["səhv", "bilet"],
  ["biletl", "bilet"],
  ["ləğ", "bilet"],
  ["ħlas", "hlas"],
  ["hlas", "hlas"],
  ["biljetti", "hlas"],
  ["환불", "refund"],
  ["환불".normalize("NFD"), "refund"],
  [long, "alerts"],
  [long.toLowerCase(), "alerts"],
]) {
  test(`${question} finds ${page}`, async () => {
    const { results } = await search({ query: question });
    assert.equal(results[0]?.url, `/${page}/`);
  });
}

test("a question finds pages of every language by the stem that it has there", async () => {
  const site = mkdtempSync(join(tmpdir(), "quire-languages-"));
  const texts = {
    notes: ["Notes", "How to cancel a note."],
    "es/notas": ["Las notas", "Se puede cancelar una nota."],
    "fr/notes": ["Les billets", "On note le billet annulé."],
  };
  for (const [name, [title, text]] of Object.entries(texts)) {
    mkdirSync(join(site, name, ".."), { recursive: true });
    writeFileSync(join(site, `${name}.mdx`), `---\ntitle: "${title}"\n---\n\n${text}\n`);
  }
  const languages = [
    ["en", "notes"],
    ["es", "es/notas"],
    ["fr", "fr/notes"],
  ].map(([language, page]) => ({ language, pages: [page] }));
  writeFileSync(
    join(site, "docs.json"),
    JSON.stringify({ name: "Languages", theme: "mint", colors: { primary: "#000000" }, navigation: { languages } }),
  );
  const output = join(site, "out");
  execFileSync(program, ["build", site, "--out", output], { stdio: "ignore" });
  const preview = await previewOf(site);
  const [service, search] = [await serviceOf(preview), await searcherOf(output)];
  for (const query of [
    "notes",
    "how to cancel a note",
    "billets",
    "cancelar notas",
    "note annulé",
    "cancel everything",
  ]) {
    const there = firstFive(await service({ query }));
    assert.ok(there.length > 0, query);
    assert.deepEqual(firstFive(await search({ query })), there, query);
  }
  // Neither the word nor one that is nearly it stands there.
  assert.ok(firstFive(await search({ query: "cancel everything" })).includes("/es/notas"));
  await preview.stop();
  rmSync(site, { recursive: true, force: true });
});
