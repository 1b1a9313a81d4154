//! Stop words of questions: articles, pronouns, prepositions, question words.
//!
//! They are left out of questions unless these have no others, and stay in the index. The lists are short and written for
//! questions, by hand; what might be the name of a thing in documentation is in none of them. Words stand as they are
//! compared: in lower case, without the accents of Latin letters.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The words of the language with this code, as `pt`; none of a language without a list.
pub fn stop_words(code: &str) -> &'static HashSet<&'static str> {
    // Every question asks for them.
    static BY_CODE: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
        let lists = LISTS.iter().flat_map(|(codes, words)| {
            let words: HashSet<&str> = words.split_ascii_whitespace().collect();
            codes.iter().map(move |code| (*code, words.clone()))
        });
        lists.collect()
    });
    static NONE: LazyLock<HashSet<&str>> = LazyLock::new(HashSet::new);
    BY_CODE.get(code).unwrap_or(&NONE)
}

/// `text`, with blanks in the place of Chinese, Japanese and Korean words that only ask; as it is if
/// nothing else would remain. Bytes stay where they are.
pub fn without_asking(text: &str) -> Cow<'_, str> {
    let is_any = |c: char| ('\u{3041}'..='\u{9fff}').contains(&c);
    if !text.contains(|c| is_any(c) || is_hangul(c)) {
        return Cow::Borrowed(text);
    }
    // Japanese writes things with the same signs.
    let chinese = match text.contains(|c| ('\u{3041}'..='\u{30ff}').contains(&c)) {
        true => &[],
        false => CHINESE,
    };
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let (kana, hangul) = (run(is_hiragana), run(is_hangul));
        let length = match (kana, hangul) {
            (0, 0) => longest(chinese, rest),
            (0, hangul) => Some(hangul).filter(|hangul| KOREAN.contains(&&rest[..*hangul])),
            (kana, _) => Some(kana).filter(|kana| is_asking(&rest[..*kana])),
        };
        let whole = kana.max(hangul).max(first.len_utf8());
        match length {
            Some(length) => output.extend(std::iter::repeat_n(' ', length)),
            None => output.push_str(&rest[..whole]),
        }
        rest = &rest[length.unwrap_or(whole)..];
    }
    // The index has pairs: a sign that has lost its neighbors finds nothing.
    let is_whole = lone_signs(&output) == lone_signs(text);
    match is_whole && output.chars().any(char::is_alphanumeric) {
        true => Cow::Owned(output),
        false => Cow::Borrowed(text),
    }
}

/// Number of signs of languages without blanks that stand alone.
fn lone_signs(text: &str) -> usize {
    let is_sign = |c: char| ('\u{3041}'..='\u{9fff}').contains(&c) || is_hangul(c);
    let runs = text.split(|c| !is_sign(c));
    runs.filter(|run| run.chars().count() == 1).count()
}

/// Words that only ask: Chinese ones, which may stand anywhere; Japanese ones, which a run of
/// hiragana is made of; Korean ones, which are whole words.
pub fn asking() -> [&'static [&'static str]; 3] {
    [CHINESE, JAPANESE, KOREAN]
}

fn is_hiragana(c: char) -> bool {
    ('\u{3041}'..='\u{309f}').contains(&c)
}

fn is_hangul(c: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&c)
}

/// Bytes of the longest of `words` that `text` begins with.
fn longest(words: &[&str], text: &str) -> Option<usize> {
    let found = words.iter().filter(|word| text.starts_with(**word));
    found.map(|word| word.len()).max()
}

/// Returns true if `kana` is made of particles and words that ask alone: within others they are
/// letters.
fn is_asking(kana: &str) -> bool {
    let mut are_ends = vec![false; kana.len() + 1];
    are_ends[0] = true;
    for at in 0..kana.len() {
        if are_ends[at] {
            let words = JAPANESE
                .iter()
                .filter(|word| kana[at..].starts_with(**word));
            words.for_each(|word| are_ends[at + word.len()] = true);
        }
    }
    are_ends[kana.len()]
}

