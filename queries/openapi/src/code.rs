//! Code that sends a request, in many languages.
//!
//! Each sample sends exactly the request that it is given: the address is percent-encoded already, headers are complete
//! (but for `multipart/form-data`, whose boundary the client chooses), texts are escaped by the rules of the language.

mod compiled;
mod managed;
mod quote;
mod script;
mod shell;

use serde_json::Value;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// In upper case.
    pub method: String,
    /// The whole address, encoded.
    pub url: String,
    /// Headers in the order in which they are sent, `Content-Type` among them.
    pub headers: Vec<(String, String)>,
    /// What is sent.
    pub payload: Option<Payload>,
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// JSON.
    Json(Value),
    /// Text as it is: XML, forms, whatever.
    Text(String),
    /// A form in parts.
    Multipart(Vec<Part>),
    /// The bytes of a file.
    File,
}

/// A part of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name.
    pub name: String,
    /// What it holds; `None` is a file.
    pub text: Option<String>,
    /// Media type, where it is not the usual one.
    pub content_type: Option<String>,
}

impl Part {
    /// What stands between the boundary and the content (RFC 7578, 4.2).
    fn head(&self) -> String {
        let file = match self.text {
            None => "; filename=\"file\"",
            Some(_) => "",
        };
        let kind = self.content_type.as_deref();
        let kind = kind
            .map(|kind| format!("Content-Type: {kind}\r\n"))
            .unwrap_or_default();
        format!(
            "\r\nContent-Disposition: form-data; name=\"{}\"{file}\r\n{kind}\r\n",
            self.name
        )
    }
}

impl Request {
    /// The body as text, JSON indented by two spaces; `None` for files, forms in parts and requests without a body.
    fn body_text(&self) -> Option<String> {
        match self.payload.as_ref()? {
            Payload::Json(value) => serde_json::to_string_pretty(value).ok(),
            Payload::Text(text) => Some(text.clone()),
            Payload::Multipart(_) | Payload::File => None,
        }
    }

    fn parts(&self) -> Option<&[Part]> {
        match &self.payload {
            Some(Payload::Multipart(parts)) => Some(parts),
            _ => None,
        }
    }

    fn is_file(&self) -> bool {
        self.payload == Some(Payload::File)
    }
}

/// A language of code samples.
pub struct Language {
    /// Name in the configuration.
    pub id: &'static str,
    /// Tab.
    pub label: &'static str,
    /// Name for coloring.
    pub highlight: &'static str,
    write: fn(&Request) -> String,
}

impl Language {
    /// The code that sends `request`, without a line break at its end.
    pub fn sample(&self, request: &Request) -> String {
        (self.write)(request).trim_end().to_owned()
    }
}

macro_rules! languages {
    ($($id:literal $label:literal $highlight:literal $write:path,)+) => {
        /// Every language.
        pub const LANGUAGES: &[Language] = &[
            $(Language { id: $id, label: $label, highlight: $highlight, write: $write },)+
        ];
    };
}

languages! {
    "curl" "cURL" "bash" shell::curl,
    "python" "Python" "python" script::python,
    "javascript" "JavaScript" "javascript" script::javascript,
    "node" "Node.js" "javascript" script::node,
    "php" "PHP" "php" script::php,
    "go" "Go" "go" compiled::go,
    "java" "Java" "java" managed::java,
    "ruby" "Ruby" "ruby" script::ruby,
    "csharp" "C#" "csharp" managed::csharp,
    "powershell" "PowerShell" "powershell" shell::powershell,
    "swift" "Swift" "swift" compiled::swift,
    "kotlin" "Kotlin" "kotlin" managed::kotlin,
    "rust" "Rust" "rust" compiled::rust,
    "typescript" "TypeScript" "typescript" script::typescript,
    "dart" "Dart" "dart" managed::dart,
    "c" "C" "c" compiled::c,
    "httpie" "HTTPie" "bash" shell::httpie,
    "wget" "Wget" "bash" shell::wget,
    "http" "HTTP" "http" shell::http,
}

/// The languages that a site has unless it says others, in order.
pub const DEFAULT: &[&str] = &["curl", "python", "javascript", "php", "go", "java", "ruby"];

/// The language that a configuration or an author names, under its own name or a usual one.
pub fn language(name: &str) -> Option<&'static Language> {
    let name = name.to_lowercase();
    let id = match name.as_str() {
        "bash" | "shell" | "sh" | "shell-session" | "cli" => "curl",
        "py" | "python3" => "python",
        "js" | "fetch" => "javascript",
        "nodejs" | "node.js" => "node",
        "golang" => "go",
        "rb" => "ruby",
        "c#" | "cs" | "dotnet" | ".net" => "csharp",
        "ps" | "ps1" | "pwsh" => "powershell",
        "kt" => "kotlin",
        "rs" => "rust",
        "ts" => "typescript",
        "libcurl" => "c",
        other => other,
    };
    LANGUAGES.iter().find(|language| language.id == id)
}
