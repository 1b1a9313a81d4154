//! Questions that mean nothing to an English site, and questions that mean something in none of its words.
//!
//! The first must find nothing by meaning alone, the second as much as they can: both together say where the relevance_threshold of
//! `src/search/src/index/relevance_threshold.rs` belongs.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use queries::search::SearchDocument;
use queries::site::Embedder;
use quire_search::index::relevance_threshold::relevance_threshold;
use quire_search::index::words::Analyzer;
use quire_search::index::{Index, Question};

use super::judged::JudgedSite;
use crate::random_numbers::Random;

/// Rows of a keyboard, by which hands slide that type nothing.
const ROWS: [&str; 6] = [
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "poiuytrewq",
    "lkjhgfdsa",
    "1q2w3e4r5t",
];

/// Words of other languages, a line for each, none of them an English one.
const FOREIGN: &[&str] = &[
    "einstellungen schlüssel benutzer löschen verzeichnis hochladen zugriff überprüfen wie kann ich",
    "réglages clé utilisateur supprimer dossier télécharger accès vérifier comment puis-je",
    "ajustes clave usuario eliminar carpeta descargar acceso comprobar cómo puedo",
    "configurações chave usuário apagar pasta baixar acesso verificar como posso",
    "impostazioni chiave utente eliminare cartella scaricare accesso verificare come posso",
    "instellingen sleutel gebruiker verwijderen bestanden toegang controleren hoe kan ik",
    "ustawienia klucz użytkownik usunąć katalog pobierz dostęp sprawdzić jak mogę",
    "asetukset avain käyttäjä poistaa kansio lataa pääsy tarkistaa kuinka voin",
    "ayarlar anahtar kullanıcı silmek klasör indirmek erişim kontrol nasıl yapabilirim",
    "beállítások kulcs felhasználó törlés mappa letöltés hozzáférés ellenőrzés hogyan lehet",
    "nastavení klíč uživatel smazat složka stáhnout přístup ověřit jak mohu",
    "pengaturan kunci pengguna hapus unduh akses periksa bagaimana caranya",
    "настройки ключ пользователь удалить папка скачать доступ проверить как можно",
    "cài đặt khóa người dùng xóa thư mục tải xuống truy cập kiểm tra",
    "設定 鍵 利用者 削除 保存 確認 方法 接続",
    "설정 사용자 삭제 저장 확인 방법 연결",
];

/// `count` questions that mean nothing here, the same for the same `seed`: letters at random, syllables at random, hands
/// on a keyboard, words of other languages.
pub(crate) fn nonsense(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random::new(seed);
    let kinds = [letters, syllables, mash, foreign];
    (0..count)
        .map(|i| {
            let words = 1 + random.below(3);
            kinds[i % kinds.len()](&mut random, words)
        })
        .collect()
}

fn sentence(words: usize, mut word: impl FnMut() -> String) -> String {
    let words: Vec<String> = (0..words).map(|_| word()).collect();
    words.join(" ")
}

fn letters(random: &mut Random, words: usize) -> String {
    sentence(words, || {
        let length = 3 + random.below(8);
        (0..length)
            .map(|_| char::from(b'a' + random.below(26) as u8))
            .collect()
    })
}

fn syllables(random: &mut Random, words: usize) -> String {
    const ONSETS: &[&str] = &[
        "b", "bl", "d", "dr", "f", "g", "gl", "h", "k", "kr", "l", "m", "n", "p", "r", "s", "sk",
        "t", "v", "w", "z",
    ];
    const RIMES: &[&str] = &[
        "a", "e", "i", "o", "u", "oo", "un", "ark", "im", "ov", "ez", "up",
    ];
    sentence(words, || {
        let count = 2 + random.below(3);
        (0..count)
            .map(|_| {
                let onset = ONSETS[random.below(ONSETS.len())];
                format!("{onset}{}", RIMES[random.below(RIMES.len())])
            })
            .collect()
    })
}

fn mash(random: &mut Random, words: usize) -> String {
    sentence(words, || {
        let row = ROWS[random.below(ROWS.len())];
        let length = 4 + random.below(4);
        let from = random.below(row.len());
        row.chars().cycle().skip(from).take(length).collect()
    })
}

