//! Statements on top of answers, and questions that depend on the last answer.

use quire_assistant::{Answered, Conversation, Message, Reply, Role, answer};
use quire_search::search_service::SearchService;

use super::searched;
use crate::support::folder::Folder;

fn site() -> Folder {
    Folder::new(&[
        (
            "docs.json",
            r##"{"name":"Steamer","theme":"mint","colors":{"primary":"#000000"},
                "navigation":{"groups":[{"group":"Guides","pages":["welcome","limits","clients"]},
                {"group":"API","openapi":"api.yaml"}]}}"##,
        ),
        (
            "welcome.mdx",
            "---\ntitle: Welcome\n---\n\nSteamer is a service that keeps rice warm. It runs anywhere.\n\n\
             ## Start\n\nOpen the lid and start Steamer.\n",
        ),
        (
            "limits.mdx",
            "---\ntitle: Limits\n---\n\nEvery account of Steamer has limits.\n\n## Plans\n\n\
             | Plan | Pots | Price |\n| --- | --- | --- |\n| Free | 1 | $0 |\n| Kitchen | 12 | $9 |\n\n\
             ## Tokens\n\nTokens are secret. A refresh token lasts 30 days. Keep it in a safe place, and never put it into a \
             script that others can read. Whoever has it can open every pot.\n",
        ),
        (
            "clients.mdx",
            "---\ntitle: Clients\n---\n\nAn envelope is a message with its address. Clients send envelopes.\n\n\
             ## Send an envelope\n\nSend an envelope with a client:\n\n<CodeGroup>\n```python Python\nclient.send(\"rice\")\n```\n\n\
             ```typescript TypeScript\nawait client.send(\"rice\");\n```\n</CodeGroup>\n",
        ),
        (
            "api.yaml",
            "openapi: 3.1.0\ninfo: {title: Steamer, version: '1'}\nservers: [{url: 'https://api.steamer.example'}]\npaths:\n  \
             /pots:\n    post:\n      summary: Open a pot\n      description: Opens a pot for an account.\n      tags: [Pots]\n      \
             requestBody:\n        content:\n          application/json:\n            schema: {type: object, required: [grain], \
             properties: {grain: {type: string}}}\n      responses: {'201': {description: opened}}\n",
        ),
    ])
}

fn asked(search: &SearchService, conversation: &Conversation) -> Reply {
    answer(search, conversation).expect("an answer")
}

/// The reply to `question` after `first` was asked and answered.
fn then(search: &SearchService, first: &str, question: &str) -> Reply {
    let mut conversation = Conversation::of(first);
    let reply = asked(search, &conversation);
    for (role, content) in [
        (Role::Assistant, reply.text.as_str()),
        (Role::User, question),
    ] {
        let content = content.to_owned();
        conversation.messages.push(Message { role, content });
    }
    asked(search, &conversation)
}

#[test]
fn what_something_is_stands_on_top() {
    let search = searched(&site());
    for at in [None, Some("/limits"), Some("/welcome")] {
        let conversation = Conversation {
            current_path: at.map(str::to_owned),
            ..Conversation::of("What is Steamer?")
        };
        let reply = asked(&search, &conversation);
        assert_eq!(reply.answered, Answered::Fully);
        assert!(
            reply
                .text
                .contains("Steamer is a service that keeps rice warm."),
            "{at:?}: {}",
            reply.text
        );
        assert_eq!(reply.citations[0].url, "/welcome", "{at:?}");
    }
    let reply = asked(&search, &Conversation::of("What are envelopes?"));
    assert_eq!(reply.answered, Answered::Fully);
    assert_eq!(reply.citations[0].url, "/clients");
    assert!(
        reply
            .text
            .contains("An envelope is a message with its address.")
    );
    // What no page defines is no definition.
    let reply = asked(&search, &Conversation::of("What is a kettle?"));
    assert_ne!(reply.answered, Answered::Fully, "{}", reply.text);
}

#[test]
fn a_row_and_a_number_stand_on_top() {
    let search = searched(&site());
    let reply = asked(
        &search,
        &Conversation::of("How many pots has the Kitchen plan?"),
    );
    assert!(
        reply
            .text
            .starts_with("Kitchen — Pots: 12\n\nFrom the documentation:\n\n"),
        "{}",
        reply.text
    );
    assert_eq!(reply.citations[0].url, "/limits#plans");
    let reply = asked(
        &search,
        &Conversation::of("How long does a refresh token last?"),
    );
    assert_eq!(reply.citations[0].url, "/limits#tokens");
    let first = reply.text.lines().next();
    assert_eq!(
        first,
        Some("A refresh token lasts 30 days."),
        "{}",
        reply.text
    );
}

#[test]
fn an_operation_is_shown_in_the_language_that_is_asked_for() {
    let search = searched(&site());
    let first = "How do I open a pot for an account?";
    let reply = asked(&search, &Conversation::of(first));
    assert!(reply.text.contains("```bash"), "{}", reply.text);
    let reply = asked(
        &search,
        &Conversation::of("How do I open a pot for an account in Python?"),
    );
    assert!(
        reply.text.contains("```python") && !reply.text.contains("```bash"),
        "{}",
        reply.text
    );
    for (question, opening) in [
        ("show me that in Python", "```python"),
        ("and with Go?", "```go"),
    ] {
        let reply = then(&search, first, question);
        assert_eq!(reply.answered, Answered::Fully);
        assert!(
            reply.text.contains(opening) && reply.text.contains("/pots"),
            "{}",
            reply.text
        );
        assert!(
            reply.citations[0].url.ends_with("open-a-pot"),
            "{:?}",
            reply.citations
        );
    }
}

#[test]
fn code_of_a_guide_is_shown_in_the_language_that_is_asked_for() {
    let search = searched(&site());
    let first = "How do I send an envelope?";
    let reply = then(&search, first, "Show me that in TypeScript");
    assert!(reply.text.contains("await client.send"), "{}", reply.text);
    assert!(!reply.text.contains("```python"), "{}", reply.text);
    assert_eq!(reply.citations[0].url, "/clients#send-an-envelope");
    // Of a language that the page does not have, what is near is said.
    let reply = then(&search, first, "Show me that in Ruby");
    assert!(
        reply.citations[0].url.starts_with("/clients"),
        "{}",
        reply.text
    );
    assert!(
        reply.text.contains("Send an envelope with a client"),
        "{}",
        reply.text
    );
    // What asks for more than code is a question of its own.
    let reply = then(&search, first, "Does it work with Python?");
    assert!(
        reply.text.contains("Send an envelope with a client"),
        "{}",
        reply.text
    );
}

#[test]
fn other_quotes_stand_below_a_line() {
    let search = searched(&site());
    let reply = asked(
        &search,
        &Conversation::of("limits of tokens and pots of an account"),
    );
    assert!(reply.citations.len() > 1, "{}", reply.text);
    let lines = reply.text.lines().filter(|line| *line == "---");
    assert_eq!(lines.count(), 1, "{}", reply.text);
}
