//! Operations of the documented APIs and their data models, for programs.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use queries::site::{
    CatalogOperation, CatalogSchema, Db, Fragment, RequestSample, Site, catalog_operations,
    catalog_specs, default_language, operation_contradictions, operation_document,
    operation_of_page, page_blocks, schema_names, schemas_named, written_yaml,
};
use serde_json::Value;

use super::arguments::Arguments;
use super::brief::brief;
use super::pages::{page_at, path_of};
use super::tools::{MAX_LISTED, MAX_NAME, MAX_OFFSET};
use super::{Failure, SiteTools, part};

/// Number of similar names suggested for an unknown one.
const MAX_SUGGESTIONS: usize = 5;
/// Longest code of a short answer, in bytes.
const MAX_SAMPLE: usize = 1200;

/// The specifications that `name` names: the one of this path, else those whose path it is a part of.
fn specs_named(db: &dyn Db, site: Site, name: &str) -> Result<Vec<String>, Failure> {
    let all = catalog_specs(db, site);
    let wanted = name.trim_start_matches('/').to_lowercase();
    if let Some(exact) = all.iter().find(|path| path.to_lowercase() == wanted) {
        return Ok(vec![exact.clone()]);
    }
    let named = all
        .iter()
        .filter(|path| path.to_lowercase().contains(&wanted));
    let named: Vec<String> = named.cloned().collect();
    match (named.is_empty(), all.is_empty()) {
        (false, _) => Ok(named),
        (true, true) => Err(Failure::invalid(
            "this documentation has no API specification",
        )),
        (true, false) => Err(Failure::Wrong(format!(
            "there is no specification `{name}`; there are {}",
            quoted(&all)
        ))),
    }
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The operations of the specification that an argument names, or of all: those whose pages are in
/// `language`. If neither is named, one that has pages in several languages is listed with that in the first
/// language of the site.
fn operations(
    db: &dyn Db,
    site: Site,
    spec: Option<&str>,
    language: Option<&str>,
) -> Result<Vec<CatalogOperation>, Failure> {
    let mut all = catalog_operations(db, site);
    if let Some(spec) = spec {
        let named = specs_named(db, site, spec)?;
        all.retain(|operation| named.contains(&operation.spec));
    }
    let is_in = |operation: &CatalogOperation, language: &str| {
        let own = operation.language.as_deref();
        own.is_none_or(|own| own.eq_ignore_ascii_case(language))
    };
    if let Some(language) = language {
        let known: BTreeSet<String> = all.iter().filter_map(|one| one.language.clone()).collect();
        let is_any = all.is_empty();
        all.retain(|operation| is_in(operation, language));
        if all.is_empty() && !is_any {
            let known: Vec<String> = known.into_iter().collect();
            return Err(Failure::Wrong(format!(
                "no operation has a page in the language `{language}`; there are {}",
                quoted(&known)
            )));
        }
    } else if let (None, Some(first)) = (spec, default_language(db, site)) {
        let in_first: HashSet<(String, String)> = all
            .iter()
            .filter(|operation| is_in(operation, first))
            .map(|operation| (operation.method.clone(), operation.path.clone()))
            .collect();
        all.retain(|operation| {
            let name = (operation.method.clone(), operation.path.clone());
            is_in(operation, first) || !in_first.contains(&name)
        });
    }
    Ok(all)
}

fn line_of(operation: &CatalogOperation) -> String {
    let id = operation.id.as_ref().map(|id| format!(" (`{id}`)"));
    let version = operation.version.as_ref();
    let version = version.map_or(String::new(), |version| format!(", version {version}"));
    let note = if operation.is_deprecated {
        ", deprecated"
    } else {
        ""
    };
    format!(
        "- `{} {}`{}: [{}]({}){version}{note}",
        operation.method,
        operation.path,
        id.unwrap_or_default(),
        operation.title,
        operation.route.href()
    )
}

/// `list_operations`.
pub(super) fn list(tools: &SiteTools, arguments: &Arguments<'_>) -> Result<String, Failure> {
    let tag = arguments.text("tag", MAX_NAME)?;
    let method = arguments.text("method", 20)?;
    let spec = arguments.text("spec", MAX_NAME)?;
    let language = arguments.text("language", MAX_NAME)?;
    let contains = arguments.text("contains", MAX_NAME)?.map(str::to_lowercase);
    let limit = arguments.number("limit", 1..=MAX_LISTED, 50)?;
    let offset = arguments.number("offset", 0..=MAX_OFFSET, 0)?;
    let is_filtered = tag.is_some() || method.is_some() || contains.is_some();
    let (mut all, specs) = tools.read(|db, site| {
        Ok((
            operations(db, site, spec, language)?,
            catalog_specs(db, site),
        ))
    })??;
    let mut tags: BTreeMap<&str, usize> = BTreeMap::new();
    for operation in &all {
        *tags
            .entry(operation.tag.as_deref().unwrap_or(""))
            .or_default() += 1;
    }
    let tags: Vec<(String, usize)> = (tags.into_iter())
        .filter(|(tag, _)| !tag.is_empty())
        .map(|(tag, count)| (tag.to_owned(), count))
        .collect();
    if let Some(wanted) = tag
        && !tags
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(wanted))
    {
        let known: Vec<String> = tags.iter().map(|(tag, _)| tag.clone()).take(100).collect();
        return Err(Failure::Wrong(match known.is_empty() {
            true => format!("no operation has the tag `{wanted}`; none has a tag"),
            false => format!(
                "no operation has the tag `{wanted}`; tags are {}",
                quoted(&known)
            ),
        }));
    }
    all.retain(|operation| {
        let has = |text: &str| {
            let wanted = contains.as_deref().unwrap_or("");
            text.to_lowercase().contains(wanted)
        };
        tag.is_none_or(|tag| {
            let own = operation.tag.as_deref().unwrap_or("");
            own.eq_ignore_ascii_case(tag)
        }) && method.is_none_or(|method| operation.method.eq_ignore_ascii_case(method))
            && (has(&operation.path)
                || has(&operation.title)
                || operation.id.as_deref().is_some_and(has))
    });
    let total = all.len();
    let page: Vec<&CatalogOperation> = all.iter().skip(offset).take(limit).collect();
    let next = (offset + page.len() < total && !page.is_empty()).then_some(offset + page.len());
    let mut text = match page.len() {
        0 => "No operation matches.\n".to_owned(),
        count if count == total => format!("{total} operations:\n\n"),
        count => format!(
            "Operations {} to {} of {total}:\n\n",
            offset + 1,
            offset + count
        ),
    };
    let lines: Vec<String> = page.iter().map(|operation| line_of(operation)).collect();
    text.push_str(&lines.join("\n"));
    text.push('\n');
    if let Some(next) = next {
        text.push_str(&format!("\n(More: call again with `offset` {next}.)\n"));
    }
    if !is_filtered && offset == 0 && total > page.len() && !tags.is_empty() {
        let tags: Vec<String> = (tags.iter())
            .map(|(tag, count)| format!("{tag} ({count})"))
            .collect();
        text.push_str(&format!("\nTags: {}\n", tags.join(", ")));
    }
    if !is_filtered && offset == 0 && specs.len() > 1 {
        text.push_str(&format!("\nSpecifications: {}\n", quoted(&specs)));
    }
    Ok(text)
}

