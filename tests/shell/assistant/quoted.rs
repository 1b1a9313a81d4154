//! What the engine without a model says stands on a page, word for word; and the same content says the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use queries::site::translated;
use quire_assistant::{Answered, Conversation, Message, Role, answer, json};
use quire_search::search_service::SearchService;
use quire_source::load::load_with;

use super::asked::Site;
use super::searched;
use crate::search::judged::corpus;
use crate::support::folder::Folder;

/// Letters and digits of a text: what is left when white space and signs of Markdown are gone.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The pieces of an answer that must stand on a page: everything but its lead and the links above the quotes.
fn quotes(text: &str) -> Vec<(String, String)> {
    let mut quotes: Vec<(String, String)> = Vec::new();
    for line in text.lines().skip(1) {
        if let Some(link) = line
            .strip_prefix("**[")
            .and_then(|line| line.strip_suffix(")**"))
        {
            let (_, url) = link.rsplit_once("](").expect("a link");
            quotes.push((url.to_owned(), String::new()));
        } else if let Some((_, quote)) = quotes.last_mut() {
            quote.push_str(line);
            quote.push('\n');
        }
    }
    quotes
}

/// `line` without what Markdown needs: numbers of items, rules of tables, fences, the targets of links.
fn said(line: &str) -> String {
    let line = line.trim();
    if line.starts_with("```") || line.starts_with("| ---") {
        return String::new();
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let line = match line[digits..].strip_prefix(". ") {
        Some(rest) if digits > 0 => rest,
        _ => line,
    };
    let mut said = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        said.push_str(before);
        rest = after.split_once(')').map_or("", |(_, after)| after);
    }
    said.push_str(rest);
    letters(&said)
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that did not run must say so")]
fn every_line_of_an_answer_stands_on_its_page() {
    let Some(corpus) = corpus() else {
        eprintln!(
            "SKIPPED every_line_of_an_answer_stands_on_its_page: no corpus; set QUIRE_SHARED"
        );
        return;
    };
    let mut lines = 0;
    for name in ["polar", "mem0", "stagehand"] {
        let site = Site::open(&corpus.join("sites").join(name));
        for pair in &site.pairs {
            let reply = site.ask(&pair.question);
            if reply.answered == Answered::Not {
                continue;
            }
            let quotes = quotes(&reply.text);
            assert!((1..=4).contains(&quotes.len()), "{}", reply.text);
            for (url, quote) in quotes {
                let page = site.text_of(&url);
                for line in quote.lines() {
                    let said = said(line);
                    // What heads the fields of an operation is ours.
                    let is_operation = line.starts_with('`')
                        && line.contains(" /")
                        && line[1..].starts_with(|c: char| c.is_ascii_uppercase());
                    // Links to what comes next are ours, too.
                    let link = line
                        .strip_prefix("- [")
                        .and_then(|link| link.rsplit_once("]("));
                    let link = link.and_then(|(_, link)| link.strip_suffix(')'));
                    if link.is_some_and(|link| site.exists(link)) {
                        continue;
                    }
                    if line == "Required:" || line.starts_with("- `") || is_operation {
                        continue;
                    }
                    lines += 1;
                    assert!(page.contains(&said), "{name}{url} does not say: {line}");
                }
            }
        }
    }
    assert!(lines > 1000, "{lines}");
}

fn tea() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r##"{"name":"Tea","theme":"mint","colors":{"primary":"#000000"},
                "navigation":{"groups":[{"group":"Guides","pages":["brew","water"]},{"group":"API","openapi":"api.yaml"}]}}"##,
        ),
        (
            "brew.mdx",
            "---\ntitle: Brewing\n---\n\nHow to make tea.\n\n## Warm the pot\n\nRinse the teapot with boiling water first.\n\n\
             ## Steep the leaves\n\nSteep sencha for three minutes:\n\n1. Pour the water.\n2. Wait.\n\n   ```sh\n   timer 180\n   ```\n3. Take the leaves out.\n\n\
             ## Temperatures\n\n| Tea | Degrees |\n| --- | --- |\n| Sencha | 70 |\n| Assam | 95 |\n",
        ),
        (
            "water.mdx",
            "---\ntitle: Water\n---\n\nSoft water from a kettle tastes best. <img src=\"https://elsewhere.example/x.png\" /> \
             It is free of *chalk* and [filtered](/brew#temperatures).\n",
        ),
        (
            "api.yaml",
            "openapi: 3.1.0\ninfo: {title: Tea, version: '1'}\nservers: [{url: 'https://api.tea.example'}]\npaths:\n  /orders:\n    post:\n      \
             summary: Order tea\n      description: Sends a parcel of tea to an address.\n      tags: [Orders]\n      requestBody:\n        content:\n          \
             application/json:\n            schema: {type: object, required: [blend], properties: {blend: {type: string}, note: {type: string}}}\n      \
             responses: {'201': {description: ordered}}\n",
        ),
    ])
}

