//! The product and the version that a question is answered in where it does not say.

use quire_assistant::{Answered, Conversation, Message, Reply, Role, answer};
use quire_search::index::Filter;
use quire_search::search_service::SearchService;
use serde_json::{Value, json};

use crate::support::folder::Folder;

fn page(title: &str, text: &str) -> String {
    format!("---\ntitle: {title}\n---\n\n{text}\n")
}

/// A search of a site with this navigation.
fn searched(navigation: &Value, pages: &[(&str, String)]) -> (Folder, SearchService) {
    let docs = json!({
        "name": "Kettles", "theme": "mint", "colors": {"primary": "#000000"}, "navigation": navigation,
    });
    let docs = docs.to_string();
    let mut files: Vec<(&str, &str)> = vec![("docs.json", &docs)];
    files.extend(pages.iter().map(|(path, text)| (*path, text.as_str())));
    let folder = Folder::new(&files);
    let search = super::searched(&folder);
    (folder, search)
}

fn on(question: &str, path: Option<&str>) -> Conversation {
    Conversation {
        current_path: path.map(str::to_owned),
        ..Conversation::of(question)
    }
}

fn first(search: &SearchService, conversation: &Conversation) -> String {
    let reply: Reply = answer(search, conversation).expect("an answer");
    let question = &conversation.messages[conversation.messages.len() - 1].content;
    assert!(reply.answered != Answered::Not, "{question} {}", reply.text);
    reply.citations[0].url.clone()
}

/// Two products that say the same of two things, and each something else; the second is shown first.
fn products() -> (Folder, SearchService) {
    let boil = "Press the button for two seconds, and the water boils.";
    let clean = "Descale the kettle with vinegar once a month.";
    searched(
        &json!({ "products": [
            { "product": "Stove Kettle", "pages": ["stove/boiling", "stove/cleaning", "stove/whistle", "shipping"] },
            { "product": "Travel Kettle", "default": true, "pages": ["travel/boiling", "travel/cleaning", "travel/voltage", "shipping"] },
        ] }),
        &[
            ("stove/boiling.mdx", page("Boiling", boil)),
            ("stove/cleaning.mdx", page("Cleaning", clean)),
            (
                "stove/whistle.mdx",
                page("Whistle", "The whistle sounds when steam rises."),
            ),
            ("travel/boiling.mdx", page("Boiling", boil)),
            ("travel/cleaning.mdx", page("Cleaning", clean)),
            (
                "travel/voltage.mdx",
                page("Voltage", "Choose between 110 and 230 volts by the switch."),
            ),
            (
                "shipping.mdx",
                page("Shipping", "Parcels arrive within three days."),
            ),
        ],
    )
}

#[test]
fn a_question_is_answered_in_its_product() {
    let (_folder, search) = products();
    for (question, path, url) in [
        // The site's own, that of the page, and the one that is named.
        ("How do I descale the kettle?", None, "/travel/cleaning"),
        (
            "How do I descale the kettle?",
            Some("/stove/whistle"),
            "/stove/cleaning",
        ),
        (
            "How do I descale the kettle?",
            Some("/shipping"),
            "/travel/cleaning",
        ),
        (
            "How do I descale the stove kettle?",
            Some("/travel/voltage"),
            "/stove/cleaning",
        ),
        (
            "How do I boil water with the Travel Kettle?",
            Some("/stove/whistle"),
            "/travel/boiling",
        ),
        // It is preferred, and no more.
        ("When does the whistle sound?", None, "/stove/whistle"),
        (
            "Which volts can I choose?",
            Some("/stove/whistle"),
            "/travel/voltage",
        ),
        (
            "When do parcels arrive?",
            Some("/stove/whistle"),
            "/shipping",
        ),
    ] {
        assert_eq!(first(&search, &on(question, path)), url, "{question}");
    }
}

#[test]
fn what_goes_on_is_answered_in_the_product_that_was_named() {
    let (_folder, search) = products();
    let message = |role, content: &str| Message {
        role,
        content: content.to_owned(),
    };
    let conversation = Conversation {
        messages: vec![
            message(Role::User, "How do I clean the stove kettle?"),
            message(Role::Assistant, "With vinegar."),
            message(Role::User, "And when do I descale it?"),
        ],
        ..Conversation::default()
    };
    assert_eq!(first(&search, &conversation), "/stove/cleaning");
}

#[test]
fn the_version_that_a_question_names_answers() {
    let text = |days: &str| page("Warranty", &format!("The warranty lasts {days} days."));
    let (_folder, search) = searched(
        &json!({ "versions": [
            { "version": "v2", "pages": ["v2/warranty", "v2/boiling"] },
            { "version": "v1", "pages": ["v1/warranty"] },
        ] }),
        &[
            ("v2/warranty.mdx", text("90")),
            ("v2/boiling.mdx", page("Boiling", "Press the button.")),
            ("v1/warranty.mdx", text("30")),
        ],
    );
    for (question, path, url) in [
        (
            "How long does the warranty last?",
            Some("/v2/boiling"),
            "/v2/warranty",
        ),
        (
            "How long does the warranty of v1 last?",
            Some("/v2/boiling"),
            "/v1/warranty",
        ),
        (
            "How long does the warranty of version 2 last?",
            Some("/v1/warranty"),
            "/v2/warranty",
        ),
        (
            "How long does the warranty last?",
            Some("/v1/warranty"),
            "/v1/warranty",
        ),
    ] {
        assert_eq!(first(&search, &on(question, path)), url, "{question}");
    }
    // A program that says which one means it.
    let asked = Conversation {
        filter: Filter {
            version: Some("v2".to_owned()),
            ..Filter::default()
        },
        ..on("How long does the warranty of v1 last?", None)
    };
    assert_eq!(first(&search, &asked), "/v2/warranty");
}

