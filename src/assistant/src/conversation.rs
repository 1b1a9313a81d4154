//! Conversation so far, and the search for a last question that depends on it.

use percent_encoding::percent_decode_str;
use queries::base::path::Route;
use queries::site::{CodeLanguage, code_language};
use quire_search::index::Filter;

/// Author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The reader.
    User,
    /// The assistant.
    Assistant,
    /// The program that set the conversation up.
    System,
}

impl Role {
    /// The role of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "user" => Some(Self::User),
            "assistant" => Some(Self::Assistant),
            "system" => Some(Self::System),
            _ => None,
        }
    }

    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
        }
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Author.
    pub role: Role,
    /// Text.
    pub content: String,
}

/// Conversation so far, and the page of the reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversation {
    /// Messages, the oldest first; the last is the question.
    pub messages: Vec<Message>,
    /// Selections of the reader: text or code.
    pub context: Vec<String>,
    /// The path of the page that the reader is on.
    pub current_path: Option<String>,
    /// Whether the question is about that page, as far as it answers.
    pub is_of_page: bool,
    /// Whether pages are quoted even where a language model could write.
    pub is_quoted: bool,
    /// Pages that may answer; without a version or language, those that the question names or is written in, or else those
    /// of the page that the reader is on.
    pub filter: Filter,
}

/// Number of messages considered, counted from the last.
const MAX_MESSAGES: usize = 12;
/// Number of words of selections that are searched for with the question.
const WORDS_OF_CONTEXT: usize = 40;
/// Number of words of earlier questions that are searched for with the question.
const WORDS_OF_EARLIER: usize = 24;
/// Maximum number of content words of a question that is read as a follow-up, if it opens like one or
/// holds a pronoun.
const FOLLOW_UP_WORDS: usize = 3;
const SOME_WORDS: usize = 6;

/// Number of words of the place that the last answer cited that are searched for with the question.
const WORDS_OF_CITED: usize = 8;

/// Words before the name of a language of code.
const IN: &[&str] = &[
    "in", "with", "using", "via", "for", "auf", "mit", "en", "avec", "con", "em", "com", "met",
];

/// Openings of follow-up questions.
const GOES_ON: &[&str] = &[
    "and ",
    "but ",
    "also ",
    "or ",
    "so ",
    "then ",
    "what about",
    "how about",
    "what if",
    "ok ",
    "okay ",
    "and?",
    "why?",
    "why not",
    "how so",
    "instead",
];
/// Words that stand for what was named before.
const STANDS_FOR: &[&str] = &[
    "it", "its", "that", "those", "these", "they", "them", "their", "this", "one", "ones", "there",
    "such", "former", "latter", "same", "else", "above",
];
/// Those that always stand for something: "that" also joins clauses, and "there is" opens them.
const REFERS: &[&str] = &[
    "it", "its", "this", "these", "those", "they", "them", "their",
];
/// Words for code in questions.
const CODE: &[&str] = &[
    "code", "sample", "snippet", "request", "version", "look", "do", "done",
];
/// Phrases that mean the page that the reader is on.
const HERE: &[&str] = &[
    "this page",
    "this article",
    "this guide",
    "this section",
    "this endpoint",
    "this operation",
    "this document",
    "this code",
    "this example",
    "this snippet",
    "the page",
    "here",
];
/// Words of questions that ask for no thing.
const ASKING: &[&str] = &[
    "a",
    "an",
    "about",
    "all",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "but",
    "by",
    "can",
    "could",
    "do",
    "does",
    "example",
    "explain",
    "for",
    "from",
    "give",
    "go",
    "get",
    "have",
    "how",
    "i",
    "if",
    "in",
    "is",
    "just",
    "let",
    "like",
    "make",
    "may",
    "me",
    "mean",
    "more",
    "my",
    "need",
    "not",
    "of",
    "ok",
    "okay",
    "on",
    "or",
    "our",
    "out",
    "please",
    "say",
    "should",
    "show",
    "so",
    "summarize",
    "summary",
    "tell",
    "than",
    "the",
    "then",
    "to",
    "too",
    "us",
    "use",
    "want",
    "was",
    "way",
    "we",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
];

/// Words that ask how much there is of something, after "how".
const QUANTITIES: &[&str] = &["long", "many", "much", "often"];