/// The operation that `query` names: by its page, its method and path, or its id.
fn find(
    db: &dyn Db,
    site: Site,
    query: &str,
    spec: Option<&str>,
    language: Option<&str>,
) -> Result<CatalogOperation, Failure> {
    let is_path = query.starts_with('/') || query.contains("://");
    let page = page_at(db, site, &path_of(query));
    if is_path && let Some(found) = &page {
        return operation_of_page(db, found.page).ok_or_else(|| {
            Failure::Wrong(format!(
                "the page `{}` has no operation of a specification; read it with `get_page`",
                found.route.href()
            ))
        });
    }
    let all = operations(db, site, spec, language)?;
    let (method, path) = match query.split_once(char::is_whitespace) {
        Some((method, path)) => (Some(method), path.trim()),
        None => (None, query),
    };
    let is_same_path = |own: &str| own.trim_end_matches('/') == path.trim_end_matches('/');
    let is_meant = |operation: &&CatalogOperation| match method {
        Some(method) => {
            operation.method.eq_ignore_ascii_case(method) && is_same_path(&operation.path)
        }
        None => {
            operation.id.as_deref() == Some(query) || (is_path && is_same_path(&operation.path))
        }
    };
    let mut found: Vec<&CatalogOperation> = all.iter().filter(is_meant).collect();
    // Of several versions that which the site shows first.
    if found.iter().any(|operation| !operation.is_old) {
        found.retain(|operation| !operation.is_old);
    }
    match found.as_slice() {
        [one] => return Ok((*one).clone()),
        [] => {}
        [first, others @ ..] if others.iter().all(|one| one.spec == first.spec) => {
            let lines: Vec<String> = found.iter().map(|one| line_of(one)).collect();
            return Err(Failure::Wrong(format!(
                "several operations are meant; name one by method and path:\n{}",
                lines.join("\n")
            )));
        }
        several => {
            let specs: Vec<String> = several.iter().map(|one| one.spec.clone()).collect();
            return Err(Failure::Wrong(format!(
                "several specifications have `{query}`: {}; say which with `spec`",
                quoted(&specs)
            )));
        }
    }
    if let Some(operation) = page.and_then(|found| operation_of_page(db, found.page)) {
        return Ok(operation);
    }
    Err(nothing(&all, query))
}

