//! Searchable content of endpoints, channels and data models.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::channel::{Channel, Message, Payload};
use super::direction::Direction;
use super::endpoint::{
    Callback, Contents, Endpoint, MediaType, Model, ParameterGroup, Row, Scheme, SchemeKind,
    Security,
};
use super::introduction::{Introduction, NameLink, OverviewPage};
use super::shared::SharedRows;

/// The words of a page of a reference, by what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchText {
    /// The title.
    pub title: String,
    /// The description, Markdown.
    pub description: String,
    /// The ids of its headings, if they can be linked to.
    pub sections: Vec<String>,
    /// Words: of an endpoint the method, the path as a whole and split into words, the
    /// `operationId`, the tag, the statuses; of a data model its name.
    pub words: Vec<String>,
    /// The address of a channel; empty if it is only known when the channel is used.
    pub address: Option<String>,
    /// Its tag.
    pub tag: Option<String>,
    /// Fields that it takes and returns, as on the page.
    pub groups: Vec<FieldGroup>,
    /// Required parts of a request: parameters, and the properties of the first media type of its
    /// body.
    pub required: Vec<RequiredField>,
    /// The first of its code samples.
    pub sample: Option<Sample>,
}

/// A parameter or a property that a request must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredField {
    /// Name.
    pub name: String,
    /// Location: `path`, `query`, `header`, `cookie`, `body`.
    pub place: String,
    /// Type, such as `string`.
    pub label: String,
    /// The id of its row.
    pub anchor: String,
}

/// Code that sends the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The language that it is colored as.
    pub language: String,
    /// Code.
    pub code: String,
}

/// A section of such a page: the parameters of one place, a body, a response.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldGroup {
    /// The id of the section.
    pub anchor: String,
    /// Heading.
    pub title: String,
    /// Description of the whole, Markdown.
    pub description: String,
    /// Parameters and properties with their descriptions (Markdown) and the values they can have, four levels deep.
    pub fields: Vec<(String, String)>,
    /// Components among them whose properties are on a page of their own.
    pub shared: Vec<SharedFields>,
}

/// A component whose properties are on a page of their own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SharedFields {
    /// Number of rows around its properties.
    pub depth: usize,
    /// The pointer of the component.
    pub pointer: String,
    /// Direction of its values.
    pub direction: Direction,
}

impl FieldGroup {
    fn new(anchor: impl Into<String>, title: impl Into<String>, description: &str) -> Self {
        Self {
            anchor: anchor.into(),
            title: title.into(),
            description: description.to_owned(),
            ..Self::default()
        }
    }

    /// Removes duplicates.
    pub fn unite(&mut self) {
        let mut known = HashSet::new();
        self.fields.retain(|field| known.insert(field.clone()));
        let mut known = HashSet::new();
        self.shared.retain(|shared| known.insert(shared.clone()));
    }
}

