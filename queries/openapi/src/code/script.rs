//! Scripting languages.

use super::quote::{COMMON, RUBY, Words, double, indented, is_native, native, single};
use super::{Payload, Request};

const PYTHON: Words = Words {
    yes: "True",
    no: "False",
    null: "None",
};
const JAVASCRIPT: Words = Words {
    yes: "true",
    no: "false",
    null: "null",
};

fn js(text: &str) -> String {
    double(text, COMMON)
}

pub(super) fn python(request: &Request) -> String {
    let mut lines = vec![
        "import requests".to_owned(),
        String::new(),
        format!("url = {}", js(&request.url)),
    ];
    let mut arguments = vec!["url".to_owned()];
    if !request.headers.is_empty() {
        let headers = request.headers.iter();
        let headers: Vec<String> = headers
            .map(|(name, value)| format!("    {}: {}", js(name), js(value)))
            .collect();
        lines.push(format!("headers = {{\n{},\n}}", headers.join(",\n")));
        arguments.push("headers=headers".to_owned());
    }
    match &request.payload {
        Some(Payload::Json(value)) if is_native(value) => {
            lines.push(format!("payload = {}", native(value, PYTHON, 0, 4)));
            arguments.push("json=payload".to_owned());
        }
        Some(Payload::Multipart(parts)) => {
            let parts = parts.iter().map(|part| {
                let content = match (&part.text, &part.content_type) {
                    (Some(text), None) => format!("(None, {})", js(text)),
                    (Some(text), Some(kind)) => format!("(None, {}, {})", js(text), js(kind)),
                    (None, None) => "(\"file\", open(\"file\", \"rb\"))".to_owned(),
                    (None, Some(kind)) => {
                        format!("(\"file\", open(\"file\", \"rb\"), {})", js(kind))
                    }
                };
                format!("    ({}, {content}),", js(&part.name))
            });
            lines.push(format!(
                "files = [\n{}\n]",
                parts.collect::<Vec<_>>().join("\n")
            ));
            arguments.push("files=files".to_owned());
        }
        Some(Payload::File) => {
            lines.push("data = open(\"file\", \"rb\")".to_owned());
            arguments.push("data=data".to_owned());
        }
        Some(_) => {
            let text = request.body_text().unwrap_or_default();
            lines.push(format!("data = {}.encode()", js(&text)));
            arguments.push("data=data".to_owned());
        }
        None => {}
    }
    let call = match request.method.as_str() {
        "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS" => {
            format!(
                "requests.{}({})",
                request.method.to_lowercase(),
                arguments.join(", ")
            )
        }
        method => format!("requests.request({}, {})", js(method), arguments.join(", ")),
    };
    lines.extend([
        String::new(),
        format!("response = {call}"),
        String::new(),
        "print(response.text)".to_owned(),
    ]);
    lines.join("\n")
}

/// Where the bytes of a file come from.
enum Files {
    /// A field of the page.
    Page,
    /// The disk.
    Disk,
}