fn ask(search: &SearchService, question: &str) -> String {
    answer(search, &Conversation::of(question))
        .expect("an answer")
        .text
}

#[test]
fn few_questions_are_answered_at_once_and_all_in_the_end() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_stack_size(quire_engine::host::STACK)
        .enable_time()
        .build()
        .expect("a runtime");
    let search = Arc::new(searched(&tea()));
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    runtime.block_on(async {
        let mut questions = tokio::task::JoinSet::new();
        for _ in 0..200 {
            let (search, running, most) = (search.clone(), running.clone(), most.clone());
            questions.spawn(async move {
                let answered = search.run_blocking(None, move |search| {
                    let count = running.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(count, Ordering::SeqCst);
                    let text = ask(search, "How long do I steep sencha?");
                    running.fetch_sub(1, Ordering::SeqCst);
                    text
                });
                answered.await.expect("nothing panics")
            });
        }
        let answers = questions.join_all().await;
        assert_eq!(answers.len(), 200);
        assert!(answers.iter().all(|answer| *answer == answers[0]));
    });
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let most = most.load(Ordering::SeqCst);
    assert!((1..=4 * cores).contains(&most), "{most}");
    // One that panics gives its place back.
    runtime.block_on(async {
        for _ in 0..8 * cores {
            assert!(
                search
                    .run_blocking(None, |_| panic!("on purpose"))
                    .await
                    .is_err()
            );
        }
        assert!(
            search
                .run_blocking(None, |search| search.size())
                .await
                .is_ok()
        );
    });
}

#[test]
fn lists_tables_and_code_stay_whole() {
    let search = searched(&tea());
    let text = ask(&search, "How long do I steep sencha?");
    let steps = "Steep sencha for three minutes:\n\n1. Pour the water.\n2. Wait.\n\n```sh\ntimer 180\n```\n\n3. Take the leaves out.";
    assert!(
        text.contains("**[Brewing › Steep the leaves](/brew#steep-the-leaves)**"),
        "{text}"
    );
    assert!(text.contains(steps), "{text}");
    let text = ask(&search, "temperatures of tea in degrees");
    assert!(
        text.contains("| Tea | Degrees |\n| --- | --- |\n| Sencha | 70 |\n| Assam | 95 |"),
        "{text}"
    );
}

#[test]
fn what_a_text_announces_is_named() {
    let folder = tea();
    folder.write(
        "brew.mdx",
        "---\ntitle: Brewing\n---\n\n## Vessels\n\nThere are several vessels for brewing gyokuro:\n\n### Kyusu\n\nA pot.\n\n### Gaiwan\n\nA bowl.\n\n## Else\n\nNothing.\n",
    );
    let text = ask(&searched(&folder), "Which vessels are there for gyokuro?");
    let expected =
        "several vessels for brewing gyokuro:\n\n- [Kyusu](/brew#kyusu)\n- [Gaiwan](/brew#gaiwan)";
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains("[Else]"), "{text}");
}

#[test]
fn an_answer_is_in_one_language() {
    let page =
        |title: &str, text: &str| format!("---\ntitle: {title}\n---\n\n## Sencha\n\n{text}\n");
    let folder = Folder::new(&[(
        "docs.json",
        r##"{"name":"Tea","theme":"mint","colors":{"primary":"#000000"},"navigation":{"languages":[
            {"language":"en","pages":["index"]},{"language":"de","pages":["de/index","de/wasser"]}]}}"##,
    )]);
    folder.write("index.mdx", page("Tea", "Steep sencha for three minutes."));
    folder.write(
        "de/index.mdx",
        page("Tee", "Sencha zieht drei Minuten: sencha steep."),
    );
    folder.write(
        "de/wasser.mdx",
        page("Wasser", "Weiches Wasser schmeckt am besten."),
    );
    let search = searched(&folder);
    let cited = |question: &str| -> Vec<String> {
        let reply = answer(&search, &Conversation::of(question)).expect("an answer");
        assert!(reply.answered != Answered::Not, "{}", reply.text);
        reply.citations.into_iter().map(|one| one.url).collect()
    };
    assert_eq!(cited("steep sencha"), ["/#sencha"]);
    assert!(
        cited("Weiches Wasser")
            .iter()
            .all(|url| url.starts_with("/de/"))
    );
}