impl SearchText {
    /// All of it as text, a line for each thing.
    pub fn text(&self) -> String {
        let mut lines = vec![
            self.title.clone(),
            self.description.clone(),
            self.words.join(" "),
        ];
        for group in &self.groups {
            lines.push(group.description.clone());
            let fields = group.fields.iter();
            lines.extend(
                fields.map(|(name, about)| format!("{name} {about}").trim_end().to_owned()),
            );
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }
}

/// Maximum depth of searchable properties.
pub const MAX_DEPTH: usize = 4;

/// The search text of an endpoint.
pub fn search_text(endpoint: &Endpoint) -> SearchText {
    let mut words = vec![endpoint.method.clone(), endpoint.path.clone()];
    words.extend(path_words(&endpoint.path));
    words.extend(endpoint.operation_id.clone());
    let tag = endpoint.tag.as_ref().map(|tag| tag.label.clone());
    words.extend(tag.clone());
    words.extend(
        endpoint
            .responses
            .iter()
            .map(|response| response.status.clone()),
    );
    let mut groups = vec![schemes(&endpoint.security)];
    groups.extend(endpoint.parameters.iter().map(parameters));
    groups.extend(endpoint.body.iter().map(|body| {
        let mut group = FieldGroup::new(&body.anchor, &body.title, &body.description);
        add_media(&body.media, &mut group);
        group
    }));
    groups.extend(endpoint.callbacks.iter().map(callback));
    // Most errors look alike, and what one response has need not be found in the next.
    let (mut known, mut known_shared) = (HashSet::new(), HashSet::new());
    groups.extend(endpoint.responses.iter().map(|response| {
        let title = format!("Response {}", response.label);
        let mut group = FieldGroup::new(&response.anchor, title, &response.description);
        for row in &response.headers {
            add_row(row, 1, &mut group);
        }
        add_media(&response.media, &mut group);
        group.fields.retain(|field| known.insert(field.clone()));
        let is_new = |shared: &SharedFields| known_shared.insert(shared.clone());
        group.shared.retain(is_new);
        group
    }));
    groups.iter_mut().for_each(FieldGroup::unite);
    groups.retain(|group| !group.fields.is_empty() || !group.description.trim().is_empty());
    let mut seen = HashSet::new();
    words.retain(|word| !word.is_empty() && seen.insert(word.clone()));
    SearchText {
        title: endpoint.title.clone(),
        description: endpoint.description.clone(),
        sections: Vec::new(),
        words,
        address: None,
        tag,
        groups,
        required: required(endpoint),
        sample: sample(endpoint),
    }
}

/// Returns the required parts of a request.
fn required(endpoint: &Endpoint) -> Vec<RequiredField> {
    let field = |row: &Row, place: &str| RequiredField {
        name: row.name.text().to_owned(),
        place: place.to_owned(),
        label: row.view.label.plain(),
        anchor: row.anchor.clone(),
    };
    let mut fields = Vec::new();
    for group in &endpoint.parameters {
        let rows = group.rows.iter().filter(|row| row.is_required);
        fields.extend(rows.map(|row| field(row, group.location.word())));
    }
    let media = endpoint.body.as_ref().map(|body| &body.media);
    if let Some(root) = media.and_then(|media| media.first()?.root.as_ref()) {
        let rows = root.view.contents.rows.iter().filter(|row| row.is_required);
        fields.extend(rows.map(|row| field(row, "body")));
    }
    fields
}

/// The first code sample of an endpoint, in its first variant.
fn sample(endpoint: &Endpoint) -> Option<Sample> {
    let sample = endpoint.samples.first()?;
    let variant = sample.variants.first()?;
    Some(Sample {
        language: sample.language.clone(),
        code: variant.source.clone(),
    })
}

/// The search text of a channel.
pub fn channel_text(channel: &Channel) -> SearchText {
    let mut words = vec![channel.name.clone(), channel.address.clone()];
    words.extend(path_words(&channel.address));
    words.extend(path_words(&channel.name));
    words.extend(channel.protocol.clone());
    words.extend(channel.tag.clone());
    words.extend(
        channel
            .exchanges
            .iter()
            .map(|exchange| exchange.key.clone()),
    );
    let mut groups = vec![schemes(&channel.security)];
    if !channel.parameters.is_empty() {
        let mut group = FieldGroup::new("parameters", "Parameters", "");
        for row in &channel.parameters {
            add_row(row, 1, &mut group);
        }
        groups.push(group);
    }
    groups.extend(channel.handshake.iter().map(parameters));
    for exchange in &channel.exchanges {
        let title = exchange.title.as_deref().unwrap_or(&exchange.key);
        if exchange.is_told() {
            // A passage without words is left out, and often there is only a summary.
            let about = match exchange.description.trim() {
                "" => title,
                about => about,
            };
            let heading = format!("{} {title}", exchange.direction.title());
            groups.push(FieldGroup::new(&exchange.anchor, heading, about));
        }
        groups.extend(exchange.messages.iter().map(message));
        let replies = exchange.reply.iter().flat_map(|reply| &reply.messages);
        groups.extend(replies.map(message));
    }
    groups.extend(channel.messages.iter().map(message));
    groups.iter_mut().for_each(FieldGroup::unite);
    // A message that goes both ways is found once.
    let mut known = HashSet::new();
    groups.retain(|group| {
        let heading = (group.title.clone(), group.description.clone());
        (!group.fields.is_empty() || !group.description.trim().is_empty())
            && known.insert((heading, group.fields.clone(), group.shared.clone()))
    });
    let mut seen = HashSet::new();
    words.retain(|word| !word.is_empty() && seen.insert(word.clone()));
    SearchText {
        title: channel.title.clone(),
        description: channel.description.clone(),
        words,
        address: Some(channel.address.clone()),
        tag: channel.tag.clone(),
        groups,
        ..SearchText::default()
    }
}

/// Returns the fields of a message, and its name where that is not its title.
fn message(message: &Message) -> FieldGroup {
    let mut group = FieldGroup::new(&message.anchor, &message.title, &message.description);
    for carried in [&message.headers, &message.payload] {
        match carried {
            Payload::Schema(root) => add_contents(&root.view.contents, 0, &mut group),
            Payload::Text { format, text, .. } => group.fields.push((format.clone(), text.clone())),
            Payload::None => {}
        }
    }
    if let Some(name) = &message.name {
        group.fields.insert(0, (name.clone(), String::new()));
    }
    group
}

/// The search text of the page that opens a reference.
pub fn introduction_text(page: &Introduction) -> SearchText {
    let mut about = FieldGroup::new("about", "About", "");
    let text_of = |named: &NameLink| match &named.href {
        Some(href) => link(&named.label, href),
        None => named.label.clone(),
    };
    let contact: Vec<String> = page.contact.iter().map(text_of).collect();
    let terms = page.terms.as_ref();
    let download = page.download.as_ref();
    let docs = page.external_docs.as_ref();
    let facts = [
        ("Version", page.version.clone()),
        ("License", page.license.as_ref().map(text_of)),
        (
            "Terms of service",
            terms.map(|terms| link(&terms.href, &terms.href)),
        ),
        ("Contact", (!contact.is_empty()).then(|| contact.join(", "))),
        ("Specification", download.map(|href| link(href, href))),
        ("More", docs.map(|docs| link(&docs.label, &docs.href))),
    ];
    let facts = facts.into_iter();
    let facts = facts.filter_map(|(name, fact)| Some((name.to_owned(), fact?)));
    about.fields = facts.collect();
    let mut servers = FieldGroup::new("servers", "Base URLs", "");
    for base in &page.servers {
        let mut about = base.name.clone().unwrap_or_default();
        if !base.description.is_empty() {
            about = format!("{about} {}", base.description).trim().to_owned();
        }
        servers.fields.push((base.server.url.clone(), about));
        for variable in &base.server.variables {
            let values = match variable.values.is_empty() {
                true => variable.default.clone(),
                false => variable.values.join(", "),
            };
            let about = format!("{} {values}", variable.description);
            let name = format!("{{{}}}", variable.name);
            servers.fields.push((name, about.trim().to_owned()));
        }
    }
    let mut schemes = FieldGroup::new("authentication", "Authorizations", "");
    for scheme in &page.schemes {
        schemes
            .fields
            .push((scheme.name.clone(), scheme_text(scheme)));
    }
    let listed = match page.has_channels {
        true => "Channels",
        false => "Operations",
    };
    let tags = page.tags.iter().map(|tag| {
        let mut group = FieldGroup::new(&tag.anchor, &tag.label, &tag.description);
        group.fields = match tag.beginning() {
            Some(first) => vec![(listed.to_owned(), link(&tag.count.to_string(), &first.href))],
            None => tag.pages.iter().map(entry).collect(),
        };
        group
    });
    let mut groups: Vec<FieldGroup> = [about, servers, schemes].into_iter().chain(tags).collect();
    groups.retain(|group| !group.fields.is_empty() || !group.description.trim().is_empty());
    let description = match page.summary.as_str() {
        "" => page.description.clone(),
        summary => format!("{summary}\n\n{}", page.description),
    };
    SearchText {
        title: page.title.clone(),
        description,
        groups,
        ..SearchText::default()
    }
}

/// The line that leads to the page of an operation.
fn entry(page: &OverviewPage) -> (String, String) {
    let method = page.method.clone().unwrap_or_default();
    (method, link(&page.title, &page.href))
}

fn link(label: &str, href: &str) -> String {
    format!(
        "[{}](<{href}>)",
        label.replace('[', "\\[").replace(']', "\\]")
    )
}

/// Returns the text about a scheme, with its flows and scopes.
fn scheme_text(scheme: &Scheme) -> String {
    let mut about = format!("{} {}", scheme.label, scheme.description);
    let SchemeKind::OAuth2 {
        flows,
        metadata_url,
    } = &scheme.kind
    else {
        return about;
    };
    if let Some(url) = metadata_url {
        about.push_str(&format!(" {url}"));
    }
    for flow in flows {
        let addresses = [&flow.authorization_url, &flow.device_url, &flow.token_url];
        let addresses: Vec<&str> = addresses
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        about.push_str(&format!(" {}: {}", flow.name, addresses.join(" ")));
        for scope in &flow.scopes {
            about.push_str(&format!(" `{}` {}", scope.name, scope.description));
        }
    }
    about
}

/// The search text of a data model.
pub fn model_text(model: &Model) -> SearchText {
    let mut group = FieldGroup::new("properties", "Properties", "");
    add_contents(&model.root.view.contents, 0, &mut group);
    group.unite();
    let mut text = SearchText {
        title: model.name.clone(),
        description: model.description.clone(),
        words: vec![model.name.clone()],
        groups: vec![group],
        ..SearchText::default()
    };
    text.groups.retain(|group| !group.fields.is_empty());
    text
}

/// Returns the search text of a component: a group for each depth, so that its users take as many
/// as are found there.
pub fn shared_text(rows: &SharedRows) -> SearchText {
    let mut groups = vec![FieldGroup::default(); MAX_DEPTH];
    add_by_depth(&rows.root.view.contents, 0, &mut groups);
    groups.iter_mut().for_each(FieldGroup::unite);
    SearchText {
        title: rows.name.clone(),
        groups,
        ..SearchText::default()
    }
}

fn add_by_depth(contents: &Contents, depth: usize, groups: &mut [FieldGroup]) {
    let Some(group) = groups.get_mut(depth) else {
        return;
    };
    group.fields.extend(contents.rows.iter().map(field_of));
    let branches = contents.choosers.iter().flat_map(|it| &it.branches);
    let nested_views = (branches.map(|branch| &branch.view))
        .chain(contents.blocks.iter().map(|block| &block.view));
    for view in nested_views {
        add_by_depth(&view.contents, depth, groups);
    }
    for row in &contents.rows {
        if let (Some(shared), Some(group)) = (&row.view.contents.shared, groups.get_mut(depth)) {
            group.shared.push(SharedFields {
                depth: depth + 1,
                pointer: shared.pointer.clone(),
                direction: shared.direction,
            });
        }
        add_by_depth(&row.view.contents, depth + 1, groups);
    }
}

fn schemes(security: &Security) -> FieldGroup {
    let mut group = FieldGroup::new("authorizations", "Authorizations", "");
    let alternatives = security.alternatives.iter();
    for scheme in alternatives.flat_map(|alternative| &alternative.schemes) {
        let about = format!("{} {}", scheme.label, scheme.description);
        group.fields.push((scheme.name.clone(), about));
    }
    group
}

fn parameters(parameters: &ParameterGroup) -> FieldGroup {
    let title = parameters.location.title();
    let mut group = FieldGroup::new(parameters.location.anchor(), title, "");
    for row in &parameters.rows {
        add_row(row, 1, &mut group);
    }
    group
}

fn callback(callback: &Callback) -> FieldGroup {
    let title = format!("Callback {}", callback.name);
    let mut group = FieldGroup::new(&callback.anchor, title, "");
    for request in &callback.requests {
        let title = request.title.as_deref().unwrap_or("");
        let about = format!("{title} {}", request.description);
        let name = format!("{} {}", request.method, request.expression);
        group.fields.push((name, about.trim().to_owned()));
    }
    group
}

fn add_media(media: &[MediaType], group: &mut FieldGroup) {
    for root in media.iter().filter_map(|media| media.root.as_ref()) {
        add_contents(&root.view.contents, 0, group);
    }
}

fn add_row(row: &Row, depth: usize, group: &mut FieldGroup) {
    if depth > MAX_DEPTH {
        return;
    }
    group.fields.push(field_of(row));
    add_contents(&row.view.contents, depth, group);
}

/// Name of a row, and its description.
fn field_of(row: &Row) -> (String, String) {
    let mut about = row.description.clone();
    for value in &row.view.values {
        about.push(' ');
        about.push_str(&value.text);
    }
    (row.name.text().to_owned(), about.trim().to_owned())
}

fn add_contents(contents: &Contents, depth: usize, group: &mut FieldGroup) {
    if let Some(shared) = &contents.shared {
        group.shared.push(SharedFields {
            depth,
            pointer: shared.pointer.clone(),
            direction: shared.direction,
        });
    }
    for row in &contents.rows {
        add_row(row, depth + 1, group);
    }
    for branch in contents
        .choosers
        .iter()
        .flat_map(|chooser| &chooser.branches)
    {
        add_contents(&branch.view.contents, depth, group);
    }
    for block in &contents.blocks {
        add_contents(&block.view.contents, depth, group);
    }
}

/// The words of a path: cut at `/`, `{}`, `-`, `_` and where small letters become capitals.
fn path_words(path: &str) -> Vec<String> {
    let mut words = Vec::new();
    for piece in path.split(['/', '{', '}', '-', '_', '.']) {
        let mut word = String::new();
        let mut was_lower = false;
        for c in piece.chars() {
            if c.is_uppercase() && was_lower {
                words.push(std::mem::take(&mut word));
            }
            was_lower = c.is_lowercase() || c.is_ascii_digit();
            word.push(c);
        }
        words.push(piece.to_owned());
        words.push(word);
    }
    words.retain(|word| !word.is_empty());
    words
}
