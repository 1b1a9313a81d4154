//! Answers of a site that may have a language model: what that writes while it writes it, or else what is quoted.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::Sender;

use super::checked::Checked;
use super::cited::CitationLinker;
use super::extract::{PreparedAnswer, answer, prepare};
use super::prompt::{MAX_PASSAGES, NO_ANSWER, prompt};
use super::replies::refused;
use super::{Answered, Conversation, Engine, Reply};
use crate::model::{Ending, Model, Unanswered};
use quire_search::search_service::{NotReady, SearchService};

/// Maximum length of a model's answer in bytes: the limit of tokens is only a request.
const MAX_LETTERS: usize = 256 << 10;
/// Number of bytes of an answer that are read for a refusal.
const MAX_BEGINNING: usize = 256;

/// Why there is no answer.
#[derive(Debug)]
pub enum Failed {
    /// Nothing can be found.
    Search(anyhow::Error),
    /// Nothing can be found yet.
    NotReady,
    /// The model broke off what was told already.
    BrokenOff,
}

/// Answers the last question of `conversation` from the site that `search` follows, with `model` if the site has one.
///
/// The index is waited for until `due`; without one, as long as it takes. The text of the reply is told to `tell` as it
/// comes. What a model writes is told block by block, as far as the passages bear it out, from its first citation on: what it
/// said without any can still be taken back.
///
/// # Errors
///
/// Returns why there is no answer, or no more of the one that was told.
pub async fn respond(
    search: &Arc<SearchService>,
    model: Option<&Arc<Model>>,
    conversation: Conversation,
    due: Option<Instant>,
    tell: Option<&Sender<String>>,
) -> Result<Reply, Failed> {
    let model = model.filter(|_| !conversation.is_quoted);
    let (asked, is_written) = (conversation.clone(), model.is_some());
    let found = search.run_blocking(due, move |search| match is_written {
        true => prepare(search, &asked),
        // Nobody else writes: no passage is read for that.
        false => answer(search, &asked).map(PreparedAnswer::from),
    });
    let found = found.await;
    let mut prepared = match found {
        Ok(Ok(prepared)) => prepared,
        Ok(Err(error)) if error.is::<NotReady>() => return Err(Failed::NotReady),
        Ok(Err(error)) => return Err(Failed::Search(error)),
        Err(error) => return Err(Failed::Search(error.into())),
    };
    // It is asked only what the pages answer.
    let model = model.filter(|_| !prepared.passages.is_empty());
    if let Some(model) = model {
        order(model, &mut prepared).await;
        match generated(model, &conversation, &prepared, tell).await {
            // Nothing of it was told.
            Ok(Some(reply)) if reply.answered == Answered::Not => prepared.reply = reply,
            Ok(Some(reply)) => return Ok(reply),
            // What no page bears out is not said.
            Ok(None) => {}
            Err(AnswerBreak::Off) => return Err(Failed::BrokenOff),
            Err(AnswerBreak::Before(why)) => {
                prepared.reply.engine = Engine::Degraded;
                prepared.reply.notice = Some(match why {
                    Unanswered::Capped => CAPPED.to_owned(),
                    Unanswered::Resting | Unanswered::Failed(_) => DEGRADED.to_owned(),
                });
            }
        }
    }
    if let Some(tell) = tell {
        for piece in prepared.reply.text.split_inclusive("\n\n") {
            // Nobody listens any more.
            if tell.send(piece.to_owned()).await.is_err() {
                break;
            }
        }
    }
    Ok(prepared.reply)
}

/// Notice for an answer that a model should have written.
const DEGRADED: &str = "The language model did not answer; this is quoted from the documentation.";
const CAPPED: &str =
    "The language model has answered enough for today; this is quoted from the documentation.";
const CUT_SHORT: &str = "The answer ends where the longest answers do.";

/// Premature end of a model's answer.
enum AnswerBreak {
    /// Before anything of it was told.
    Before(Unanswered),
    /// Later.
    Off,
}

/// Puts the passages in the order of the model that orders them, if there is one and it answers.
async fn order(model: &Model, prepared: &mut PreparedAnswer) {
    let texts = prepared.passages.iter().map(|passage| {
        let title = passage.citation.title();
        format!("{title}\n\n{}", passage.text)
    });
    let texts: Vec<String> = texts.collect();
    match model.order(&prepared.query, &texts).await {
        Ok(order) => {
            let passages = order.iter().map(|at| prepared.passages[*at].clone());
            prepared.passages = passages.take(MAX_PASSAGES).collect();
        }
        Err(fault) => tracing::warn!("the reranking model failed: {fault}"),
    }
}