#[test]
fn an_operation_is_told_with_what_it_needs() {
    let search = searched(&tea());
    for question in ["How do I order tea?", "POST /orders"] {
        let text = ask(&search, question);
        assert!(
            text.contains("Sends a parcel of tea to an address."),
            "{text}"
        );
        assert!(text.contains("`POST /orders`"), "{text}");
        assert!(
            text.contains("Required:\n\n- `blend` (body, string)"),
            "{text}"
        );
        assert!(text.contains("curl"), "{text}");
        assert!(!text.contains("- `note`"), "{text}");
    }
}

#[test]
fn pictures_of_pages_are_not_loaded_and_links_stay_on_the_site() {
    let search = searched(&tea());
    let text = ask(&search, "What water tastes best?");
    assert!(
        text.contains("Soft water from a kettle tastes best."),
        "{text}"
    );
    assert!(
        !text.contains("elsewhere.example") && !text.contains("!["),
        "{text}"
    );
    assert!(text.contains("[filtered](/brew#temperatures)"), "{text}");
}

#[test]
fn what_is_not_there_is_refused() {
    let search = searched(&tea());
    let conversation = Conversation::of("When was the treaty of Westphalia signed?");
    let reply = answer(&search, &conversation).unwrap();
    assert!(reply.answered == Answered::Not);
    assert!(
        reply
            .text
            .starts_with("The documentation does not seem to answer this."),
        "{}",
        reply.text
    );
}

/// Words that a reader adds cost certainty, and not the answer; a name that no page has says that
/// something else is meant.
#[test]
fn what_is_near_is_quoted_as_what_it_is() {
    let search = searched(&tea());
    let asked = |question| answer(&search, &Conversation::of(question)).unwrap();
    let near = asked("How many hours until my own sencha leaves steep perfectly while travelling?");
    assert_eq!(near.answered, Answered::Partly, "{}", near.text);
    assert!(
        near.text
            .starts_with("This passage may answer it:\n\n**[Brewing"),
        "{}",
        near.text
    );
    assert!(near.citations[0].url.starts_with("/brew"));
    let lines = near.text.lines().filter(|line| *line == "---");
    assert_eq!(lines.count(), usize::from(near.citations.len() > 1));
    assert_eq!(json("1", &near)["metadata"]["answered"], "partly");
    let plain = asked("How long do I steep sencha?");
    assert_eq!(plain.answered, Answered::Fully, "{}", plain.text);
    let named = asked("How long do I steep sencha with LDAPv9?");
    assert!(named.answered != Answered::Fully, "{}", named.text);
}

