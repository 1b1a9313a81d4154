//! Descriptions of the keys of the frontmatter, for the manual and for editors.

/// Groups of keys, each under a line with its name: a key, its type, what it does and an example
/// value, separated by tabs, in the order of the manual.
const FIELDS: &str = include_str!("fields.txt");

/// A key of the frontmatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name of its group.
    pub group: &'static str,
    /// Name as authors write it. `og:…` is any name that begins so.
    pub name: &'static str,
    /// Type: `text`, `date`, `address`, `number`, `list`, `object`, `true or false`, or words
    /// separated by commas.
    pub kind: &'static str,
    /// What the key does, in Markdown.
    pub about: &'static str,
    /// An example value, in YAML.
    pub example: &'static str,
}

/// Returns the keys in the order of the manual.
pub fn fields() -> impl Iterator<Item = Field> {
    let mut group = "";
    FIELDS.lines().filter_map(move |line| {
        if let Some(name) = line.strip_prefix("# ") {
            group = name;
            return None;
        }
        let mut parts = line.split('\t');
        Some(Field {
            group,
            name: parts.next()?,
            kind: parts.next()?,
            about: parts.next()?,
            example: parts.next()?,
        })
    })
}

/// Returns what the key `name` does.
pub fn description(name: &str) -> Option<&'static str> {
    let of_name = |field: &Field| match field.name.strip_suffix('…') {
        Some(begin) => name.starts_with(begin),
        None => field.name == name,
    };
    fields().find(of_name).map(|field| field.about)
}

/// Returns the names of the keys that have one name only.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let names = fields().map(|field| field.name);
    names.filter(|name| !name.ends_with('…'))
}