/// Error for a missing operation `query`, with similar ones.
fn nothing(all: &[CatalogOperation], query: &str) -> Failure {
    if all.is_empty() {
        return Failure::invalid("this documentation has no API operations");
    }
    let wanted = query.to_lowercase();
    let likeness = |text: &str| strsim::normalized_damerau_levenshtein(text, &wanted);
    let mut near: Vec<(f64, &CatalogOperation)> = (all.iter())
        .map(|operation| {
            let name = format!("{} {}", operation.method, operation.path).to_lowercase();
            let id = operation.id.as_deref().unwrap_or("").to_lowercase();
            let path = operation.path.to_lowercase();
            let best = likeness(&name).max(likeness(&id)).max(likeness(&path));
            (best, operation)
        })
        .collect();
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let near: Vec<String> = (near.iter().take(MAX_SUGGESTIONS))
        .map(|(_, operation)| line_of(operation))
        .collect();
    Failure::Wrong(format!(
        "there is no operation `{query}`; the nearest are:\n{}\nUse `list_operations` to see others.",
        near.join("\n")
    ))
}

/// `get_operation`.
pub(super) fn operation(tools: &SiteTools, arguments: &Arguments<'_>) -> Result<String, Failure> {
    let named = arguments.required("operation", MAX_NAME)?;
    let spec = arguments.text("spec", MAX_NAME)?;
    let language = arguments.text("language", MAX_NAME)?;
    let is_full = match arguments.text("detail", 20)? {
        None | Some("brief") => false,
        Some("full") => true,
        Some(other) => {
            return Err(Failure::Wrong(format!(
                "`detail` is `{other}`; it can be `brief` or `full`"
            )));
        }
    };
    let (operation, document, contradictions, sample) = tools.read(|db, site| {
        let operation = find(db, site, named, spec, language)?;
        let document = operation_document(db, operation.operation);
        let contradictions = operation_contradictions(db, operation.operation);
        let sample = (!is_full).then(|| page_blocks(db, operation.page).samples.first().cloned());
        Ok::<_, Failure>((operation, document, contradictions, sample.flatten()))
    })??;
    let mut text = format!(
        "`{} {}`: [{}]({})",
        operation.method,
        operation.path,
        operation.title,
        operation.route.href()
    );
    let id = operation.id.as_ref();
    text.push_str(&id.map_or(String::new(), |id| format!(", `operationId` `{id}`")));
    text.push_str(if operation.is_deprecated {
        ", deprecated\n"
    } else {
        "\n"
    });
    let Some(Fragment {
        value: openapi,
        omitted,
        ..
    }) = document
    else {
        return Ok(text);
    };
    let short = brief(&openapi).filter(|_| !is_full);
    if let Some(short) = short {
        text.push_str(&short);
        if let Some(sample) = sample.filter(|sample| sample.code.len() <= MAX_SAMPLE) {
            let RequestSample { language, code, .. } = sample;
            text.push_str(&format!("\n{}\n", fenced(&language, &code)));
        }
        text.push_str(
            "\n(Its whole definition: call again with `detail` `full`; a data model: `get_schema`.)\n",
        );
        return Ok(text);
    }
    write_yaml(&openapi, &operation.spec, &mut text);
    if !omitted.is_empty() {
        let names: Vec<String> = omitted.iter().map(|key| format!("#{key}")).collect();
        text.push_str(&format!(
            "\nLeft out, as it is long; read it with `get_schema`: {}.\n",
            quoted(&names)
        ));
    }
    if !contradictions.is_empty() {
        write_contradictions(&contradictions, &mut text);
    }
    Ok(text)
}