fn fetch(request: &Request, files: &Files) -> String {
    let mut lines = Vec::new();
    let has_file = request.is_file()
        || request
            .parts()
            .is_some_and(|parts| parts.iter().any(|part| part.text.is_none()));
    if has_file {
        match files {
            Files::Page => lines.push(
                "const file = document.querySelector(\"input[type=file]\").files[0];".to_owned(),
            ),
            Files::Disk => {
                lines.push("import { openAsBlob } from \"node:fs\";\n".to_owned());
                lines.push("const file = await openAsBlob(\"file\");".to_owned());
            }
        }
    }
    let mut options = Vec::new();
    if request.method != "GET" {
        options.push(format!("  method: {},", js(&request.method)));
    }
    if !request.headers.is_empty() {
        let headers = request.headers.iter();
        let headers: Vec<String> = headers
            .map(|(name, value)| format!("    {}: {},", js(name), js(value)))
            .collect();
        options.push(format!("  headers: {{\n{}\n  }},", headers.join("\n")));
    }
    match &request.payload {
        Some(Payload::Json(value)) if is_native(value) => {
            options.push(format!(
                "  body: JSON.stringify({}),",
                native(value, JAVASCRIPT, 2, 2)
            ));
        }
        Some(Payload::Multipart(parts)) => {
            lines.push("const form = new FormData();".to_owned());
            for part in parts {
                let name = js(&part.name);
                lines.push(match (&part.text, &part.content_type) {
                    (Some(text), None) => format!("form.append({name}, {});", js(text)),
                    (Some(text), Some(kind)) => {
                        format!(
                            "form.append({name}, new Blob([{}], {{ type: {} }}));",
                            js(text),
                            js(kind)
                        )
                    }
                    (None, None) => format!("form.append({name}, file, \"file\");"),
                    (None, Some(kind)) => {
                        format!(
                            "form.append({name}, new Blob([file], {{ type: {} }}), \"file\");",
                            js(kind)
                        )
                    }
                });
            }
            options.push("  body: form,".to_owned());
        }
        Some(Payload::File) => options.push("  body: file,".to_owned()),
        Some(_) => {
            let text = request.body_text().unwrap_or_default();
            options.push(format!("  body: {},", js(&text)));
        }
        None => {}
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    let options = match options.is_empty() {
        true => String::new(),
        false => format!(", {{\n{}\n}}", options.join("\n")),
    };
    lines.push(format!(
        "const response = await fetch({}{options});",
        js(&request.url)
    ));
    lines.push(String::new());
    lines.push("console.log(await response.text());".to_owned());
    lines.join("\n")
}

pub(super) fn javascript(request: &Request) -> String {
    fetch(request, &Files::Page)
}

pub(super) fn node(request: &Request) -> String {
    fetch(request, &Files::Disk)
}

pub(super) fn typescript(request: &Request) -> String {
    let code = fetch(request, &Files::Disk);
    code.replace("const response = await", "const response: Response = await")
}

pub(super) fn php(request: &Request) -> String {
    let mut lines = vec![
        "<?php".to_owned(),
        String::new(),
        "$curl = curl_init();".to_owned(),
        String::new(),
    ];
    let mut options = vec![
        format!("CURLOPT_URL => {}", single(&request.url)),
        "CURLOPT_RETURNTRANSFER => true".to_owned(),
        format!("CURLOPT_CUSTOMREQUEST => {}", single(&request.method)),
    ];
    if request.method == "HEAD" {
        options.push("CURLOPT_NOBODY => true".to_owned());
    }
    if !request.headers.is_empty() {
        let headers = request.headers.iter().map(|(name, value)| {
            let header = if value.is_empty() {
                format!("{name};")
            } else {
                format!("{name}: {value}")
            };
            format!("        {},", single(&header))
        });
        options.push(format!(
            "CURLOPT_HTTPHEADER => [\n{}\n    ]",
            headers.collect::<Vec<_>>().join("\n")
        ));
    }
    if let Some(parts) = request.parts() {
        let mut names: Vec<&str> = Vec::new();
        let fields = parts.iter().map(|part| {
            let count = names.iter().filter(|name| **name == part.name).count();
            let is_repeated = parts.iter().filter(|other| other.name == part.name).count() > 1;
            names.push(&part.name);
            let name = if is_repeated {
                format!("{}[{count}]", part.name)
            } else {
                part.name.clone()
            };
            let kind = part.content_type.as_deref();
            let content = match &part.text {
                None => format!(
                    "new CURLFile('file'{})",
                    kind.map(|kind| format!(", {}", single(kind)))
                        .unwrap_or_default()
                ),
                Some(text) => match kind {
                    Some(kind) => {
                        format!("new CURLStringFile({}, '', {})", single(text), single(kind))
                    }
                    None => single(text),
                },
            };
            format!("        {} => {content},", single(&name))
        });
        options.push(format!(
            "CURLOPT_POSTFIELDS => [\n{}\n    ]",
            fields.collect::<Vec<_>>().join("\n")
        ));
    } else if request.is_file() {
        options.push("CURLOPT_POSTFIELDS => file_get_contents('file')".to_owned());
    } else if let Some(text) = request.body_text() {
        options.push(format!("CURLOPT_POSTFIELDS => {}", single(&text)));
    }
    let options = options
        .iter()
        .map(|option| format!("    {option},"))
        .collect::<Vec<_>>()
        .join("\n");
    lines.push(format!("curl_setopt_array($curl, [\n{options}\n]);"));
    lines.extend([
        String::new(),
        "$response = curl_exec($curl);".to_owned(),
        "curl_close($curl);".to_owned(),
        String::new(),
        "echo $response;".to_owned(),
    ]);
    lines.join("\n")
}

pub(super) fn ruby(request: &Request) -> String {
    let quoted = |text: &str| double(text, RUBY);
    let mut lines = vec![
        "require \"net/http\"".to_owned(),
        "require \"uri\"".to_owned(),
        String::new(),
        format!("url = URI({})", quoted(&request.url)),
    ];
    let is_known = matches!(
        request.method.as_str(),
        "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS" | "TRACE"
    );
    if is_known {
        let mut class = request.method.to_lowercase();
        class[..1].make_ascii_uppercase();
        lines.push(format!("request = Net::HTTP::{class}.new(url)"));
    } else {
        let method = quoted(&request.method);
        lines.push(format!(
            "request = Net::HTTPGenericRequest.new({method}, true, true, url)"
        ));
    }
    for (name, value) in &request.headers {
        lines.push(format!("request[{}] = {}", quoted(name), quoted(value)));
    }
    if let Some(parts) = request.parts() {
        let parts = parts.iter().map(|part| {
            let kind = part
                .content_type
                .as_deref()
                .map(|kind| format!("content_type: {}", quoted(kind)));
            let content = match &part.text {
                Some(text) => quoted(text),
                None => "File.open(\"file\")".to_owned(),
            };
            let kind = kind
                .map(|kind| format!(", {{ {kind} }}"))
                .unwrap_or_default();
            format!("    [{}, {content}{kind}],", quoted(&part.name))
        });
        let parts = parts.collect::<Vec<_>>().join("\n");
        lines.push(format!(
            "request.set_form(\n  [\n{parts}\n  ],\n  \"multipart/form-data\"\n)"
        ));
    } else if request.is_file() {
        lines.push("request.body = File.binread(\"file\")".to_owned());
    } else if let Some(text) = request.body_text() {
        lines.push(format!("request.body = {}", single(&text)));
    }
    lines.push(String::new());
    lines.push("response = Net::HTTP.start(url.host, url.port, use_ssl: url.scheme == \"https\") do |http|".to_owned());
    lines.push(indented("http.request(request)", 2));
    lines.push("end".to_owned());
    lines.push(String::new());
    lines.push("puts response.body".to_owned());
    lines.join("\n")
}