/// Search query derived from a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sought {
    /// The last question as it was asked.
    pub(super) question: String,
    /// The question with its references to earlier messages resolved, if it has any.
    pub(super) resolved: Option<String>,
    /// Whether it is about the page that the reader is on.
    pub(super) is_here: bool,
    /// The place that the last answer cited first, if the question depends on that answer.
    pub(super) cited: Option<CitedPlace>,
    /// The language of code that it asks for.
    pub(super) code: Option<&'static CodeLanguage>,
    /// Whether it asks for nothing else.
    pub(super) is_only_code: bool,
}

/// A place that an earlier answer cited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CitedPlace {
    pub(super) page: Route,
    pub(super) anchor: Option<String>,
    /// Title of the page and headings; empty if the answer does not say.
    title: String,
}

impl CitedPlace {
    /// The first place that `answer` links to.
    fn first_of(answer: &str) -> Option<Self> {
        // The links of quotes stand out; a statement above them may have links of its own.
        let quotes = answer.find("**[").map_or(answer, |at| &answer[at..]);
        let (before, after) = quotes.split_once("](/")?;
        let address = address(after);
        let anchor = address.split_once('#').map(|(_, anchor)| anchor.to_owned());
        let title = before.rsplit_once('[').map_or("", |(_, title)| title);
        Some(Self {
            page: route_of(address)?,
            anchor,
            // A model cites by numbers.
            title: match title.parse::<u32>() {
                Ok(_) => String::new(),
                Err(_) => title.replace(['\\', '*', '`'], ""),
            },
        })
    }
}

/// The address that `text`, which follows the beginning of a link in Markdown, begins with: it may have parentheses in
/// pairs.
fn address(text: &str) -> &str {
    let mut open = 0;
    let end = text.find(|c: char| {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        open < 0 || c.is_whitespace()
    });
    &text[..end.unwrap_or(text.len())]
}

/// The page of an address as clients send it, percent-encoded or not.
pub(super) fn route_of(address: &str) -> Option<Route> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let path = percent_decode_str(path.trim_matches('/')).decode_utf8();
    Route::new(&path.ok()?)
}

impl Conversation {
    /// A conversation of one question.
    pub fn of(question: &str) -> Self {
        Self {
            messages: vec![Message {
                role: Role::User,
                content: question.to_owned(),
            }],
            ..Self::default()
        }
    }

    /// The question before the last one.
    pub(super) fn question_before(&self) -> Option<&str> {
        let asked = self.messages.iter().rev();
        let mut asked = asked.filter(|message| message.role == Role::User);
        asked.nth(1).map(|message| message.content.as_str())
    }

    /// Search for the last question.
    pub(super) fn sought(&self) -> Sought {
        let asked = self.messages.iter().rev().take(MAX_MESSAGES);
        let mut asked = asked
            .filter(|message| message.role == Role::User)
            .map(|message| message.content.trim());
        let question = asked.next().unwrap_or("").to_owned();
        let is_here = self.current_path.is_some() && (self.is_of_page || names_here(&question));
        let mut parts: Vec<String> = Vec::new();
        let mut leaning = question.as_str();
        let mut earlier = asked.next();
        let mut room = WORDS_OF_EARLIER;
        while leans(leaning)
            && !(is_here && parts.is_empty())
            && let Some(before) = earlier
        {
            let plain = without_measure(before);
            let words: Vec<&str> = things(&plain).take(room).collect();
            room -= words.len();
            if !words.is_empty() {
                parts.insert(0, words.join(" "));
            }
            leaning = before;
            earlier = asked.next();
        }
        let is_of_answer = leans(&question) && refers(&question) && !is_here;
        let cited = is_of_answer.then(|| self.cited()).flatten();
        if let Some(cited) = &cited {
            let known = parts.join(" ").to_lowercase();
            let known: Vec<&str> = words(&known).collect();
            let titles = cited.title.replace('›', " ");
            let new = things(&titles).filter(|word| !known.contains(&word.to_lowercase().as_str()));
            let new: Vec<&str> = new.take(WORDS_OF_CITED).collect();
            if !new.is_empty() {
                parts.push(new.join(" "));
            }
        }
        for context in &self.context {
            let words: Vec<&str> = context.split_whitespace().take(WORDS_OF_CONTEXT).collect();
            if !words.is_empty() && (leans(&question) || names_here(&question)) {
                parts.push(words.join(" "));
            }
        }
        let resolved = (!parts.is_empty()).then(|| {
            parts.push(question.clone());
            parts.join(" ")
        });
        Sought {
            code: code_asked(&question),
            is_only_code: asks_only_for_code(&question),
            question,
            resolved,
            is_here,
            cited,
        }
    }