#[test]
fn another_version_answers_what_the_named_one_does_not() {
    let (_folder, search) = searched(
        &json!({ "versions": [
            { "version": "v2", "pages": ["v2/upgrade", "v2/warranty"] },
            { "version": "v1", "pages": ["v1/boiling", "v1/warranty"] },
        ] }),
        &[
            (
                "v2/upgrade.mdx",
                page(
                    "Upgrade",
                    "To move your recipes over from v1, press the upgrade button.",
                ),
            ),
            (
                "v2/warranty.mdx",
                page("Warranty", "The warranty lasts 90 days."),
            ),
            (
                "v1/boiling.mdx",
                page("Boiling", "Press the lever until the water boils."),
            ),
            (
                "v1/warranty.mdx",
                page("Warranty", "The warranty lasts 30 days."),
            ),
        ],
    );
    for path in [None, Some("/v2/warranty")] {
        let question = "How do I move my recipes over from v1?";
        assert_eq!(
            first(&search, &on(question, path)),
            "/v2/upgrade",
            "{path:?}"
        );
    }
}

#[test]
fn a_product_is_found_in_its_own_versions_and_language() {
    let (_folder, search) = searched(
        &json!({ "products": [
            { "product": "Stove Kettle", "versions": [
                { "version": "v2", "pages": ["stove/boiling"] },
                { "version": "v1", "pages": ["stove/old/boiling"] },
            ] },
            { "product": "Travel Kettle", "versions": [{ "version": "2024", "pages": ["travel/boiling"] }] },
        ] }),
        &[
            (
                "stove/boiling.mdx",
                page("Boiling", "Light the stove, and the water boils."),
            ),
            (
                "stove/old/boiling.mdx",
                page("Boiling", "Light the old stove, and the water boils."),
            ),
            (
                "travel/boiling.mdx",
                page("Boiling", "Press the button, and the water boils."),
            ),
        ],
    );
    for (question, path, url) in [
        (
            "How do I boil water?",
            "/stove/old/boiling",
            "/stove/old/boiling",
        ),
        (
            "How do I boil water with the Travel Kettle?",
            "/stove/old/boiling",
            "/travel/boiling",
        ),
        (
            "How do I boil water with the Stove Kettle?",
            "/travel/boiling",
            "/stove/boiling",
        ),
        ("How do I boil water?", "/travel/boiling", "/travel/boiling"),
    ] {
        assert_eq!(
            first(&search, &on(question, Some(path))),
            url,
            "{question} on {path}"
        );
    }
}

#[test]
fn naming_the_product_makes_an_answer_no_less_sure() {
    let (_folder, search) = searched(
        &json!({ "products": [
            { "product": "Python SDK", "pages": ["python/keys"] },
            { "product": "Go SDK", "pages": ["go/keys"] },
        ] }),
        &[
            (
                "python/keys.mdx",
                page(
                    "Rotate keys",
                    "Rotate keys with the `rotate` method once a month.",
                ),
            ),
            (
                "go/keys.mdx",
                page(
                    "Rotate keys",
                    "Rotate keys with the `Rotate` function once a month.",
                ),
            ),
        ],
    );
    for (question, url) in [
        ("How do I rotate keys in Python?", "/python/keys"),
        ("How do I rotate keys in Go?", "/go/keys"),
    ] {
        let reply = answer(&search, &Conversation::of(question)).expect("an answer");
        assert_eq!(reply.answered, Answered::Fully, "{}", reply.text);
        assert_eq!(reply.citations[0].url, url);
    }
    let on_python = on("Where do I go to rotate keys?", Some("/python/keys"));
    assert_eq!(first(&search, &on_python), "/python/keys");
}

/// Clients send addresses as links have them.
#[test]
fn pages_with_escaped_addresses_are_known() {
    let (_folder, search) = searched(
        &json!({ "pages": ["über uns/küche", "pots"] }),
        &[
            (
                "über uns/küche.mdx",
                page(
                    "Kitchen",
                    "Tea is made here.\n\n```sh\nbrew tea\n```\n\n```python\nbrew('tea')\n```",
                ),
            ),
            ("pots.mdx", page("Pots", "Pots of clay.")),
        ],
    );
    let here = "/%C3%BCber%20uns/k%C3%BCche";
    let about = first(&search, &on("What is this page about?", Some(here)));
    assert_eq!(about, here);
    let message = |role, content: &str| Message {
        role,
        content: content.to_owned(),
    };
    let quoted = answer(&search, &Conversation::of("How is tea made?")).expect("an answer");
    let conversation = Conversation {
        messages: vec![
            message(Role::User, "How is tea made?"),
            message(Role::Assistant, &quoted.text),
            message(Role::User, "And in Python?"),
        ],
        ..Conversation::default()
    };
    let reply = answer(&search, &conversation).expect("an answer");
    assert_eq!(reply.citations.len(), 1, "{}", reply.text);
    assert_eq!(reply.citations[0].url, here);
    assert!(reply.text.contains("brew('tea')"), "{}", reply.text);
    assert!(!reply.text.contains("brew tea"), "{}", reply.text);
}
