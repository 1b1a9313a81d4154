//! Endpoints that an author describes in MDX (`api:` of a page, SPEC 2.6), turned into the document that they would be.
//!
//! What is rendered around the author's own fields (address, authorization, samples) is then made
//! as for any operation.

use serde_json::{Map, Value, json};

use config::api::{AuthConfig, AuthMethod};
use lint::placeholders;
use mdx::{AttributeValue, Document, Element, Fragment};

/// A parameter or a member of the body, as `<ParamField>` describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualField {
    /// `query`, `path`, `header`, `cookie` or `body`.
    pub location: &'static str,
    /// Name.
    pub name: String,
    /// Type as written.
    pub kind: Option<String>,
    /// Whether it must be there.
    pub required: bool,
    /// Value unless another is given.
    pub default: Option<String>,
    /// The members of an object, or of the items of a list: the fields in it, at any depth of other elements.
    pub members: Vec<ManualField>,
    /// The byte offset of its tag in the file: for diagnostics only.
    pub at: usize,
}

/// Why a page has no endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManualFault {
    /// `api:` is not a method and an address.
    Unreadable,
    /// There is no such method of HTTP.
    UnknownMethod(String),
    /// The address is relative and no `server` is set.
    ServerMissing,
}

/// A page's endpoint as a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualDocument {
    /// The document.
    pub value: Value,
    /// The pointer of its operation.
    pub pointer: String,
    /// The parameters of the path that the author did not describe.
    pub undescribed: Vec<String>,
    /// The fields of parameters that the path does not have: names, and where their tags are.
    pub unused: Vec<(String, usize)>,
}

/// The methods of HTTP that an address can be asked with (RFC 9110, 9; RFC 5789; QUERY).
pub const METHODS: [&str; 9] = [
    "get", "post", "put", "patch", "delete", "head", "options", "trace", "query",
];

const LOCATIONS: [&str; 5] = ["query", "path", "header", "cookie", "body"];

/// The fields of a page, in the order written.
pub fn fields(document: &Document) -> Vec<ManualField> {
    let mut found = Vec::new();
    add_fields(document, &document.root, None, &mut found);
    found
}

/// Adds the fields in `fragment` and in elements of it that are none themselves, such as `<Expandable>`. Those in a field are
/// members of it (`enclosing` says where it is sent), whatever place they name.
fn add_fields(
    document: &Document,
    fragment: &Fragment,
    enclosing: Option<&'static str>,
    found: &mut Vec<ManualField>,
) {
    for element in document.elements_in(fragment) {
        let is_field = matches!(element.name.as_str(), "ParamField" | "Param");
        let field = is_field
            .then(|| field(document, element, enclosing))
            .flatten();
        match field {
            Some(field) => found.push(field),
            None => add_fields(document, &element.children, enclosing, found),
        }
    }
}

fn field(
    document: &Document,
    element: &Element,
    enclosing: Option<&'static str>,
) -> Option<ManualField> {
    let value = |name: &str| {
        let attribute = element
            .attributes
            .iter()
            .find(|attribute| attribute.name == name)?;
        Some(match &attribute.value {
            AttributeValue::Absent => "true".to_owned(),
            AttributeValue::Text(text) => text.clone(),
            AttributeValue::Expression(source) => {
                source.trim().trim_matches(['"', '\'', '`']).to_owned()
            }
        })
    };
    let (location, name) = LOCATIONS
        .into_iter()
        .find_map(|place| Some((place, value(place)?)))
        .or_else(|| Some((enclosing?, value("name")?)))?;
    let location = enclosing.unwrap_or(location);
    let mut members = Vec::new();
    add_fields(document, &element.children, Some(location), &mut members);
    Some(ManualField {
        location,
        name,
        members,
        at: element.at,
        kind: value("type"),
        required: value("required").is_some_and(|required| required != "false"),
        default: value("default").or_else(|| value("initialValue")),
    })
}

