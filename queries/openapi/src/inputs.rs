//! Inputs of a reader for the values of a request.

use std::sync::Arc;

use serde_json::Value;

use super::code::{Payload, body_text};
use super::direction::Hidden;
use super::endpoint::{Location, SchemeKind};
use super::media::{Form, Format};
use super::merge::{Flat, Union};
use super::playground::{
    Credential, Input, InputBranch, InputField, Limit, Playground, PlaygroundBody, PlaygroundFlow,
    PlaygroundParameter, PlaygroundSample, PlaygroundScheme, PlaygroundScope, PlaygroundServer,
    PlaygroundVariable, SampleBody, SamplePart,
};
use super::request::{Draft, bare_requests, encodings};
use super::schema::{Additional, Bound, Discriminator, Schema, Type};
use super::serialize::Written;
use super::title;
use super::view::{Page, required_label};

/// Maximum nesting of inputs; deeper values are raw JSON.
const MAX_DEPTH: usize = 5;
/// Maximum number of inputs of one form.
const MAX_INPUTS: usize = 300;
/// Maximum nesting of objects, lists and unions in a form that would have more inputs; those within
/// are raw JSON. The first with few enough inputs is used.
const LESS_DEEP: [usize; 4] = [8, 4, 3, 2];

/// The playground of an operation.
pub(super) fn playground(page: &mut Page<'_, '_>, draft: &Draft<'_>) -> Playground {
    let servers = draft.servers.iter().map(|server| PlaygroundServer {
        url: server.url.clone(),
        label: server.label.clone(),
        relative: server.is_relative,
        variables: server
            .variables
            .iter()
            .map(|variable| PlaygroundVariable {
                name: variable.name.clone(),
                default: variable.default.clone(),
                values: variable.values.clone(),
            })
            .collect(),
    });
    let servers = servers.collect();
    let security = draft.security.alternatives.iter().map(|alternative| {
        let schemes = alternative.schemes.iter().map(|scheme| {
            let header = Some("Authorization".to_owned());
            let (kind, location, name) = match &scheme.kind {
                SchemeKind::ApiKey { location } => {
                    (Credential::Key, Some(*location), Some(scheme.name.clone()))
                }
                SchemeKind::Bearer { .. }
                | SchemeKind::OAuth2 { .. }
                | SchemeKind::OpenIdConnect { .. } => {
                    (Credential::Bearer, Some(Location::Header), header)
                }
                SchemeKind::Basic => (Credential::Basic, Some(Location::Header), header),
                _ => (Credential::None, None, None),
            };
            PlaygroundScheme {
                key: scheme.key.clone(),
                label: scheme.label.clone(),
                kind,
                location,
                name,
                prefill: scheme.prefill.clone(),
                flows: flows(&scheme.kind),
            }
        });
        schemes.collect()
    });
    let security = security.collect();
    let mut parameters = Vec::new();
    for parameter in draft.parameters {
        let is_text = parameter.spec.written == Written::Text;
        let input = match &parameter.schema {
            // A text has no fields to fill in.
            Some(schema) if is_text && is_composed(page, schema) => plain_text(),
            Some(schema) => form_of(page, schema, Hidden::Nothing),
            None => plain_text(),
        };
        let example = parameter
            .value
            .clone()
            .filter(|_| page.settings.is_prefilled);
        parameters.push(PlaygroundParameter {
            name: parameter.name.clone(),
            location: parameter.location,
            style: parameter.spec.style,
            explode: parameter.spec.explode,
            allow_reserved: parameter.spec.allow_reserved,
            allow_empty: parameter.allows_empty,
            json: parameter.spec.written == Written::Json,
            inner: parameter.spec.inner.iter().flatten().copied().collect(),
            content: match parameter.spec.written {
                Written::Form => Some("form"),
                Written::Text => Some("text"),
                Written::Style | Written::Property | Written::Json => None,
            },
            whole: parameter.spec.is_whole,
            required: parameter.row.is_required,
            input,
            prefill: parameter
                .prefill
                .clone()
                .or(example.filter(|_| parameter.is_authored)),
        });
    }
    let mut bodies = Vec::new();
    for form in draft.forms {
        let mut input = form
            .schema
            .as_ref()
            .map(|schema| form_of(page, schema, Hidden::ReadOnly));
        if let (Some(input), Some(schema), Format::Multipart) =
            (&mut input, &form.schema, Format::of(&form.media.name))
        {
            write_as_xml(page, input, schema, form);
        }
        let is_file = form.is_positional
            || input == Some(Input::File)
            || Format::of(&form.media.name) == Format::Binary && form.schema.is_none();
        let sample = form
            .media
            .examples
            .first()
            .map(|example| example.text.clone());
        bodies.push(PlaygroundBody {
            media: form.media.name.clone(),
            input: if is_file { Some(Input::File) } else { input },
            sample: sample.filter(|_| !is_file).unwrap_or_default(),
            encodings: encodings(page.schemas.document, form),
        });
    }
    // Where there is one way and one example, the samples as they are rendered have it.
    let ways = draft.security.alternatives.len() + usize::from(draft.security.is_optional);
    let has_examples = (draft.forms.iter()).any(|form| form.media.examples.len() > 1);
    let samples = match ways > 1 || has_examples {
        true => samples(page, draft, &bodies),
        false => Vec::new(),
    };
    Playground {
        samples,
        spec: String::new(),
        relay: page.settings.is_relayed,
        credentials: page.settings.sends_cookies,
        prefilled: page.settings.is_prefilled,
        body_required: draft.needs_body,
        security_optional: draft.security.is_optional,
        method: draft.method.to_owned(),
        path: draft.path.to_owned(),
        servers,
        security,
        parameters,
        drops_body: !bodies.is_empty() && matches!(draft.method, "GET" | "HEAD"),
        bodies,
        accept: draft.accept.clone(),
    }
}

