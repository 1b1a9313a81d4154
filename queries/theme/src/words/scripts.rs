//! The words that scripts say: those of every page in its head, those of the parts that are read later in files of their own.

use super::languages::{LANGUAGES, position, read_all};
use super::{ENGLISH, Word};
use crate::document::script_json;

/// The words of the form that sends requests.
#[rustfmt::skip]
const FORM: &[Word] = &[
    Word::Language, Word::CopyCode, Word::Code, Word::Show, Word::Picture, Word::Required, Word::Scopes,
    Word::PathParameters, Word::QueryParameters, Word::Headers, Word::Cookies, Word::Body, Word::NoBody,
    Word::AuthorizationCode, Word::ClientCredentials, Word::ImplicitFlow, Word::PasswordFlow, Word::Response,
    Word::BaseUrl, Word::Options, Word::Cancel, Word::Results, Word::Send, Word::Or, Word::OptionNumber, Word::AskStop, Word::KeyInHeader,
    Word::KeyInQuery, Word::KeyInCookie, Word::ClientCertificate, Word::UnknownScheme, Word::AuthorizationUrl,
    Word::TokenUrl, Word::RefreshUrl, Word::AtLine, Word::EndsEarly, Word::ControlInText, Word::BadEscape,
    Word::TooManyLevels, Word::Missing, Word::NotValue, Word::ExtraText, Word::NotEmail, Word::NotUrl,
    Word::NotDate, Word::NotTime, Word::MinLength, Word::MaxLength, Word::DoesNotMatch, Word::NotNumber,
    Word::NotWhole, Word::MustExceed, Word::LessThan, Word::MustBeBelow, Word::GreaterThan, Word::NotAllowed,
    Word::MinItems, Word::MaxItems, Word::ArrayOf, Word::SendEmpty, Word::NotSet, Word::KindOf, Word::RemoveOf,
    Word::ChooseFile, Word::MovedTo, Word::MoveUp, Word::MoveDown, Word::Removed, Word::AddItem, Word::FieldName,
    Word::Value, Word::AddField, Word::RelayUnread, Word::NoAnswerInTime, Word::Cancelled, Word::RelayStatus,
    Word::OauthNoFlow, Word::OauthDenied, Word::OauthClient, Word::OauthGrant, Word::OauthRequest, Word::OauthScope,
    Word::OauthUnauthorized, Word::ServerSays, Word::TokenUnreached, Word::TokenTooLong, Word::TokenStatus,
    Word::NoToken, Word::OauthBack, Word::ImplicitUnrun, Word::PasswordUnrun, Word::OddToken, Word::GoodUntil,
    Word::RefreshToken, Word::TokenFilled, Word::WentWrong, Word::NoFlowUrl, Word::AskingToken, Word::StrangeState,
    Word::WaitingSignIn, Word::WindowClosed, Word::PopupBlocked, Word::SignInTab, Word::ClientIdMissing,
    Word::SignIn, Word::GetToken, Word::FlowUnrun, Word::RedirectUri, Word::RegisterRedirect, Word::Copy,
    Word::SecretPasses, Word::SecretRefused, Word::SecretWarning, Word::SecretIsSent, Word::InHeader, Word::InBody,
    Word::InsecurePage, Word::ClientId, Word::ClientSecret, Word::OnlyIfHas, Word::Flow, Word::Server,
    Word::UserName, Word::Password, Word::NotTakePart, Word::PasteToken, Word::CookieLost, Word::NoAuthorization,
    Word::Authorization, Word::Clear, Word::ClearAbout, Word::Remember, Word::BodyText, Word::FormMode,
    Word::UseExample, Word::BodyDropped, Word::BodyMedia, Word::Earlier, Word::Later, Word::SaveBody, Word::Events,
    Word::MockServer, Word::Close, Word::SendRequest, Word::AnswerHere, Word::SameAsCode, Word::History,
    Word::NotFromPage, Word::ClearValues, Word::NothingNeeded, Word::DotsInPath, Word::NotSentYet,
    Word::ValuesToCheck, Word::HistoryEmpty, Word::SendAgain, Word::ClearHistory, Word::BrowserSilent,
    Word::CauseCors, Word::CauseSilent, Word::CauseBlocked, Word::TimedOut, Word::NotReached, Word::SameAsCommand,
    Word::WaitingForAnswer, Word::Sending, Word::SentStraight, Word::Redirected, Word::LeadsTo, Word::FollowBare, Word::AskCut, Word::StatusIs, Word::Failed,
    Word::CannotShow, Word::OauthTaken, Word::OauthStrange,
    Word::RelayTarget, Word::RelayAddress, Word::RelayUnreached, Word::RelayTooLong, Word::RelayTimeout,
    Word::RelayBusy, Word::RelayStops, Word::RelayForeign, Word::RelayMalformed,
    Word::FoldPart, Word::FindInBody, Word::FoldAll, Word::UnfoldAll, Word::ExpectedValue, Word::GivenValue,
    Word::NoSuchStatus, Word::NoSuchMedia, Word::AnswerMatches, Word::AnswerDiffers, Word::CheckAnswer,
    Word::CopyCurl, Word::ImportCurl, Word::CurlTake, Word::CurlUnread, Word::CurlOther, Word::CurlLeft,
    Word::Environment, Word::EnvironmentNone, Word::EnvironmentName, Word::EnvironmentSave,
    Word::EnvironmentDelete, Word::EnvironmentAbout,
];