    /// The first place that the last answer cited.
    fn cited(&self) -> Option<CitedPlace> {
        let mut answers = self.messages.iter().rev();
        let answer = answers.find(|message| message.role == Role::Assistant)?;
        CitedPlace::first_of(&answer.content)
    }
}

/// The language of code that `question` asks for: "in Python", "with curl".
fn code_asked(question: &str) -> Option<&'static CodeLanguage> {
    let mut before = "";
    for word in question.split_whitespace() {
        let name = word
            .trim_matches(|c: char| "?!,;:\"'()".contains(c))
            .trim_end_matches('.');
        let is_asked = IN.contains(&before);
        if let Some(language) = code_language(name)
            && (is_asked || name == language.label && !before.is_empty())
        {
            return Some(language);
        }
        before = IN
            .iter()
            .find(|word| name.eq_ignore_ascii_case(word))
            .unwrap_or(&"-");
    }
    None
}

/// Search text of `question`, without words that ask for a measure: "how long", "how many".
pub(super) fn without_measure(question: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in question.split_whitespace() {
        let is_measure = QUANTITIES
            .iter()
            .any(|measure| word.eq_ignore_ascii_case(measure));
        let is_asked = words
            .last()
            .is_some_and(|last| last.eq_ignore_ascii_case("how"));
        if !(is_measure && is_asked) {
            words.push(word);
        }
    }
    words.join(" ")
}

/// Returns true if `question` cannot be understood by itself.
fn leans(question: &str) -> bool {
    let lower = question.to_lowercase();
    let lower = lower.trim();
    let goes_on = GOES_ON.iter().any(|start| lower.starts_with(start));
    let words: Vec<&str> = words(lower).collect();
    let stands_for = words.iter().any(|word| STANDS_FOR.contains(word));
    let own = things(lower).count();
    own == 0 || goes_on && own <= FOLLOW_UP_WORDS || stands_for && own <= SOME_WORDS
}

/// Returns true if `question`, which cannot be understood by itself, is about what was answered.
fn refers(question: &str) -> bool {
    let lower = question.to_lowercase();
    let goes_on = GOES_ON.iter().any(|start| lower.trim().starts_with(start));
    goes_on || words(&lower).any(|word| REFERS.contains(&word)) || things(&lower).count() <= 1
}

/// Returns true if `question` asks for nothing but code in the language that it names.
fn asks_only_for_code(question: &str) -> bool {
    things(question)
        .all(|word| code_language(word).is_some() || CODE.contains(&&*word.to_lowercase()))
}

fn names_here(question: &str) -> bool {
    let lower = question.to_lowercase();
    let is_word = |at: usize, phrase: &str| {
        let is_border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        is_border(lower[..at].chars().next_back())
            && is_border(lower[at + phrase.len()..].chars().next())
    };
    let is_named = |phrase: &&str| {
        lower
            .match_indices(*phrase)
            .any(|(at, _)| is_word(at, phrase))
    };
    HERE.iter().any(is_named)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| {
        c.is_whitespace() || matches!(c, '?' | '!' | ',' | ';' | ':' | '"' | '(' | ')')
    })
    .map(|word| word.trim_matches(|c: char| matches!(c, '.' | '\'' | '’')))
    .filter(|word| !word.is_empty())
}