/// Puts in parts that are XML as texts, which are sent as they are typed: a form makes JSON of objects and lists. One that is needed
/// begins with its sample.
fn write_as_xml(page: &mut Page<'_, '_>, input: &mut Input, schema: &Arc<Schema>, form: &Form) {
    let fields = match input {
        Input::Object { fields, .. } => fields,
        Input::Union { branches } => {
            for branch in branches {
                write_as_xml(page, &mut branch.input, schema, form);
            }
            return;
        }
        _ => return,
    };
    for field in fields {
        let encoding = form.encoding.get(&field.name);
        let kind = encoding.and_then(|encoding| encoding.get("contentType")?.as_str());
        let is_xml =
            kind.is_some_and(|kind| !kind.contains(['*', ',']) && Format::of(kind) == Format::Xml);
        let is_nested = |input: &Input| {
            matches!(
                input,
                Input::Object { .. } | Input::Union { .. } | Input::Json
            )
        };
        let text = Input::Text {
            kind: "text".to_owned(),
            multiline: true,
            min_length: None,
            max_length: None,
            patterns: Vec::new(),
        };
        match &mut field.input {
            Input::List { item, .. } if is_xml && is_nested(item) => **item = text,
            input if is_xml && is_nested(input) => {
                *input = text;
                let property = page.part_schema(schema, &field.name, 0);
                let sample = property.filter(|_| field.required).and_then(|property| {
                    let sample = page.schemas.sample(&property, Hidden::ReadOnly)?;
                    Some(page.schemas.xml(&property, &sample))
                });
                field.prefill = sample.map(Value::String);
            }
            _ => {}
        }
    }
}

/// The ways to get a token of a scheme.
fn flows(kind: &SchemeKind) -> Vec<PlaygroundFlow> {
    let SchemeKind::OAuth2 { flows, .. } = kind else {
        return Vec::new();
    };
    let flows = flows.iter().map(|flow| PlaygroundFlow {
        name: flow.name.clone(),
        authorization_url: flow.authorization_url.clone(),
        token_url: flow.token_url.clone(),
        refresh_url: flow.refresh_url.clone(),
        scopes: (flow.scopes.iter())
            .map(|scope| PlaygroundScope {
                name: scope.name.clone(),
                about: title::label(&scope.description),
                required: scope.is_required,
            })
            .collect(),
    });
    flows.collect()
}