/// Answer of `model`; `None` if nothing of it is borne out by the passages that it cites.
async fn generated(
    model: &Arc<Model>,
    conversation: &Conversation,
    prepared: &PreparedAnswer,
    tell: Option<&Sender<String>>,
) -> Result<Option<Reply>, AnswerBreak> {
    let (prompt, count) = prompt(conversation, &prepared.passages);
    let mut output = Output::new(conversation, prepared, count);
    // How much of the text was told.
    let mut sent_bytes = 0;
    let mut answering = model.ask(&prompt).await.map_err(AnswerBreak::Before)?;
    let mut is_cut = false;
    loop {
        let piece = answering.next().await.map_err(|why| match sent_bytes {
            0 => AnswerBreak::Before(why),
            _ => AnswerBreak::Off,
        })?;
        if let Some(piece) = &piece {
            output.push(piece);
        }
        is_cut = is_cut || output.written_bytes > MAX_LETTERS;
        let is_over = piece.is_none() || is_cut;
        if is_over {
            output.finish();
        }
        let text = &output.text;
        let is_told = output.checked.is_cited() && !output.may_say_no() && text.len() > sent_bytes;
        if let Some(tell) = tell.filter(|_| is_told) {
            if tell.send(text[sent_bytes..].to_owned()).await.is_err() {
                return Err(AnswerBreak::Off);
            }
            sent_bytes = text.len();
        }
        if is_over {
            break;
        }
    }
    if sent_bytes == 0 && says_no(&output.beginning) {
        // Who read the passages knows better than who found them.
        return Ok(Some(Reply {
            engine: Engine::Model,
            ..refused(prepared)
        }));
    }
    if !output.checked.is_cited() {
        return Ok(None);
    }
    if let Some(tell) = tell.filter(|_| output.text.len() > sent_bytes) {
        // It was held until the end.
        let _ = tell.send(output.text[sent_bytes..].to_owned()).await;
    }
    let is_cut = is_cut || answering.ending() == Some(Ending::Length);
    Ok(Some(Reply {
        answered: Answered::Fully,
        engine: Engine::Model,
        citations: output.checked.citations(),
        notice: notice(is_cut, output.checked.left_out()),
        text: output.text,
        confidence: prepared.reply.confidence,
        state: prepared.reply.state,
    }))
}

/// Notice for an answer that was cut, or of which so many sentences were left out.
fn notice(is_cut: bool, left_out: usize) -> Option<String> {
    let left_out = match left_out {
        0 => None,
        1 => Some("One sentence was left out: no cited passage supports it.".to_owned()),
        count => Some(format!(
            "{count} sentences were left out: no cited passage supports them."
        )),
    };
    let notices = is_cut.then(|| CUT_SHORT.to_owned()).into_iter();
    let notices: Vec<String> = notices.chain(left_out).collect();
    (!notices.is_empty()).then(|| notices.join(" "))
}

/// Output of a model on its way to the reader: without thoughts, sanitized, checked.
struct Output<'a> {
    thought: Thought,
    cited: CitationLinker<'a>,
    checked: Checked<'a>,
    /// The first bytes that were written, before they are checked.
    beginning: String,
    written_bytes: usize,
    /// What the reader gets.
    text: String,
}

impl<'a> Output<'a> {
    /// Output that may cite the first `count` passages of `prepared`.
    fn new(conversation: &Conversation, prepared: &'a PreparedAnswer, count: usize) -> Self {
        let given = &prepared.passages[..count];
        let question = conversation.messages.last();
        let question = question.map(|last| last.content.as_str());
        let context = conversation.context.iter().map(String::as_str);
        // The name of a product is on the site, and seldom in each passage.
        let known = [prepared.query.as_str(), prepared.site_name.as_str()];
        let asked = question.into_iter().chain(known);
        Self {
            thought: Thought::default(),
            cited: CitationLinker::new(given.iter().map(|one| &one.citation).collect()),
            checked: Checked::new(given, asked.chain(context)),
            beginning: String::new(),
            written_bytes: 0,
            text: String::new(),
        }
    }