/// The words of a question that name what it is about.
fn things(text: &str) -> impl Iterator<Item = &str> {
    words(text).filter(|word| {
        let lower = word.to_lowercase();
        !ASKING.contains(&lower.as_str()) && !STANDS_FOR.contains(&lower.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sought(questions: &[&str]) -> Sought {
        let mut conversation = Conversation::default();
        for question in questions {
            let message = |role, content: &str| Message {
                role,
                content: content.to_owned(),
            };
            conversation.messages.push(message(Role::User, question));
            conversation
                .messages
                .push(message(Role::Assistant, "Something about webhooks."));
        }
        conversation.messages.pop();
        conversation.sought()
    }

    #[test]
    fn a_question_that_stands_alone_leans_on_nothing() {
        for question in [
            "How do I rotate an API key?",
            "And how do I configure the retention of audit logs for a project?",
            "pagination",
            "What does POST /tickets return?",
        ] {
            assert_eq!(
                sought(&["How do I install the client?", question]).resolved,
                None,
                "{question}"
            );
        }
    }

    #[test]
    fn a_question_that_goes_on_is_asked_with_what_it_goes_on_from() {
        let resolved = |last| sought(&["How do I install the Python client?", last]).resolved;
        assert_eq!(
            resolved("And in Ruby?").as_deref(),
            Some("install Python client And in Ruby?")
        );
        assert_eq!(
            resolved("How do I configure it?").as_deref(),
            Some("install Python client How do I configure it?")
        );
        assert_eq!(
            resolved("Why?").as_deref(),
            Some("install Python client Why?")
        );
        // The one before leans, too.
        let resolved =
            sought(&["What are webhooks?", "How do I verify them?", "And in Go?"]).resolved;
        assert_eq!(resolved.as_deref(), Some("webhooks verify And in Go?"));
        assert_eq!(sought(&["Why?"]).resolved, None);
    }

    #[test]
    fn a_question_that_goes_on_is_asked_with_the_place_that_was_cited() {
        let mut conversation = Conversation::of("How do I open a ticket?");
        let answer = "From the documentation:\n\n**[Tickets › Create \\*one\\*](/api/tickets?a=1#create)**\n\nSend it.";
        let message = |role, content: &str| Message {
            role,
            content: content.to_owned(),
        };
        conversation.messages.push(message(Role::Assistant, answer));
        conversation
            .messages
            .push(message(Role::User, "Show me that in Python"));
        let sought = conversation.sought();
        assert_eq!(
            sought.resolved.as_deref(),
            Some("open ticket Tickets Create Show me that in Python")
        );
        let cited = sought.cited.unwrap();
        assert_eq!(cited.page.href(), "/api/tickets");
        assert_eq!(cited.anchor.as_deref(), Some("create"));
        assert_eq!(sought.code.map(|code| code.id), Some("python"));
        // One that stands alone has nothing of it.
        conversation.messages[2].content = "How do I configure the retention of logs?".to_owned();
        assert_eq!(conversation.sought().cited, None);
    }

    #[test]
    fn the_address_of_a_cited_page_is_read_as_it_is_written() {
        for (link, page) in [
            ("/%C3%BCber/a%20b#c", "/über/a b"),
            ("/über/a#c", "/über/a"),
            ("/a(b)", "/a(b)"),
            ("/100%25", "/100%"),
            ("/a \"title\"", "/a"),
        ] {
            let cited = CitedPlace::first_of(&format!("**[A]({link})** (b)"));
            assert_eq!(cited.unwrap().page.as_str(), page, "{link}");
        }
        assert_eq!(CitedPlace::first_of("**[A](/%FF)**"), None);
    }

    #[test]
    fn a_language_of_code_is_asked_for_by_its_name() {
        let asked = |question| code_asked(question).map(|language| language.id);
        assert_eq!(asked("How do I send it in go?"), Some("go"));
        assert_eq!(asked("Is there a Go example?"), Some("go"));
        assert_eq!(asked("send it with cURL, please"), Some("curl"));
        assert_eq!(asked("und das in C#?"), Some("csharp"));
        for none in [
            "How do I go on?",
            "Go on",
            "What is the rust on it?",
            "in short",
            "",
        ] {
            assert_eq!(asked(none), None, "{none}");
        }
    }

    #[test]
    fn how_much_is_no_word_of_a_page() {
        assert_eq!(without_measure("How long  do I wait?"), "How do I wait?");
        assert_eq!(without_measure("long names, how many"), "long names, how");
    }

    #[test]
    fn the_page_and_what_is_selected_are_asked_for_where_they_are_meant() {
        let mut conversation = Conversation::of("What does this code do?");
        conversation.context = vec!["let client = connect();".to_owned()];
        assert_eq!(
            conversation.sought().resolved.as_deref(),
            Some("let client = connect(); What does this code do?")
        );
        conversation.messages[0].content = "How do I rotate keys?".to_owned();
        assert_eq!(conversation.sought().resolved, None);
        conversation.messages[0].content = "Summarize this page".to_owned();
        assert!(!conversation.sought().is_here);
        conversation.current_path = Some("/a".to_owned());
        assert!(conversation.sought().is_here);
        conversation.messages[0].content = "Where is there a list of them?".to_owned();
        assert!(!conversation.sought().is_here);
    }
}