/// Words of Chinese questions that ask, and name nothing, in simplified and traditional characters.
const CHINESE: &[&str] = &[
    "请问",
    "請問",
    "如何",
    "怎么办",
    "怎麼辦",
    "怎么样",
    "怎麼樣",
    "怎么",
    "怎麼",
    "怎样",
    "怎樣",
    "为什么",
    "為什麼",
    "为何",
    "為何",
    "是什么",
    "是什麼",
    "什么是",
    "什麼是",
    "什么时候",
    "什麼時候",
    "什么",
    "什麼",
    "多久",
    "多少",
    "哪里",
    "哪裡",
    "哪儿",
    "哪些",
    "哪个",
    "哪個",
    "哪种",
    "哪種",
    "是否",
    "能否",
    "能不能",
    "可不可以",
    "有没有",
    "有沒有",
    "吗",
    "嗎",
    "呢",
];

/// The same of Japanese, with particles.
const JAPANESE: &[&str] = &[
    "どうすれば",
    "どうやって",
    "どのように",
    "どのくらい",
    "どうして",
    "なぜ",
    "いつ",
    "どこ",
    "どれ",
    "どの",
    "どう",
    "いくつ",
    "いくら",
    "できますか",
    "できます",
    "できる",
    "ありますか",
    "ますか",
    "いいですか",
    "ですか",
    "でしょうか",
    "ください",
    "について",
    "するには",
    "するとき",
    "したい",
    "される",
    "されます",
    "します",
    "する",
    "して",
    "した",
    "し",
    "です",
    "ます",
    "この",
    "その",
    "には",
    "では",
    "とは",
    "から",
    "まで",
    "より",
    "のか",
    "を",
    "は",
    "が",
    "に",
    "で",
    "と",
    "も",
    "の",
    "か",
    "へ",
    "や",
];

/// The same of Korean, as whole words.
const KOREAN: &[&str] = &[
    "어떻게",
    "어떤",
    "어느",
    "무엇",
    "무엇을",
    "무엇이",
    "무엇인가요",
    "무슨",
    "뭔가요",
    "언제",
    "어디",
    "어디서",
    "어디에",
    "어디에서",
    "누가",
    "누구",
    "얼마나",
    "나는",
    "저는",
    "제가",
    "내가",
    "있나요",
    "있습니까",
    "있을까요",
    "하나요",
    "합니까",
    "할까요",
    "되나요",
    "됩니까",
    "인가요",
    "입니까",
    "해야",
    "하려면",
    "대해",
    "대한",
];