/// The words of the panel of the assistant, and of its rows in the search dialog.
#[rustfmt::skip]
const ASSISTANT: &[Word] = &[
    Word::CopyCode, Word::Copied, Word::Table, Word::Code, Word::TryAgain, Word::Offline, Word::Send,
    Word::RemoveOf, Word::Close, Word::AskTitle, Word::AskFresh, Word::AskWidth, Word::AskGreeting, Word::AskOrigin,
    Word::AskField, Word::AskPlaceholder, Word::AskFurther, Word::AskStop, Word::AskPage, Word::AskSummarize,
    Word::AskExplain, Word::AskExplainThis, Word::AskSelection, Word::AskThisPage, Word::AskWaiting, Word::AskYou,
    Word::AskAnswer, Word::AskSources, Word::AskSource, Word::AskCopy, Word::AskHelpful, Word::AskUnhelpful,
    Word::AskThanks, Word::AskUnsent, Word::AskStopped, Word::AskCut, Word::AskFailed, Word::AskBusy,
    Word::AskDegraded, Word::AskModel, Word::Ask, Word::AskSearching, Word::AskUnsure,
];

/// The words of what a preview says of itself.
#[rustfmt::skip]
const PREVIEW: &[Word] = &[
    Word::Site, Word::Warning, Word::Close, Word::Error, Word::OpenInEditor, Word::Hint, Word::OneError,
    Word::ManyErrors, Word::OneWarning, Word::ManyWarnings, Word::SiteProblems, Word::Problems, Word::OneQuery,
    Word::ManyQueries,
];

/// The words that the scripts of every page say.
#[rustfmt::skip]
const SCRIPTS: &[Word] = &[
    Word::Copied, Word::Theme, Word::ThemeSystem, Word::ThemeLight, Word::ThemeDark, Word::Enlarge,
    Word::EnlargePicture, Word::Picture, Word::CloseNavigation, Word::Search, Word::SearchPrompt, Word::ConceptKind,
    Word::ReferenceKind, Word::ModelKind, Word::ChangelogKind, Word::ClearSearch, Word::Cancel, Word::CloseSearch,
    Word::WhereToSearch, Word::Results, Word::ToMove, Word::ToOpen, Word::InNewTab, Word::WhatLookingFor,
    Word::TypeAWord, Word::Forget, Word::RecentSearches, Word::NoResults, Word::NotTogether, Word::TheseFind,
    Word::AnotherWord, Word::SearchEverywhere, Word::NoAnswer, Word::TryAgain, Word::Offline, Word::BackSoon, Word::StillIndexing,
    Word::Found, Word::InScope, Word::Everywhere, Word::DiagramFailed,
];

/// The texts that scripts say on a page in the language `tag`, as a JSON object; none in English, which they know.
pub fn of_scripts(tag: &str, is_preview: bool) -> Option<String> {
    let at = position(tag)?;
    let own = SCRIPTS.iter().chain(PREVIEW.iter().filter(|_| is_preview));
    Some(script_json(&json(own, &read_all()[at])))
}

/// The parts of the theme that are read when they are wanted and have words of their own, by the names of these files.
const PARTS: &[(&str, &[Word])] = &[("form-words", FORM), ("ask-words", ASSISTANT)];

/// The files that hold the words of a part in a language: name, content. In English the parts know theirs.
pub fn files() -> impl Iterator<Item = (String, String)> {
    let languages = || LANGUAGES.iter().zip(read_all());
    PARTS.iter().flat_map(move |(part, words)| {
        languages().map(move |((code, _), texts)| {
            let content = format!("export default {};\n", json(words.iter(), texts));
            (format!("{part}.{code}.js"), content)
        })
    })
}