/// The document that `api:` and the fields of a page describe.
pub fn document(
    api: &str,
    title: &str,
    servers: &[String],
    auth: Option<&AuthConfig>,
    fields: &[ManualField],
) -> Result<ManualDocument, ManualFault> {
    let (method, address) = api
        .trim()
        .split_once(char::is_whitespace)
        .ok_or(ManualFault::Unreadable)?;
    let (method, address) = (method.to_ascii_lowercase(), address.trim());
    if !method.chars().all(|c| c.is_ascii_lowercase()) || address.is_empty() {
        return Err(ManualFault::Unreadable);
    }
    if !METHODS.contains(&&*method) {
        return Err(ManualFault::UnknownMethod(method.to_ascii_uppercase()));
    }
    let (servers, path) = match address.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            (vec![format!("{scheme}://{host}")], format!("/{path}"))
        }
        None if servers.is_empty() => return Err(ManualFault::ServerMissing),
        None => (
            servers.to_vec(),
            format!("/{}", address.trim_start_matches('/')),
        ),
    };
    let mut parameters = Vec::new();
    let mut undescribed = Vec::new();
    for name in placeholders(&path) {
        if !fields
            .iter()
            .any(|field| field.location == "path" && field.name == name)
        {
            undescribed.push(name.to_owned());
            parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
        }
    }
    let is_unused = |field: &&ManualField| {
        field.location == "path" && !placeholders(&path).any(|name| name == field.name)
    };
    let unused = fields.iter().filter(is_unused);
    let unused = unused.map(|field| (field.name.clone(), field.at)).collect();
    let mut body = Vec::new();
    for field in fields.iter().filter(|field| !is_unused(field)) {
        if field.location == "body" {
            body.push(field);
        } else {
            let schema = schema_of(field);
            let is_required = field.required || field.location == "path";
            parameters.push(json!({
                "name": field.name, "in": field.location, "required": is_required, "schema": schema,
            }));
        }
    }
    let mut operation = json!({ "summary": title, "parameters": parameters, "responses": {} });
    if !body.is_empty() {
        let schema = object(body.into_iter());
        operation["requestBody"] =
            json!({ "content": { "application/json": { "schema": schema } } });
    }
    let mut value = json!({
        "openapi": "3.1.0",
        "info": { "title": title, "version": "1" },
        "servers": servers.iter().map(|url| json!({ "url": url })).collect::<Vec<_>>(),
    });
    if let Some(scheme) = auth.and_then(scheme) {
        operation["security"] = json!([{ "auth": [] }]);
        value["components"] = json!({ "securitySchemes": { "auth": scheme } });
    }
    let pointer = ["paths", &path, &method]
        .iter()
        .fold(String::new(), |pointer, segment| {
            base::data::pointer::child(&pointer, segment)
        });
    value["paths"] = json!({ path: { method: operation } });
    Ok(ManualDocument {
        value,
        pointer,
        undescribed,
        unused,
    })
}

