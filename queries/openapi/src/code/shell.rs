//! Command lines, and the request itself.

use super::quote::{powershell as ps, shell as sh};
use super::{Payload, Request};

pub(super) fn curl(request: &Request) -> String {
    let mut parts = Vec::new();
    if request.method != "GET" || request.payload.is_some() {
        parts.push(format!("--request {}", request.method));
    }
    if request.method == "HEAD" && request.payload.is_none() {
        parts = vec!["--head".to_owned()];
    }
    parts.push(format!("--url {}", sh(&request.url)));
    for (name, value) in &request.headers {
        // A header without a value is sent only with a semicolon.
        let header = if value.is_empty() {
            format!("{name};")
        } else {
            format!("{name}: {value}")
        };
        parts.push(format!("--header {}", sh(&header)));
    }
    match &request.payload {
        Some(Payload::Multipart(form)) => {
            for part in form {
                let kind = part.content_type.as_deref();
                let kind = kind.map(|kind| format!(";type={kind}")).unwrap_or_default();
                parts.push(match &part.text {
                    None => format!("--form {}", sh(&format!("{}=@file{kind}", part.name))),
                    // Quotes keep `;`, `@` and `<` from meaning something.
                    Some(text)
                        if !kind.is_empty()
                            || text.starts_with(['@', '<'])
                            || text.contains(';') =>
                    {
                        let text = text.replace('\\', r"\\").replace('"', "\\\"");
                        format!("--form {}", sh(&format!("{}=\"{text}\"{kind}", part.name)))
                    }
                    Some(text) => format!("--form {}", sh(&format!("{}={text}", part.name))),
                });
            }
        }
        Some(Payload::File) => parts.push("--data-binary '@file'".to_owned()),
        Some(Payload::Text(text)) if text.starts_with('@') || text.contains(['\n', '\r']) => {
            parts.push(format!("--data-raw {}", sh(text)));
        }
        Some(_) => {
            let text = request.body_text().unwrap_or_default();
            parts.push(format!("--data {}", sh(&text)));
        }
        None => {}
    }
    format!("curl {}", parts.join(" \\\n  "))
}

pub(super) fn wget(request: &Request) -> String {
    let mut parts = vec!["--quiet".to_owned(), format!("--method {}", request.method)];
    for (name, value) in &request.headers {
        parts.push(format!("--header {}", sh(&format!("{name}: {value}"))));
    }
    if request.is_file() {
        parts.push("--body-file 'file'".to_owned());
    } else if let Some(text) = request.body_text() {
        parts.push(format!("--body-data {}", sh(&text)));
    } else if let Some((kind, text)) = request.parts().and_then(boundary) {
        parts.push(format!("--header {}", sh(&format!("Content-Type: {kind}"))));
        parts.push(format!("--body-data {}", sh(&text)));
    }
    parts.push("--output-document -".to_owned());
    parts.push(sh(&request.url));
    format!("wget {}", parts.join(" \\\n  "))
}

/// A form written out, with a boundary of ours: its media type and its text.
fn boundary(parts: &[super::Part]) -> Option<(String, String)> {
    let boundary = "boundary-of-parts";
    let mut text = String::new();
    for part in parts {
        text.push_str(&format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
            part.name
        ));
        if part.text.is_none() {
            text.push_str("; filename=\"file\"");
        }
        text.push_str("\r\n");
        if let Some(kind) = &part.content_type {
            text.push_str(&format!("Content-Type: {kind}\r\n"));
        }
        text.push_str(&format!(
            "\r\n{}\r\n",
            part.text.as_deref().unwrap_or("<content of the file>")
        ));
    }
    text.push_str(&format!("--{boundary}--\r\n"));
    Some((format!("multipart/form-data; boundary={boundary}"), text))
}