    fn push(&mut self, piece: &str) {
        let piece = self.cited.push(&self.thought.without(piece));
        self.check(&piece);
    }

    fn finish(&mut self) {
        let mut rest = self.cited.push(&self.thought.rest());
        rest.push_str(&self.cited.finish());
        self.check(&rest);
        let rest = self.checked.finish();
        self.text.push_str(&rest);
    }

    fn check(&mut self, piece: &str) {
        self.written_bytes += piece.len();
        if self.beginning.len() < MAX_BEGINNING {
            self.beginning.push_str(piece);
        }
        let piece = self.checked.push(piece);
        self.text.push_str(&piece);
    }

    /// Returns true if nothing was written but the beginning of a refusal.
    fn may_say_no(&self) -> bool {
        may_say_no(&self.beginning)
    }
}

/// Returns true if `text` says that the passages do not answer.
fn says_no(text: &str) -> bool {
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let start = start.get(..NO_ANSWER.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(NO_ANSWER))
}

/// Returns true if `text` says so, or is the beginning of a text that does.
fn may_say_no(text: &str) -> bool {
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let length = start.len().min(NO_ANSWER.len());
    let (start, no) = (start.get(..length), NO_ANSWER.get(..length));
    start
        .zip(no)
        .is_some_and(|(start, no)| start.eq_ignore_ascii_case(no))
}

/// Filter of a model's thoughts, between `<think>` and `</think>`: they are not part of the answer.
#[derive(Default)]
struct Thought {
    /// Input until it is clear whether it is a thought, and where that ends.
    buffer: String,
    is_over: bool,
}

impl Thought {
    const START: &'static str = "<think>";
    const END: &'static str = "</think>";

    /// Part of `piece` that belongs to the answer.
    fn without(&mut self, piece: &str) -> String {
        if self.is_over {
            return piece.to_owned();
        }
        self.buffer.push_str(piece);
        let trimmed = self.buffer.trim_start();
        if trimmed.starts_with(Self::START) {
            let Some(end) = trimmed.find(Self::END) else {
                // Of what was thought, only what may be the beginning of its end matters.
                let kept = trimmed.len().saturating_sub(Self::END.len());
                if kept > Self::START.len() && trimmed.is_char_boundary(kept) {
                    self.buffer = format!("{}{}", Self::START, &trimmed[kept..]);
                }
                return String::new();
            };
            let rest = trimmed[end + Self::END.len()..].trim_start().to_owned();
            self.is_over = !rest.is_empty();
            self.buffer = match self.is_over {
                true => String::new(),
                false => format!("{}{}", Self::START, Self::END),
            };
            return rest;
        }
        if Self::START.starts_with(trimmed) {
            return String::new();
        }
        self.is_over = true;
        std::mem::take(&mut self.buffer)
    }

    /// Buffered input at the end.
    fn rest(&mut self) -> String {
        let buffer = std::mem::take(&mut self.buffer);
        match self.is_over || buffer.trim_start().starts_with(Self::START) {
            true => String::new(),
            false => buffer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let mut thought = Thought::default();
            let mut output = thought.without(&text[..at]);
            output.push_str(&thought.without(&text[at..]));
            output.push_str(&thought.rest());
            assert_eq!(output, expected, "cut at {at}");
        }
        let mut thought = Thought::default();
        let each = text.chars().map(|c| thought.without(&c.to_string()));
        let output = each.collect::<String>() + &thought.rest();
        assert_eq!(output, expected);
    }

    #[test]
    fn a_model_says_that_nothing_answers_in_the_words_that_it_was_told() {
        for text in [
            "NO ANSWER",
            "no answer.",
            "\n**NO ANSWER**: the passages are about tea.",
        ] {
            assert!(says_no(text) && may_say_no(text), "{text}");
        }
        assert!(may_say_no("**No") && may_say_no("") && !may_say_no("Not") && !may_say_no("Né"));
        for text in ["", "No", "Now answer", "There is no answer.", "É NO ANSWER"] {
            assert!(!says_no(text), "{text}");
        }
    }

    #[test]
    fn what_a_model_thinks_is_not_told() {
        check("Rotate it.", "Rotate it.");
        check("<think>Hm, [1] é</think>\n\nRotate it.", "Rotate it.");
        check("\n<think>\n</think>", "");
        check("<think>for ever", "");
        check("<thin>k", "<thin>k");
        check("<th", "<th");
    }
}