/// The schema of an object with these members.
fn object<'f>(members: impl Iterator<Item = &'f ManualField>) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in members {
        if field.required {
            required.push(field.name.clone());
        }
        properties.insert(field.name.clone(), schema_of(field));
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The schema of a field: its type, with its members where it has some.
fn schema_of(field: &ManualField) -> Value {
    let mut schema = schema(field.kind.as_deref());
    if !field.members.is_empty() {
        // Members are those of what a list holds, at any depth of lists.
        let mut at = &mut schema;
        while at["type"] == "array" {
            if at.get("items").is_none() {
                at["items"] = Value::Null;
            }
            at = &mut at["items"];
        }
        *at = object(field.members.iter());
    }
    if let (Some(default), Value::Object(schema)) = (&field.default, &mut schema) {
        let parsed = serde_json::from_str(default).unwrap_or_else(|_| default.as_str().into());
        schema.insert("default".to_owned(), parsed);
    }
    schema
}

/// The schema that a type in words means: `string`, `integer[]`, `"asc" | "desc"`.
fn schema(kind: Option<&str>) -> Value {
    let kind = kind.unwrap_or("string").trim();
    if let Some(item) = kind.strip_suffix("[]") {
        return json!({ "type": "array", "items": schema(Some(item)) });
    }
    if let Some(item) = kind
        .strip_prefix("array<")
        .and_then(|rest| rest.strip_suffix('>'))
    {
        return json!({ "type": "array", "items": schema(Some(item)) });
    }
    match kind.to_ascii_lowercase().as_str() {
        "integer" | "int" => json!({ "type": "integer" }),
        "number" | "float" | "double" => json!({ "type": "number" }),
        "boolean" | "bool" => json!({ "type": "boolean" }),
        "object" => json!({ "type": "object" }),
        "array" => json!({ "type": "array" }),
        "file" => json!({ "type": "string", "format": "binary" }),
        _ => json!({ "type": "string" }),
    }
}

fn scheme(auth: &AuthConfig) -> Option<Value> {
    let name = auth.name.as_deref();
    match auth.method? {
        AuthMethod::Bearer => Some(json!({ "type": "http", "scheme": "bearer" })),
        AuthMethod::Basic => Some(json!({ "type": "http", "scheme": "basic" })),
        AuthMethod::Key => {
            Some(json!({ "type": "apiKey", "in": "header", "name": name.unwrap_or("x-api-key") }))
        }
        AuthMethod::Cobo => {
            Some(json!({ "type": "apiKey", "in": "header", "name": name.unwrap_or("Biz-Api-Key") }))
        }
        AuthMethod::None => None,
    }
}

#[cfg(test)]
mod tests {
    use base::path::SitePath;
    use mdx::Dollars;

    use super::*;

    fn field(location: &'static str, name: &str, kind: &str) -> ManualField {
        ManualField {
            location,
            name: name.to_owned(),
            kind: Some(kind.to_owned()),
            required: true,
            default: None,
            members: Vec::new(),
            at: 0,
        }
    }

    #[test]
    fn a_full_address_needs_no_server() {
        let result = document(
            "post https://api.x.io/v1/a/{id}",
            "T",
            &["https://no".to_owned()],
            None,
            &[field("body", "n", "integer[]")],
        )
        .unwrap();
        assert_eq!(result.pointer, "/paths/~1v1~1a~1{id}/post");
        assert_eq!(result.undescribed, ["id"]);
        assert_eq!(
            result.value["servers"],
            json!([{ "url": "https://api.x.io" }])
        );
        let body = result.value.pointer(&format!(
            "{}/requestBody/content/application~1json/schema",
            result.pointer
        ));
        assert_eq!(
            body,
            Some(
                &json!({ "type": "object", "properties": { "n": { "type": "array", "items": { "type": "integer" } } }, "required": ["n"] })
            )
        );
    }

    #[test]
    fn a_relative_address_needs_a_server() {
        let servers = ["https://api.x.io/v1".to_owned()];
        let made = document("GET /a", "T", &servers, None, &[]).unwrap();
        assert_eq!(made.value["servers"][0]["url"], "https://api.x.io/v1");
        assert_eq!(
            document("GET /a", "T", &[], None, &[]),
            Err(ManualFault::ServerMissing)
        );
        assert_eq!(
            document("users", "T", &servers, None, &[]),
            Err(ManualFault::Unreadable)
        );
        assert_eq!(
            document("GTE /a", "T", &servers, None, &[]),
            Err(ManualFault::UnknownMethod("GTE".to_owned()))
        );
    }

    /// The operation of a page with these fields.
    fn operation(api: &str, fields_of: &str) -> (Value, ManualDocument) {
        let path = SitePath::new("a.mdx").unwrap();
        let fields = fields(&mdx::parse_with(&path, fields_of, Dollars::default()));
        let made = document(api, "T", &[], None, &fields).unwrap();
        (made.value.pointer(&made.pointer).unwrap().clone(), made)
    }

    fn body(fields: &str) -> Value {
        let (operation, _) = operation("POST https://a/b", fields);
        operation["requestBody"]["content"]["application/json"]["schema"].clone()
    }

    #[test]
    fn fields_in_a_field_are_its_members() {
        let fields = r#"<ParamField body="user" type="object" required>
  Who.
  <Expandable title="properties">
    <ParamField body="name" type="string" required>Name.</ParamField>
    <ParamField body="address" type="object">
      <Expandable><ParamField name="city" type="string" default="Rome" /></Expandable>
    </ParamField>
  </Expandable>
</ParamField>
<ParamField body="count" type="integer" />
"#;
        let text = json!({ "type": "string" });
        let address = json!({ "type": "object", "properties": { "city": { "type": "string", "default": "Rome" } }, "required": [] });
        assert_eq!(
            body(fields),
            json!({ "type": "object", "required": ["user"], "properties": {
                "user": { "type": "object", "required": ["name"], "properties": { "name": text, "address": address } },
                "count": { "type": "integer" },
            } })
        );
    }

    #[test]
    fn members_of_a_list_are_those_of_its_items() {
        for kind in ["object[]", "array<object>", "array"] {
            let fields = format!(
                r#"<ParamField body="items" type="{kind}"><Expandable><ParamField body="id" type="integer" required /></Expandable></ParamField>"#
            );
            let item = json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "integer" } } });
            assert_eq!(
                body(&fields)["properties"]["items"],
                json!({ "type": "array", "items": item }),
                "{kind}"
            );
        }
    }

    #[test]
    fn fields_in_other_elements_are_fields_of_the_request() {
        let (operation, _) = operation(
            "GET https://a/b",
            r#"<Expandable title="more"><ParamField query="limit" type="integer" /></Expandable>"#,
        );
        assert_eq!(operation["parameters"][0]["name"], "limit");
    }

    #[test]
    fn a_field_of_the_path_that_the_path_does_not_have_is_found() {
        let (operation, made) = operation(
            "GET https://a/b/{id}",
            "<ParamField path=\"id\" />\n\n<ParamField path=\"ide\" />\n",
        );
        assert_eq!(operation["parameters"].as_array().unwrap().len(), 1);
        assert_eq!(made.unused, [("ide".to_owned(), 26)]);
    }
}