/// The requests of the samples for whom another alternative or another example was chosen.
fn samples(
    page: &mut Page<'_, '_>,
    draft: &Draft<'_>,
    bodies: &[PlaygroundBody],
) -> Vec<PlaygroundSample> {
    let requests = bare_requests(page, draft).into_iter();
    let samples = requests.enumerate().map(|(index, request)| {
        let text = body_text(&request);
        let is_sample = text.is_some() && text.as_ref() == bodies.get(index).map(|one| &one.sample);
        let body = request.payload.map(|payload| match (payload, text) {
            _ if is_sample => SampleBody::Sample,
            (Payload::Multipart(parts), _) => {
                let parts = parts.into_iter().map(|part| SamplePart {
                    name: part.name,
                    text: part.text,
                    content_type: part.content_type,
                    headers: part.headers,
                });
                SampleBody::Parts(parts.collect())
            }
            (_, Some(text)) => SampleBody::Text(text),
            (_, None) => SampleBody::File,
        });
        PlaygroundSample {
            target: request.url,
            headers: request.headers,
            body,
        }
    });
    samples.collect()
}

/// Returns true if values of `schema` are lists or objects and nothing else.
fn is_composed(page: &mut Page<'_, '_>, schema: &Arc<Schema>) -> bool {
    let flat = page.schemas.flat(schema);
    let mut types = flat.schema.types.iter().flatten();
    types.clone().count() > 0
        && types.all(|kind| matches!(kind, Type::Array | Type::Object | Type::Null))
}

fn plain_text() -> Input {
    string_input(&Schema::default())
}

fn limit(bound: Option<&Bound>) -> Option<Limit> {
    bound.map(|bound| Limit {
        number: bound.number.clone(),
        exclusive: bound.is_exclusive,
    })
}

/// Returns the input for values of `schema`.
fn form_of(page: &mut Page<'_, '_>, schema: &Arc<Schema>, hidden: Hidden) -> Input {
    let mut most = usize::MAX;
    let mut less = LESS_DEEP.into_iter().peekable();
    loop {
        let mut inputs = Inputs {
            page,
            count: 0,
            depth: 0,
            limit: most,
            is_last: less.peek().is_none(),
        };
        let input = inputs.input(schema, hidden, &mut Vec::new());
        most = match less.next() {
            Some(less) if inputs.count > MAX_INPUTS => less,
            _ => return input,
        };
    }
}

struct Inputs<'p, 'a, 'd> {
    page: &'p mut Page<'a, 'd>,
    count: usize,
    /// Number of objects, lists and unions around the current input, and its maximum.
    depth: usize,
    limit: usize,
    /// Whether no form is less deep.
    is_last: bool,
}