/// The name of the file that holds the words of `part` for a page in the language `tag`; none in English.
pub fn file_of(part: &str, tag: &str) -> Option<String> {
    let (code, _) = LANGUAGES[position(tag)?];
    Some(format!("{part}.{code}.js"))
}

fn json<'a>(words: impl Iterator<Item = &'a Word>, texts: &[&str]) -> String {
    let texts_by_name = words.map(|word| {
        let name = ENGLISH[word.number()].0;
        (name.to_owned(), texts[word.number()].into())
    });
    serde_json::Value::Object(texts_by_name.collect()).to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::assets::ASSETS;

    /// Words that a script uses by name, with their English default: calls such as
    /// `say("Send", "Send")`, and entries of a table.
    fn calls_of(asset: &str) -> BTreeMap<String, String> {
        let asset = ASSETS.iter().find(|one| one.name == asset).expect(asset);
        let script = std::str::from_utf8(asset.bytes).unwrap();
        let mut found = BTreeMap::new();
        for call in ["say(\"", "Say(\"", "Words(\""] {
            for (at, _) in script.match_indices(call) {
                let rest = &script[at + call.len() - 1..];
                let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                let Some(Ok(name)) = strings.next() else {
                    continue;
                };
                let Some(rest) = rest[strings.byte_offset()..].strip_prefix(", ") else {
                    continue;
                };
                let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                if let Some(Ok(english)) = strings.next() {
                    assert_eq!(
                        found
                            .insert(name, english.clone())
                            .unwrap_or(english.clone()),
                        english
                    );
                }
            }
        }
        let table = script.split_once("const english = { ");
        let mut table = table.map_or("", |(_, table)| table);
        while let Some((name, rest)) = table.split_once(": ") {
            let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let english = strings.next().expect(rest).expect(rest);
            found.insert(name.to_owned(), english);
            let rest = &rest[strings.byte_offset()..];
            match rest.strip_prefix(", ") {
                Some(rest) => table = rest,
                None => {
                    assert!(rest.starts_with(" };"), "{rest}");
                    break;
                }
            }
        }
        found
    }

    #[test]
    fn scripts_say_the_words_of_their_part_in_the_english_of_the_table() {
        for (assets, words, is_whole) in [
            (&["playground.js"][..], FORM, true),
            (&["ask.js", "ask-search.js"], ASSISTANT, true),
            (&["reload.js"], PREVIEW, true),
            (&["quire.js", "search.js", "seldom.js"], SCRIPTS, false),
        ] {
            let table: BTreeMap<String, String> = words
                .iter()
                .map(|word| ENGLISH[word.number()])
                .map(|(name, english)| (name.to_owned(), english.to_owned()))
                .collect();
            let mut used: BTreeMap<String, String> =
                assets.iter().flat_map(|asset| calls_of(asset)).collect();
            if assets == ["playground.js"] {
                // Said by the English name of a kind of credential.
                for name in [
                    "KeyInHeader",
                    "KeyInQuery",
                    "KeyInCookie",
                    "ClientCertificate",
                    "UnknownScheme",
                ] {
                    used.insert(name.to_owned(), table[name].clone());
                }
            }
            assert!(used.len() > 10, "{assets:?}");
            for (name, english) in &used {
                // Scripts of a preview say a word of every page, too.
                let all = ENGLISH.iter().find(|(known, _)| known == name);
                assert_eq!(
                    all.map(|(_, text)| *text),
                    Some(&**english),
                    "{assets:?} {name}"
                );
                assert!(table.contains_key(name), "{assets:?} {name}");
            }
            assert!(!is_whole || used.len() == table.len(), "{assets:?}");
        }
    }

    #[test]
    fn a_file_holds_the_words_of_one_part_in_one_language() {
        let name = file_of("form-words", "de-AT").expect("German has words");
        assert_eq!(name, "form-words.de.js");
        let asset = ASSETS
            .iter()
            .find(|asset| asset.name == name)
            .expect("a file");
        let text = std::str::from_utf8(asset.bytes).unwrap();
        assert!(
            text.starts_with("export default {") && text.ends_with("};\n"),
            "{text}"
        );
        assert!(text.contains("\"SendRequest\":\"Anfrage senden\"") && !text.contains("AskTitle"));
        assert!(asset.is_words() && !asset.needs_server());
        let ask = ASSETS.iter().find(|asset| asset.name == "ask-words.ar.js");
        assert!(ask.is_some_and(|asset| asset.is_words() && asset.needs_server()));
        assert_eq!(file_of("form-words", "en-GB"), None);
        assert_eq!(
            file_of("ask-words", "zh-Hant").as_deref(),
            Some("ask-words.zh-hant.js")
        );
    }
}
