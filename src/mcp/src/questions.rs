//! Search, questions and what programs say of pages.

use queries::site::Db;

use super::arguments::Arguments;
use super::pages::{not_found, page_at, path_of};
use super::tools::{MAX_FEEDBACK, MAX_NAME, MAX_QUERY, MAX_RESULTS};
use super::{Failure, SiteTools};
use quire_assistant::{Answered, Conversation, Engine};
use quire_search::index::{Filter, Hit};
use quire_search::search_service::{NotReady, SearchQuery};
use quire_site::feedback::{About, Entry};
use quire_site::service::Synced;

/// Maximum number of passages per page in search results.
const MAX_SECTIONS: usize = 3;

fn filter(arguments: &Arguments<'_>) -> Result<Filter, Failure> {
    let text = |name| {
        let text = arguments.text(name, MAX_NAME)?;
        Ok(text.map(str::to_owned))
    };
    Ok(Filter {
        tab: text("tab")?,
        version: text("version")?,
        language: text("language")?,
        tag: text("tag")?,
        ..Filter::default()
    })
}

/// `search`.
pub(super) fn search(tools: &SiteTools, arguments: &Arguments<'_>) -> Result<String, Failure> {
    let query = arguments.required("query", MAX_QUERY)?;
    let wanted = SearchQuery {
        query: query.to_owned(),
        semantic: true,
        limit: arguments.number("limit", 1..=MAX_RESULTS, 5)?,
        filter: filter(arguments)?,
        sections: true,
    };
    let answer = tools.site().find(&wanted).map_err(|error| {
        if error.is::<NotReady>() {
            return Failure::invalid("the search index is being built; retry in a moment");
        }
        tracing::error!(site = tools.site().id(), "search failed: {error:#}");
        Failure::Internal
    })?;
    let mut text = match answer.results.len() {
        0 => format!("Nothing was found for `{query}`.\n"),
        1 => format!("1 page for `{query}`:\n"),
        count => format!("{count} pages for `{query}`:\n"),
    };
    for (i, hit) in answer.results.iter().enumerate() {
        text.push_str(&format!("\n{}. {}", i + 1, described(hit)));
    }
    if let Some(indexing) = answer.indexing {
        text.push_str(&format!(
            "\nThe index is being built: {} of {} pages were searched. Ask again in a moment.\n",
            indexing.done, indexing.of
        ));
    }
    if !answer.suggestions.is_empty() {
        let suggestions: Vec<String> = (answer.suggestions.iter())
            .map(|query| format!("`{query}`"))
            .collect();
        text.push_str(&format!(
            "\nThese find something: {}\n",
            suggestions.join(", ")
        ));
    }
    Ok(text)
}

fn url_of(hit: &Hit) -> String {
    hit.leads_to.clone().unwrap_or_else(|| hit.url.href())
}

/// The passages of a page below a heading, with the address of each.
fn sections(hit: &Hit) -> impl Iterator<Item = (&str, String, String)> {
    let url = hit.url.href();
    let sections = hit.sections.iter().take(MAX_SECTIONS);
    sections.filter_map(move |section| {
        let anchor = section.anchor.as_ref()?;
        let excerpt = section.snippet.text.replace('\n', " ");
        Some((section.title.as_str(), format!("{url}#{anchor}"), excerpt))
    })
}

/// A result for models.
fn described(hit: &Hit) -> String {
    let mut text = format!("[{}]({}) ({})", hit.title, url_of(hit), hit.kind.name());
    if let Some((method, path)) = &hit.operation {
        text.push_str(&format!(" `{method} {path}`"));
    }
    if !hit.breadcrumb.is_empty() {
        text.push_str(&format!(", in {}", hit.breadcrumb.join(" › ")));
    }
    text.push('\n');
    let mut is_shown = false;
    for (heading, url, excerpt) in sections(hit) {
        is_shown |= excerpt.contains(hit.snippet.text.trim());
        text.push_str(&format!("   - [{heading}]({url}): {excerpt}\n"));
    }
    if !is_shown && !hit.snippet.text.is_empty() {
        text.push_str(&format!("   {}\n", hit.snippet.text.replace('\n', " ")));
    }
    text
}

/// `ask`.
pub(super) async fn ask(
    tools: &SiteTools,
    arguments: &Arguments<'_>,
    synced: Synced,
) -> Result<String, Failure> {
    let question = arguments.required("question", MAX_QUERY)?;
    let path = arguments.text("path", 200)?;
    let conversation = Conversation {
        current_path: path.map(path_of),
        filter: Filter {
            version: arguments.text("version", MAX_NAME)?.map(str::to_owned),
            language: arguments.text("language", MAX_NAME)?.map(str::to_owned),
            ..Filter::default()
        },
        ..Conversation::of(question)
    };
    let reply = tools.site().answer(conversation, synced, None).await;
    let reply = reply.map_err(|failed| {
        tracing::error!(site = tools.site().id(), "assistant failed: {failed:?}");
        Failure::Internal
    })?;
    let sources = reply.citations.iter();
    let sources = sources.filter(|_| reply.answered != Answered::Not);
    let sources: Vec<(String, &str)> = sources
        .map(|citation| (citation.title(), citation.url.as_str()))
        .collect();
    let mut text = format!("{}\n", reply.text);
    // Quotes stand below links to their places, what a model writes has numbers.
    if reply.engine == Engine::Model {
        for (i, (title, url)) in sources.iter().enumerate() {
            text.push_str(&format!("\n{}. [{title}]({url})", i + 1));
        }
        text.push('\n');
    }
    if let Some(notice) = &reply.notice {
        text.push_str(&format!("\n({notice})\n"));
    }
    Ok(text)
}

/// `submit_feedback`.
pub(super) fn feedback(tools: &SiteTools, arguments: &Arguments<'_>) -> Result<String, Failure> {
    let path = arguments.text("path", MAX_NAME)?.map(path_of);
    let helpful = arguments.flag("helpful")?;
    let text = arguments.text("text", MAX_FEEDBACK)?;
    if helpful.is_none() && text.is_none() {
        return Err(Failure::invalid(
            "say something: give `text`, `helpful` or both",
        ));
    }
    let route = match &path {
        None => String::new(),
        Some(path) => tools.read(|db: &dyn Db, site| {
            let found = page_at(db, site, path).ok_or_else(|| not_found(db, site, path))?;
            Ok::<_, Failure>(found.route.to_string())
        })??,
    };
    tools.site().feedback().add(Entry {
        helpful,
        text: text.map(str::to_owned),
        ..Entry::now(About::Mcp, &route)
    });
    Ok("Thank you; the authors will see it.".to_owned())
}