impl Inputs<'_, '_, '_> {
    /// Returns true if the form has too many inputs, and a less deep one will be made.
    fn is_given_up(&self) -> bool {
        self.count > MAX_INPUTS && !self.is_last
    }

    fn input(&mut self, schema: &Arc<Schema>, hidden: Hidden, open: &mut Vec<Arc<str>>) -> Input {
        let flat = self.page.schemas.flat(schema);
        self.count += 1;
        let is_open = flat.trail.iter().any(|pointer| open.contains(pointer));
        if is_open || open.len() > MAX_DEPTH * 4 || self.count > MAX_INPUTS {
            return Input::Json;
        }
        let merged = flat.schema.clone();
        if let Some(values) = &merged.values {
            let values = values.clone();
            return Input::Choice { values };
        }
        if merged.is_binary {
            return Input::File;
        }
        let length = open.len();
        open.extend(flat.trail.iter().cloned());
        self.depth += 1;
        let input = self.expanded_input(&merged, &flat, hidden, open);
        self.depth -= 1;
        open.truncate(length);
        input
    }

    fn expanded_input(
        &mut self,
        schema: &Schema,
        flat: &Flat,
        hidden: Hidden,
        open: &mut Vec<Arc<str>>,
    ) -> Input {
        let is_deepest = self.depth > self.limit;
        let unions = self.page.schemas.choices(flat);
        if is_deepest && !unions.is_empty() {
            return Input::Json;
        }
        if let [union] = unions.as_slice() {
            let input = match schema.properties.is_empty() {
                true => Some(self.union(flat, union, hidden, open)),
                false => self.union_with_members(flat, union, hidden, open),
            };
            return input.unwrap_or(Input::Json);
        }
        if !unions.is_empty() {
            return Input::Json;
        }
        let types = schema.types.clone().unwrap_or_default();
        let types: Vec<Type> = types
            .into_iter()
            .filter(|kind| *kind != Type::Null)
            .collect();
        match types.as_slice() {
            [Type::String] => string_input(schema),
            [kind @ (Type::Integer | Type::Number)] => Input::Number {
                integer: *kind == Type::Integer,
                min: limit(schema.min.as_ref()),
                max: limit(schema.max.as_ref()),
            },
            [Type::Boolean] => Input::Boolean,
            [Type::Array | Type::Object] if is_deepest => Input::Json,
            [Type::Array] => match &schema.items {
                Some(items) => {
                    let item = Box::new(self.input(items, hidden, open));
                    Input::List {
                        item,
                        min_items: schema.min_items,
                        max_items: schema.max_items,
                    }
                }
                None => Input::Json,
            },
            // Each of its fields would be raw JSON: it is, as a whole.
            [Type::Object] if open.len() > MAX_DEPTH * 4 => Input::Json,
            [Type::Object] => {
                let (fields, others) = self.members(schema, hidden, open);
                if fields.is_empty() && others.is_none() {
                    return Input::Json;
                }
                Input::Object { fields, others }
            }
            _ => Input::Json,
        }
    }

    /// The fields of an object, and what other keys hold.
    fn members(
        &mut self,
        schema: &Schema,
        hidden: Hidden,
        open: &mut Vec<Arc<str>>,
    ) -> (Vec<InputField>, Option<Box<Input>>) {
        let mut fields = Vec::new();
        for (name, property) in &schema.properties {
            if self.is_given_up() {
                break;
            }
            let inner = self.page.schemas.flat(property);
            if hidden.hides(&inner.schema) {
                continue;
            }
            let prefill = inner.schema.extras.get("x-default").cloned();
            fields.push(InputField {
                name: name.clone(),
                required: schema.required.contains(name),
                input: self.input(property, hidden, open),
                prefill: prefill.or_else(|| inner.schema.default.clone()),
            });
        }
        let others = match &schema.additional {
            Some(Additional::Schema(other)) => Some(Box::new(self.input(other, hidden, open))),
            _ => None,
        };
        (fields, others)
    }

    /// A union without properties beside it.
    fn union(
        &mut self,
        enclosing: &Flat,
        union: &Union,
        hidden: Hidden,
        open: &mut Vec<Arc<str>>,
    ) -> Input {
        let mut branches: Vec<InputBranch> = Vec::new();
        for (index, branch) in self.page.schemas.branches(union).iter().enumerate() {
            if self.is_given_up() {
                break;
            }
            let flat = self.page.schemas.flat(branch);
            let whole = self.page.schemas.conjoined(enclosing, branch);
            let mut input = self.input(&whole, hidden, open);
            if let (Input::Object { fields, .. }, Some(discriminator)) =
                (&mut input, &union.discriminator)
            {
                let values = (self.page.schemas).discriminator_values(discriminator, branch);
                decide(fields, discriminator, &values);
            }
            let label = branch_label(&flat, index);
            branches.push(InputBranch { label, input });
        }
        // If every branch is raw JSON, the choice makes no difference.
        if branches.iter().all(|branch| branch.input == Input::Json) {
            return Input::Json;
        }
        Input::Union { branches }
    }

    /// A union beside properties: each branch has those, too. `None` if that cannot be a form: a branch is no plain object, or
    /// the form would be too large.
    fn union_with_members(
        &mut self,
        enclosing: &Flat,
        union: &Union,
        hidden: Hidden,
        open: &mut Vec<Arc<str>>,
    ) -> Option<Input> {
        let (common, _) = self.members(&enclosing.schema, hidden, open);
        let listed = self.page.schemas.branches(union);
        if common.len() * listed.len() > MAX_INPUTS {
            return None;
        }
        let mut branches = Vec::new();
        for (index, branch) in listed.iter().enumerate() {
            let flat = self.page.schemas.flat(branch);
            let merged = flat.schema.clone();
            let types = merged.types.as_ref();
            let is_object = types.is_none_or(|types| types.contains(&Type::Object));
            let is_open = flat.trail.iter().any(|pointer| open.contains(pointer));
            let has_choices = !self.page.schemas.choices(&flat).is_empty();
            if !is_object || is_open || has_choices || merged.values.is_some() {
                return None;
            }
            let length = open.len();
            open.extend(flat.trail.iter().cloned());
            let whole = self.page.schemas.conjoined(enclosing, branch);
            let mut whole = (*self.page.schemas.flat(&whole).schema).clone();
            // What the branch does not change is put in as beside the union.
            let is_changed = |(name, property): &(String, Arc<Schema>)| {
                let common = enclosing.schema.property(name);
                common.is_none_or(|common| common.pointer != property.pointer)
            };
            whole.properties.retain(is_changed);
            let (own, others) = self.members(&whole, hidden, open);
            open.truncate(length);
            let is_own = |field: &InputField| own.iter().any(|one| one.name == field.name);
            let shared = common.iter().filter(|field| !is_own(field)).cloned();
            let mut fields: Vec<InputField> = shared.chain(own.iter().cloned()).collect();
            for field in &mut fields {
                field.required = whole.required.contains(&field.name);
            }
            if let Some(discriminator) = &union.discriminator {
                let values = (self.page.schemas).discriminator_values(discriminator, branch);
                decide(&mut fields, discriminator, &values);
            }
            let label = match self.page.required_alone(enclosing, &flat, hidden) {
                names if !names.is_empty() && flat.schema.title.is_none() => required_label(&names),
                _ => branch_label(&flat, index),
            };
            branches.push(InputBranch {
                label,
                input: Input::Object { fields, others },
            });
        }
        Some(Input::Union { branches })
    }
}