/// A question is answered from the pages in its language, whichever page it is asked on.
#[test]
fn an_answer_is_in_the_language_of_its_question() {
    let page = |title: &str, text: &str| format!("---\ntitle: {title}\n---\n\n{text}\n");
    let own = [
        (
            "en/steeping",
            page("Steeping sencha", "Sencha steeps for three minutes."),
        ),
        (
            "de/ziehen",
            page("Sencha ziehen lassen", "Sencha zieht drei Minuten lange."),
        ),
        ("cn/time", page("煎茶的冲泡时间", "煎茶需要冲泡三分钟。")),
    ];
    // Without other pages no word is rare.
    let others = |language: &str| -> Vec<(String, String)> {
        let texts = match language {
            "en" => ["Water", "Pots", "Leaves", "Cups", "Storage"],
            "de" => ["Wasser", "Kannen", "Teeblätter", "Tassen", "Lagerung"],
            _ => ["水质", "茶壶", "茶叶", "杯子", "储存"],
        };
        let pages = texts.iter().enumerate();
        pages
            .map(|(n, text)| (format!("{language}/other-{n}"), page(text, text)))
            .collect()
    };
    let mut pages: Vec<(String, String)> = own.map(|(path, text)| (path.to_owned(), text)).into();
    pages.extend(
        ["en", "de", "cn"]
            .iter()
            .flat_map(|language| others(language)),
    );
    let listed = ["en", "de", "cn"].map(|language| {
        let paths = pages.iter().map(|(path, _)| path);
        let own: Vec<&String> = paths.filter(|path| path.starts_with(language)).collect();
        serde_json::json!({ "language": language, "pages": own })
    });
    let docs = serde_json::json!({
        "name": "Tea", "theme": "mint", "colors": {"primary": "#000000"},
        "navigation": { "languages": listed },
    });
    let mut files = vec![("docs.json".to_owned(), docs.to_string())];
    files.extend(
        pages
            .into_iter()
            .map(|(path, text)| (format!("{path}.mdx"), text)),
    );
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&path[..], &text[..]))
        .collect();
    let folder = Folder::new(&files);
    let search = searched(&folder);
    let ask = |question: &str, path: Option<&str>| {
        let mut conversation = Conversation::of(question);
        conversation.current_path = path.map(str::to_owned);
        answer(&search, &conversation).unwrap()
    };
    for (question, path, language, url) in [
        ("How long does sencha steep?", None, "en", "/en/steeping"),
        (
            "How long does sencha steep?",
            Some("/de/ziehen"),
            "en",
            "/en/steeping",
        ),
        ("Wie lange zieht der Sencha?", None, "de", "/de/ziehen"),
        (
            "Wie lange zieht der Sencha?",
            Some("/en/steeping"),
            "de",
            "/de/ziehen",
        ),
        ("煎茶要冲泡多久？", None, "zh", "/cn/time"),
        // Words of every language: the page says which.
        ("sencha", Some("/de/ziehen"), "de", "/de/ziehen"),
    ] {
        let reply = ask(question, path);
        let lead = match reply.answered {
            Answered::Fully => "From the documentation:",
            Answered::Partly => "This passage may answer it:",
            Answered::Not => panic!("{question}: {}", reply.text),
        };
        let lead = translated(lead, language);
        assert!(reply.text.starts_with(lead), "{question}: {}", reply.text);
        assert_eq!(reply.citations[0].url, url, "{question}");
    }
    let nothing = ask("Wer gewann die Schlacht bei Waterloo?", None);
    assert_eq!(nothing.answered, Answered::Not, "{}", nothing.text);
    assert!(
        nothing
            .text
            .starts_with("Die Dokumentation scheint das nicht zu beantworten."),
        "{}",
        nothing.text
    );
}

#[test]
fn a_question_about_the_page_is_answered_from_it() {
    let search = searched(&tea());
    let mut conversation = Conversation::of("What is this page about?");
    conversation.current_path = Some("/water?x#y".to_owned());
    let reply = answer(&search, &conversation).unwrap();
    assert!(reply.answered != Answered::Not);
    assert!(
        reply.text.contains("Soft water from a kettle"),
        "{}",
        reply.text
    );
    assert!(
        reply
            .citations
            .iter()
            .all(|one| one.url.starts_with("/water"))
    );
    // A page that is not there is no reason to fail.
    conversation.current_path = Some("/no/such/page".to_owned());
    assert!(answer(&search, &conversation).unwrap().answered == Answered::Not);
}

#[test]
fn a_question_that_goes_on_is_answered() {
    let search = searched(&tea());
    let message = |role, content: &str| Message {
        role,
        content: content.to_owned(),
    };
    let conversation = Conversation {
        messages: vec![
            message(Role::User, "What temperature for sencha?"),
            message(Role::Assistant, "70 degrees."),
            message(Role::User, "And for Assam?"),
        ],
        ..Conversation::default()
    };
    let reply = answer(&search, &conversation).unwrap();
    assert!(reply.text.contains("| Assam | 95 |"), "{}", reply.text);
}