pub(super) fn httpie(request: &Request) -> String {
    let mut parts = vec![request.method.clone(), sh(&request.url)];
    for (name, value) in &request.headers {
        let header = if value.is_empty() {
            format!("{name};")
        } else {
            format!("{name}:{value}")
        };
        parts.push(sh(&header));
    }
    if let Some(form) = request.parts() {
        parts.insert(0, "--multipart".to_owned());
        for part in form {
            let name = part
                .name
                .replace('\\', r"\\")
                .replace('=', r"\=")
                .replace('@', r"\@")
                .replace(':', r"\:");
            let kind = part.content_type.as_deref();
            parts.push(match &part.text {
                Some(text) => sh(&format!("{name}={text}")),
                None => sh(&format!(
                    "{name}@file{}",
                    kind.map(|kind| format!(";type={kind}")).unwrap_or_default()
                )),
            });
        }
        return format!("http {}", parts.join(" \\\n  "));
    }
    if request.is_file() {
        return format!("http {} < 'file'", parts.join(" \\\n  "));
    }
    if let Some(text) = request.body_text() {
        parts.push(format!("--raw {}", sh(&text)));
    }
    format!("http {}", parts.join(" \\\n  "))
}

pub(super) fn powershell(request: &Request) -> String {
    let mut lines = Vec::new();
    let mut arguments = vec![
        format!("-Uri {}", ps(&request.url)),
        format!("-Method {}", request.method),
    ];
    let kind = request
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let others = request
        .headers
        .iter()
        .filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
    let others: Vec<String> = others
        .map(|(name, value)| format!("  {} = {}", ps(name), ps(value)))
        .collect();
    if !others.is_empty() {
        lines.push(format!("$headers = @{{\n{}\n}}", others.join("\n")));
        arguments.push("-Headers $headers".to_owned());
    }
    if let Some((_, kind)) = kind {
        arguments.push(format!("-ContentType {}", ps(kind)));
    }
    if let Some(form) = request.parts() {
        lines.push("$form = [System.Net.Http.MultipartFormDataContent]::new()".to_owned());
        for part in form {
            let content = match &part.text {
                Some(text) => format!("[System.Net.Http.StringContent]::new({})", ps(text)),
                None => "[System.Net.Http.ByteArrayContent]::new([System.IO.File]::ReadAllBytes('file'))".to_owned(),
            };
            lines.push(format!("$part = {content}"));
            if let Some(kind) = &part.content_type {
                lines.push(format!("$part.Headers.ContentType = {}", ps(kind)));
            }
            let file = if part.text.is_none() { ", 'file'" } else { "" };
            lines.push(format!("$form.Add($part, {}{file})", ps(&part.name)));
        }
        arguments.push("-Body $form".to_owned());
    } else if request.is_file() {
        arguments.push("-InFile 'file'".to_owned());
    } else if let Some(text) = request.body_text() {
        lines.push(format!("$body = {}", ps(&text)));
        arguments.push("-Body $body".to_owned());
    }
    lines.push(format!("Invoke-RestMethod {}", arguments.join(" `\n  ")));
    lines.join("\n")
}

pub(super) fn http(request: &Request) -> String {
    let rest = request
        .url
        .split_once("://")
        .map_or(request.url.as_str(), |(_, rest)| rest);
    let cut = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, target) = rest.split_at(cut);
    let target = if target.starts_with('/') {
        target.to_owned()
    } else {
        format!("/{target}")
    };
    let mut lines = vec![
        format!("{} {target} HTTP/1.1", request.method),
        format!("Host: {host}"),
    ];
    lines.extend(
        request
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}")),
    );
    let body = match request.parts().and_then(boundary) {
        Some((kind, text)) => {
            lines.push(format!("Content-Type: {kind}"));
            Some(text.replace("\r\n", "\n"))
        }
        None if request.is_file() => Some("<content of the file>".to_owned()),
        None => request.body_text(),
    };
    match body {
        Some(body) => format!("{}\n\n{body}", lines.join("\n")),
        None => lines.join("\n"),
    }
}