/// Returns the label of a branch in its chooser.
fn branch_label(flat: &Flat, index: usize) -> String {
    let label = flat.schema.title.clone().or(flat.name.clone());
    label.unwrap_or_else(|| format!("Option {}", index + 1))
}

/// Gives the property that decides between branches the values that choose this one.
fn decide(fields: &mut [InputField], discriminator: &Discriminator, values: &[String]) {
    let decides = |field: &&mut InputField| field.name == discriminator.property;
    if let (Some(field), false) = (fields.iter_mut().find(decides), values.is_empty()) {
        let values = values.iter().cloned().map(Value::String);
        field.input = Input::Choice {
            values: values.collect(),
        };
    }
}

fn string_input(schema: &Schema) -> Input {
    let kind = match schema.formats.first().map(String::as_str) {
        Some("password") => "password",
        Some("date") => "date",
        Some("date-time") => "datetime-local",
        Some("email") => "email",
        Some("uri" | "url") => "url",
        _ => "text",
    };
    let has_break = |value: &Value| value.as_str().is_some_and(|text| text.contains('\n'));
    let is_long = schema.max_length.is_some_and(|max| max > 200);
    let has_lines = schema.default.iter().chain(&schema.examples).any(has_break);
    Input::Text {
        kind: kind.to_owned(),
        multiline: (is_long || has_lines) && kind == "text",
        min_length: schema.min_length,
        max_length: schema.max_length,
        patterns: schema.patterns.clone(),
    }
}