/// Whatever was edited before, the same content gives the same answer.
#[test]
fn answers_have_no_memory_of_edits() {
    let edited = tea();
    let question = Conversation::of("How long do I steep sencha?");
    edited.write("brew.mdx", "---\ntitle: Brewing\n---\n\nNothing yet.\n");
    edited.write(
        "old.mdx",
        "---\ntitle: Sencha\n---\n\nSteep sencha for an hour.\n",
    );
    let mut loaded = load_with(edited.path(), "", None, None).expect("a site");
    let host = Arc::new(loaded.host);
    let search = SearchService::new(host.clone(), None);
    let before = answer(&search, &question).unwrap();
    let clean = tea();
    std::fs::copy(
        clean.path().join("brew.mdx"),
        edited.path().join("brew.mdx"),
    )
    .unwrap();
    edited.remove("old.mdx");
    loaded = load_with(edited.path(), "", None, None).expect("a site");
    search.replace_host(Arc::new(loaded.host));
    let after = answer(&search, &question).unwrap();
    assert_ne!(before, after);
    let fresh = answer(&searched(&clean), &question).unwrap();
    assert_eq!(after, fresh);
    assert_eq!(
        quire_assistant::id(&question, &after),
        quire_assistant::id(&question, &fresh)
    );
}

#[test]
fn other_passages_are_short_and_said_once() {
    let code = |lines: usize| -> String {
        let lines = (0..lines).map(|line| format!("grind --fine {line}\n"));
        format!("```sh\n{}```\n", lines.collect::<String>())
    };
    let grinder = |how: &str| {
        format!(
            "---\ntitle: Grinder\n---\n\nGrinds coffee beans.\n\n## Grind coffee beans fine\n\n{how}:\n\n{}",
            code(20)
        )
    };
    let folder = Folder::new(&[
        (
            "docs.json",
            r##"{"name":"Coffee","theme":"mint","colors":{"primary":"#000000"},"navigation":{"versions":[
                {"version":"2","pages":["grinder","beans"]},{"version":"1","pages":["v1/grinder"]}]}}"##,
        ),
        ("grinder.mdx", &grinder("Grind coffee beans fine with this")),
        ("v1/grinder.mdx", &grinder("Coffee beans you grind fine so")),
        (
            "beans.mdx",
            &format!(
                "---\ntitle: Beans\n---\n\nGrind coffee beans fine for espresso.\n\n{}\n## How to grind coffee beans fine\n\n\
                 ## Fine coffee beans to grind\n\nOf fine coffee beans to grind:\n",
                code(30)
            ),
        ),
    ]);
    let search = searched(&folder);
    let text = ask(&search, "How do I grind coffee beans fine?");
    let quoted = quotes(&text);
    let places: Vec<&str> = quoted.iter().map(|(url, _)| url.as_str()).collect();
    let of_grinder = places.iter().filter(|url| url.contains("grinder#"));
    assert_eq!(of_grinder.count(), 1, "one version of it: {text}");
    assert!(quoted.len() > 1, "{text}");
    for (at, (url, quote)) in quoted.iter().enumerate() {
        let lines = quote.lines().filter(|line| line.starts_with("grind"));
        let most = if at == 0 { 40 } else { 12 };
        assert!(lines.count() <= most, "{url}: {quote}");
        assert!(!quote.trim().is_empty(), "{url} says nothing: {text}");
        assert!(!quote.trim().ends_with(':'), "{url} only begins: {text}");
    }
}

#[test]
fn what_follows_a_paragraph_is_quoted_with_its_lead() {
    let folder = Folder::new(&[
        (
            "docs.json",
            r##"{"name":"Mill","theme":"mint","colors":{"primary":"#000000"},"navigation":{"pages":["add","wheel"]}}"##,
        ),
        (
            "add.mdx",
            &format!(
                "---\ntitle: Mill\n---\n\n## Add grain\n\nThe hopper takes the grain that is added.\n\nAdditional fields:\n\n\
                 | Field | Purpose |\n| --- | --- |\n| Sieve | Off keeps the bran |\n\n{}\n",
                "Millers of the valley grind on windy days. ".repeat(30)
            ),
        ),
        (
            "wheel.mdx",
            "---\ntitle: Wheel\n---\n\nThe wheel turns with the river.\n",
        ),
    ]);
    let text = ask(&searched(&folder), "Which grain does the hopper take?");
    assert!(text.contains("The hopper takes the grain"), "{text}");
    assert!(text.contains("Additional fields:"), "{text}");
    assert!(text.contains("| Sieve | Off keeps the bran |"), "{text}");
}