fn foreign(random: &mut Random, words: usize) -> String {
    let all: Vec<&str> = FOREIGN[random.below(FOREIGN.len())]
        .split_whitespace()
        .collect();
    let from = random.below(all.len());
    let words: Vec<&str> = all.iter().cycle().skip(from).take(words).copied().collect();
    words.join(" ")
}

/// A question none of whose words stand on the page that it is for, and that page.
pub(crate) struct Paraphrase {
    /// The question.
    pub(crate) query: String,
    /// The route of the page.
    pub(crate) route: String,
}

/// The questions of `site` without the words that their page has, as far as at least two that say something are left.
pub(crate) fn paraphrases(site: &JudgedSite) -> Vec<Paraphrase> {
    let mut analyzer = Analyzer::new("en");
    let words: BTreeMap<&str, HashSet<String>> = site
        .documents
        .iter()
        .map(|document| (document.route.as_str(), words_of(document, &mut analyzer)))
        .collect();
    let mut seen = BTreeSet::new();
    let questions = site.questions.iter().filter_map(|question| {
        let route = question.best()?;
        let of_page = words.get(route)?;
        let left: Vec<&str> = question
            .query
            .split_whitespace()
            .filter(|word| {
                let asked = analyzer.question(word);
                !asked.is_empty()
                    && asked.iter().all(|word| {
                        let mut forms = vec![&word.whole];
                        forms.extend(&word.parts);
                        forms.iter().all(|forms| !of_page.contains(&forms.term))
                    })
            })
            .collect();
        let query = left.join(" ");
        (left.len() >= 2).then(|| Paraphrase {
            query,
            route: route.to_owned(),
        })
    });
    questions
        .filter(|one| seen.insert(one.query.clone()))
        .collect()
}

fn words_of(document: &SearchDocument, analyzer: &mut Analyzer) -> HashSet<String> {
    let mut words = HashSet::new();
    let mut add = |text: &str| {
        analyzer.terms(text, |_, term, _| {
            words.insert(term.to_owned());
        });
    };
    add(&document.title);
    add(document.route.as_str());
    add(&document.description);
    document
        .names
        .iter()
        .chain(&document.keywords)
        .for_each(|text| add(text));
    for passage in &document.passages {
        passage.headings.iter().for_each(|text| add(text));
        add(&passage.body);
        add(&passage.code);
    }
    words
}

/// How the relevance_threshold tells questions that mean something from those that do not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ThresholdCounts {
    /// How many questions meant nothing.
    pub(crate) nonsense: usize,
    /// How many of them were answered by their meaning.
    pub(crate) answered: usize,
    /// How many questions share no word with their page, but have it among the ten that come nearest.
    pub(crate) paraphrases: usize,
    /// For how many of them it is near enough.
    pub(crate) kept: usize,
    /// How many questions as they are have their page among the ten that come nearest.
    pub(crate) questions: usize,
    /// For how many of them it is near enough.
    pub(crate) near: usize,
}

/// Asks `index`, which has the documents of `site`, by meaning alone.
pub(crate) fn told(site: &JudgedSite, index: &Index) -> ThresholdCounts {
    let mut told = ThresholdCounts::default();
    for query in nonsense(1, 400) {
        told.nonsense += 1;
        told.answered +=
            usize::from(!near(index, &query, relevance_threshold(&query), 1).is_empty());
    }
    let has = |query: &str, route: &str, relevance_threshold: f32| {
        let near = near(index, query, relevance_threshold, 10);
        usize::from(near.iter().any(|near| near == route))
    };
    for one in paraphrases(site) {
        told.paraphrases += has(&one.query, &one.route, 0.0);
        told.kept += has(&one.query, &one.route, relevance_threshold(&one.query));
    }
    for question in &site.questions {
        if let Some(route) = question.best() {
            told.questions += has(&question.query, route, 0.0);
            told.near += has(&question.query, route, relevance_threshold(&question.query));
        }
    }
    told
}

/// The pages that come nearest to `query`, by meaning alone.
fn near(index: &Index, query: &str, relevance_threshold: f32, limit: usize) -> Vec<String> {
    let vector = Embedder::built_in().embed(query);
    let answer = index.search(&Question {
        query: "",
        semantic: Some(&vector),
        relevance_threshold,
        limit,
        ..Question::default()
    });
    let routes = answer
        .results
        .into_iter()
        .map(|hit| hit.url.as_str().to_owned());
    routes.collect()
}