/// The codes of languages and their words.
const LISTS: &[(&[&str], &str)] = &[
    (
        &["en"],
        "a about all an and any are as at be been but by can could did do does for from get had has have how i if in into \
         is it its may me my no not of on or our out own s she should so some such t than that the their them then there \
         these they this to up us was we were what when where which who whom why will with would you your",
    ),
    (
        &["ar"],
        "اذا الذي التي الي ام ان انا انت او اي اين بعد بين تم ثم حتي ذلك عن عند عندما علي في فيها قبل قد كل كم كيف لا لان \
         لدي لكن لم لماذا له لي ليس ما ماذا مع من متي نحن هذا هذه هل هناك هو هي وهل يتم يجب يكون يمكن يمكنني",
    ),
    (
        &["da"],
        "af alle at da de dem den denne der deres det dette dig din dit dog du efter eller en er et for fra gor har hvad \
         hvem hver hvilken hvilke hvis hvor hvordan hvorfor hvornar i ikke ind jeg jeres kan man med meget mig min mit \
         nar nogen noget nu og om op pa sa sig sin skal som til ud ved vi vil vores",
    ),
    (
        &["de"],
        "ab aber als am an auch auf aus bei beim bis bitte da damit dann darf das dass dein deine dem den denn der des \
         die dies diese diesem diesen dieser dieses du durch ein eine einem einen einer eines er es etwas fur gibt hat \
         hatte hast habe haben ich ihr ihre im in ins ist kann kannst konnen kein keine man mein meine meinem meinen \
         meiner mich mir mit muss mussen nach nicht noch nur ob oder ohne sein seine sich sie sind so soll sollte uber um \
         und uns unser unsere vom von vor wann warum was welche welchem welchen welcher welches wenn wer werden wie wieso \
         wir wird wo wofur womit wozu wurde zu zum zur zwischen",
    ),
    (
        &["es"],
        "a al algo algun alguna ante como con cual cuales cuando cuanto de del desde donde e el ella ellas ellos en entre \
         era es esa ese eso esta estan estas este esto estos esta fue ha hace hacer haber han hasta hay he la las le les \
         lo los mas me mi mis muy ni no nos nuestra nuestro o para pero por porque puede pueden puedo que quien se sea \
         ser si sin sobre son su sus tambien te tengo tiene tu tus u un una uno unos y ya yo",
    ),
    (
        &["fi"],
        "ei eivat en etta etten han he ja jos joka jota jotka kanssa kuin kuinka kun me mika mikali mika mille millainen \
         milla milloin mina minka minun missa mista mita miten miksi mihin minne mutta myos ne niin nyt on olen olla ole \
         ovat se sen siina sina sinun sita taman tama te tai voi voin voiko voinko vain",
    ),
    (
        &["fr"],
        "a afin as au aux avec avoir ca ce cela ces cet cette chez comment d dans de des dois doit donc du elle elles en \
         entre es est et etre eu faire fait faut il ils j je l la le les leur leurs lors lui m ma mais me mes moi mon n \
         ne nos notre nous on ont ou par pas peut peux plus pour pourquoi puis qu quand que quel quelle quelles quels qui \
         quoi s sa sans se ses si son sont sous sur t ta te tes toi ton tous tout toute tu un une vers veux vos votre \
         vous y",
    ),
    (
        &["hu"],
        "a az be ben csak de e egy el es ez ezt fel ha hogy hogyan hol honnan hova ide igen is itt ki kell ki le lehet ma \
         majd meg mely melyik mert mi mibol miert mig mikor milyen mint mit mivel ne nem nincs ott o ok s sem tud tudok \
         vagy vagyok van vannak volt",
    ),
    (
        &["it"],
        "a ad agli al all alla alle allo anche che chi cio come con cosa cui d da dagli dai dal dall dalla dalle dei del dell della \
         delle dello di devo dove e ed era fa faccio fare fra gli ha hai hanno ho i il in l la le lei li lo loro lui ma \
         me mi mia mie miei mio ne negli nei nel nell nella nelle noi non nostra nostro o per perche piu possiamo posso puo \
         qual quale quali quando quanto quella quello questa queste questi questo se senza si sia sono su sua sue sul \
         sulla suo te ti tra tu tua tuo un una uno vi voi",
    ),
    (
        &["nb", "nn", "no"],
        "alle at av bare ble da de deg dei dem den denne der deres det dette di din ditt du eg ein eit eller en er et \
         etter fa for fordi fra gjor gjore ha har hva hvem hver hvilke hvilken hvis hvor hvordan hvorfor i ikke ikkje inn \
         jeg kan kva kvar kven korleis kvifor man med meg men min mitt na nar noe noen nokon noko og om opp oss over pa \
         sa seg sin skal som til ut ved vi vil",
    ),
    (
        &["nl"],
        "aan al als ben bij daar dan dat de deze die dit doe doen door dus een en er geen ga had hebben heb hebt heeft \
         het hier hij hoe hun ik in is ja je jij jou jouw jullie kan kunnen kunt maar mag me meer men met mij mijn moet \
         moeten na naar niet nog nu of om omdat onder ons onze ook op over te tegen toch toe tot u uit uw van veel voor \
         waar waarmee waarom wanneer was wat we wel welk welke werd wie wij wil word worden wordt zal ze zich zij zijn zo \
         zonder",
    ),
    (
        &["pl"],
        "a aby ale albo bez bo by byc co czy dla do gdy gdzie i ich ile im inny ja jak jaka jaki jakie je jego jej jest \
         jestem juz kiedy kto ktora ktore ktory ma mam mi mnie moge moj moja moje mozna na nad nie niz o od on ona one \
         oni oraz po pod przez przy sa sie skad swoj ta tak tam te ten to tu twoj ty u w we wiec z za ze",
    ),
    (
        &["pt"],
        "a ao aos as ate com como da das de dela dele depois do dos e ela elas ele eles em entre era essa esse esta estao \
         estas este estes eu faco fazer foi ha isso isto ja la lhe lo mais mas me meu meus minha minhas muito na nao nas \
         nem no nos nossa nosso num numa o onde os ou para pela pelas pelo pelos podemos pode podem posso por porque qual \
         quais quando quanto que quem sao se sem ser seu seus so sobre sua suas tambem te tem tenho teu tua um uma umas \
         uns voce voces",
    ),
    (
        &["ro"],
        "a al ale am ar as asta ati au avem ca care ce cel cei cele cine cu cum cand da daca dar de decat din dintre dupa \
         e ea ei el ele este eu fi fie iar ii il imi in inainte intr intre isi la le lor lui ma mai mea mei meu mi nu o \
         ori pe pentru pot poti prin sa sau se si sunt te ti tu un una unde unei unui va voi vreau",
    ),
    (
        &["ru"],
        "а без бы был была были было быть в вам вас ваш во вот все всё вы где да для до его ее её если есть еще ещё же за \
         и из или им их к как какая какие какой какую ко когда кто куда ли меня мне могу можно мой моя мы на над надо нам \
         нас наш не нет ни но ну о об он она они оно от откуда по под почему при с сам свой себя со так там то тоже \
         только тот ты у уже что чего чем чтобы эта эти это этот я",
    ),
    (
        &["sv"],
        "alla att av bara blir da de dem den denna deras dess det detta dig din ditt du efter eller en er ett for fran \
         far gor gora ha han har hon hos hur i icke in inte jag kan man med mellan men mig min mitt mot mycket nar nagon \
         nagot nagra ni nu och om oss pa sa sig sin ska skall som till under upp ut utan vad var varfor vara vem vi vid \
         vilka vilken vilket",
    ),
    (
        &["tr"],
        "acaba ama bana ben beni benim bir biz bizim bu bunu cok da daha de degil diye en gibi hangi hem icin ile ise \
         kadar ki kim mi mu na nasil ne neden nedir nerede nereye nicin niye o olan olarak onu ya sen seni sizin siz su \
         ve veya var ya yapabilirim yapilir",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::words::{Analyzer, folded, stemmer};

    /// Checks the words of a question that remain.
    #[track_caller]
    fn check(language: &str, question: &str, expected: &str) {
        let words = Analyzer::new(language).question(question);
        let typed: Vec<String> = words.into_iter().map(|word| word.whole.typed).collect();
        assert_eq!(typed.join(" "), expected);
    }

    #[test]
    fn words_stand_as_they_are_compared() {
        for word in LISTS.iter().flat_map(|(_, words)| words.split_whitespace()) {
            assert_eq!(folded(&word.to_lowercase()), word);
        }
    }

    #[test]
    fn each_list_is_of_a_language_that_has_a_stemmer() {
        for code in LISTS.iter().flat_map(|(codes, _)| *codes) {
            assert!(stemmer(code).is_some(), "{code}");
        }
    }

    #[test]
    fn danish() {
        check(
            "da",
            "Hvordan opretter jeg en API-nøgle?",
            "opretter api nogle",
        );
    }

    #[test]
    fn german() {
        check(
            "de",
            "Wie kann ich meinen API-Schlüssel ändern?",
            "api schlussel andern",
        );
        check(
            "de-AT",
            "Was ist der Unterschied zwischen Aufgabe und Lauf?",
            "unterschied aufgabe lauf",
        );
    }

    #[test]
    fn english() {
        check("en", "How do I get an API key?", "api key");
    }

    #[test]
    fn spanish() {
        check(
            "es",
            "¿Cómo puedo cambiar la clave de mi cuenta?",
            "cambiar clave cuenta",
        );
    }

    #[test]
    fn finnish() {
        check("fi", "Miten voin vaihtaa avaimen?", "vaihtaa avaimen");
    }

    #[test]
    fn french() {
        check(
            "fr",
            "Comment est-ce que je change la clé d’une API ?",
            "change cle api",
        );
        check("fr", "Qu'est-ce qu'un webhook ?", "webhook");
    }

    #[test]
    fn hungarian() {
        check("hu", "Hogyan lehet a kulcsot törölni?", "kulcsot torolni");
    }

    #[test]
    fn italian() {
        check(
            "it",
            "Come posso cambiare la chiave dell'API?",
            "cambiare chiave api",
        );
    }

    #[test]
    fn norwegian() {
        check("nb", "Hvordan kan jeg endre nøkkelen?", "endre nokkelen");
        check("nn", "Korleis kan eg endre nykelen?", "endre nykelen");
    }

    #[test]
    fn dutch() {
        check(
            "nl",
            "Hoe kan ik de sleutel van mijn account wijzigen?",
            "sleutel account wijzigen",
        );
    }

    #[test]
    fn polish() {
        check("pl", "Jak mogę zmienić klucz do API?", "zmienic klucz api");
    }

    #[test]
    fn portuguese() {
        check(
            "pt-BR",
            "Como posso trocar a chave da minha conta?",
            "trocar chave conta",
        );
    }

    #[test]
    fn romanian() {
        check("ro", "Cum pot să schimb cheia?", "schimb cheia");
    }

    #[test]
    fn russian() {
        check("ru", "Как мне изменить ключ для API?", "изменить ключ api");
    }

    #[test]
    fn chinese_japanese_and_korean() {
        let left = |text| {
            without_asking(text)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(left("如何部署网站？"), "部署网站？");
        assert_eq!(left("网站打不开怎么办"), "网站打不开");
        assert_eq!(left("日志保留多久？"), "日志保留 ？");
        assert_eq!(left("API キーはどこで変更できますか"), "API キー 変更");
        assert_eq!(
            left("API 키를 어떻게 바꿀 수 있나요?"),
            "API 키를 바꿀 수 ?"
        );
        // Signs are found by pairs.
        assert_eq!(left("鍵はどこですか"), "鍵はどこですか");
        assert_eq!(left("需要予測を設定するには"), "需要予測 設定");
        assert_eq!(left("まとめを表示するには"), "まとめを表示");
        // Nothing else is asked for.
        assert_eq!(left("如何？"), "如何？");
        let long = format!("鍵{}め", "ますか".repeat(300));
        assert_eq!(left(&long), long);
        assert_eq!(without_asking("how to deploy"), "how to deploy");
        let text = "如何部署 API";
        assert_eq!(without_asking(text).find("API"), text.find("API"));
    }

    #[test]
    fn swedish() {
        check("sv", "Hur kan jag ändra min nyckel?", "andra nyckel");
    }

    #[test]
    fn turkish() {
        check(
            "tr",
            "Anahtarı nasıl değiştirebilirim?",
            "anahtari degistirebilirim",
        );
    }

    #[test]
    fn a_question_of_nothing_else_stays_as_it_is() {
        check("de", "wie ist das", "wie ist das");
        check("fr", "qui est-ce", "qui est ce");
    }

    #[test]
    fn words_of_one_language_say_something_in_another() {
        check("en", "die", "die");
        check("de", "die Map or Set", "map or set");
        check("tlh", "the how", "the how");
    }
}