/// `code` between fences that it does not hold itself.
fn fenced(language: &str, code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    let code = code.trim_end();
    format!("{fence}{language}\n{code}\n{fence}")
}

/// Writes which schemas contradict themselves, a line for each.
fn write_contradictions(contradictions: &[String], text: &mut String) {
    text.push_str("\nThese schemas contradict themselves, so that no value may fit:\n\n");
    for line in contradictions {
        text.push_str(&format!("- {line}\n"));
    }
}

/// Writes `value` as a block of YAML, cut where it is too long.
fn write_yaml(value: &Value, spec: &str, text: &mut String) {
    let yaml = written_yaml(value);
    let (piece, next) = part(&yaml, 0);
    text.push_str(&format!("\n{}\n", fenced(&format!("yaml {spec}"), piece)));
    if next.is_some() {
        text.push_str("\n(It is longer; `get_page` of its page reads on.)\n");
    }
}

/// `get_schema`.
pub(super) fn schema(tools: &SiteTools, arguments: &Arguments<'_>) -> Result<String, Failure> {
    let given = arguments.required("name", MAX_NAME)?;
    let spec = arguments.text("spec", MAX_NAME)?;
    let name = match given.starts_with("#/") {
        true => given,
        false => given
            .rsplit_once("/schemas/")
            .map_or(given, |(_, name)| name),
    };
    let mut found = tools.read(|db, site| {
        let specs = match spec {
            Some(spec) => specs_named(db, site, spec)?,
            None => Vec::new(),
        };
        let mut found = schemas_named(db, site, None, name);
        if spec.is_some() {
            found.retain(|schema| specs.contains(&schema.spec));
        }
        match found.is_empty() {
            true => Err(no_schema(db, site, name, &specs)),
            false => Ok(found),
        }
    })??;
    if found.len() > 1 {
        let specs: Vec<String> = found.iter().map(|schema| schema.spec.clone()).collect();
        return Err(Failure::Wrong(format!(
            "several specifications have a data model `{name}`: {}; say which with `spec`",
            quoted(&specs)
        )));
    }
    let CatalogSchema {
        spec,
        name,
        value: schema,
        references,
        contradictions,
        route,
    } = found.remove(0);
    let mut text = match &route {
        Some(route) => format!("[{name}]({})\n", route.href()),
        None => format!("{name}\n"),
    };
    write_yaml(&schema, &spec, &mut text);
    if !references.is_empty() {
        text.push_str("\nWhat it names:\n");
        write_yaml(&Value::Object(references.clone()), &spec, &mut text);
    }
    if !contradictions.is_empty() {
        write_contradictions(&contradictions, &mut text);
    }
    Ok(text)
}

fn no_schema(db: &dyn Db, site: Site, name: &str, specs: &[String]) -> Failure {
    let known = schema_names(db, site);
    let known = known.into_iter();
    let known = known.filter(|(spec, _)| specs.is_empty() || specs.contains(spec));
    let wanted = name.to_lowercase();
    let mut near: Vec<(f64, String)> = known
        .flat_map(|(_, names)| names)
        .map(|known| {
            let likeness = strsim::normalized_damerau_levenshtein(&known.to_lowercase(), &wanted);
            (likeness, known)
        })
        .collect();
    near.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.cmp(y)));
    near.dedup();
    let near: Vec<String> = (near.into_iter().take(MAX_SUGGESTIONS))
        .map(|(_, name)| name)
        .collect();
    Failure::Wrong(match near.is_empty() {
        true => "this documentation has no data models".to_owned(),
        false => format!(
            "there is no data model `{name}`; the nearest are {}",
            quoted(&near)
        ),
    })
}
