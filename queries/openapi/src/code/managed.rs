//! Java, Kotlin, C# and Dart.

use super::Request;
use super::quote::{COMMON, DOLLAR, double};

fn quoted(text: &str) -> String {
    double(text, COMMON)
}

/// A text of several lines as a text block of Java.
fn java_text(text: &str) -> String {
    if !text.contains('\n') || text.contains('\r') || text.ends_with(' ') || text.contains(" \n") {
        return quoted(text);
    }
    let text = text.replace('\\', r"\\").replace("\"\"\"", "\\\"\"\"");
    let text = if text.ends_with('"') {
        format!("{}\\\"", &text[..text.len() - 1])
    } else {
        text
    };
    format!("\"\"\"\n{text}\"\"\"")
}

pub(super) fn java(request: &Request) -> String {
    let mut imports = vec![
        "java.net.URI",
        "java.net.http.HttpClient",
        "java.net.http.HttpRequest",
        "java.net.http.HttpResponse",
    ];
    let mut before = Vec::new();
    let mut calls = vec![format!(".uri(URI.create({}))", quoted(&request.url))];
    for (name, value) in &request.headers {
        calls.push(format!(".header({}, {})", quoted(name), quoted(value)));
    }
    let publisher = if let Some(parts) = request.parts() {
        imports.extend([
            "java.io.ByteArrayOutputStream",
            "java.nio.charset.StandardCharsets",
        ]);
        before.push("var boundary = \"boundary-\" + System.nanoTime();".to_owned());
        before.push("var body = new ByteArrayOutputStream();".to_owned());
        for part in parts {
            before.push(format!(
                "body.write((\"--\" + boundary + {}).getBytes(StandardCharsets.UTF_8));",
                quoted(&part.head())
            ));
            before.push(match &part.text {
                Some(text) => format!(
                    "body.write({}.getBytes(StandardCharsets.UTF_8));",
                    quoted(text)
                ),
                None => {
                    imports.extend(["java.nio.file.Files", "java.nio.file.Path"]);
                    "body.write(Files.readAllBytes(Path.of(\"file\")));".to_owned()
                }
            });
            before.push("body.write(\"\\r\\n\".getBytes(StandardCharsets.UTF_8));".to_owned());
        }
        before.push(
            "body.write((\"--\" + boundary + \"--\\r\\n\").getBytes(StandardCharsets.UTF_8));"
                .to_owned(),
        );
        calls.push(
            ".header(\"Content-Type\", \"multipart/form-data; boundary=\" + boundary)".to_owned(),
        );
        "HttpRequest.BodyPublishers.ofByteArray(body.toByteArray())".to_owned()
    } else if request.is_file() {
        imports.push("java.nio.file.Path");
        "HttpRequest.BodyPublishers.ofFile(Path.of(\"file\"))".to_owned()
    } else if let Some(text) = request.body_text() {
        format!("HttpRequest.BodyPublishers.ofString({})", java_text(&text))
    } else {
        "HttpRequest.BodyPublishers.noBody()".to_owned()
    };
    calls.push(format!(".method({}, {publisher})", quoted(&request.method)));
    calls.push(".build();".to_owned());
    imports.sort_unstable();
    imports.dedup();
    let imports = imports
        .iter()
        .map(|name| format!("import {name};"))
        .collect::<Vec<_>>()
        .join("\n");
    let before: String = before
        .iter()
        .map(|line| format!("        {line}\n"))
        .collect();
    let calls = calls
        .iter()
        .map(|call| format!("            {call}"))
        .collect::<Vec<_>>()
        .join("\n");
    format!(
        "{imports}\n\npublic class Main {{\n    public static void main(String[] arguments) throws Exception {{\n{before}        var request = HttpRequest.newBuilder()\n{calls}\n        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());\n        System.out.println(response.body());\n    }}\n}}"
    )
}

pub(super) fn kotlin(request: &Request) -> String {
    let quoted = |text: &str| double(text, DOLLAR);
    let raw = |text: &str| {
        if text.contains('\n')
            && !text.contains(['$', '\r'])
            && !text.contains("\"\"\"")
            && !text.ends_with('"')
        {
            format!("\"\"\"{text}\"\"\"")
        } else {
            quoted(text)
        }
    };
    let kind = request
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let media = |kind: &str| format!("{}.toMediaType()", quoted(kind));
    let mut lines = Vec::new();
    let mut imports = vec!["okhttp3.OkHttpClient", "okhttp3.Request"];
    let has_body = request.payload.is_some();
    if let Some(parts) = request.parts() {
        imports.extend([
            "okhttp3.MultipartBody",
            "okhttp3.RequestBody.Companion.toRequestBody",
        ]);
        lines.push(
            "val body = MultipartBody.Builder()\n        .setType(MultipartBody.FORM)".to_owned(),
        );
        for part in parts {
            let name = quoted(&part.name);
            let kind = part.content_type.as_deref();
            let typed = kind.map(&media);
            if typed.is_some() {
                imports.push("okhttp3.MediaType.Companion.toMediaType");
            }
            let argument = typed.unwrap_or_default();
            lines.push(match &part.text {
                Some(text) if argument.is_empty() => format!("    .addFormDataPart({name}, {})", quoted(text)),
                Some(text) => format!("    .addFormDataPart({name}, null, {}.toRequestBody({argument}))", quoted(text)),
                None => {
                    imports.extend(["java.io.File", "okhttp3.RequestBody.Companion.asRequestBody"]);
                    format!("    .addFormDataPart({name}, \"file\", File(\"file\").asRequestBody({argument}))")
                }
            });
        }
        lines.push("    .build()".to_owned());
    } else if has_body {
        let media = kind.map(|(_, kind)| media(kind)).unwrap_or_default();
        if !media.is_empty() {
            imports.push("okhttp3.MediaType.Companion.toMediaType");
        }
        if request.is_file() {
            imports.extend([
                "java.io.File",
                "okhttp3.RequestBody.Companion.asRequestBody",
            ]);
            lines.push(format!("val body = File(\"file\").asRequestBody({media})"));
        } else {
            imports.push("okhttp3.RequestBody.Companion.toRequestBody");
            let text = request.body_text().unwrap_or_default();
            // As bytes: a text would get a charset of its own.
            lines.push(format!(
                "val body = {}.toByteArray().toRequestBody({media})",
                raw(&text)
            ));
        }
    }
    let body = if has_body { "body" } else { "null" };
    let needs_body = !has_body && matches!(request.method.as_str(), "POST" | "PUT" | "PATCH");
    let body = if needs_body {
        imports.push("okhttp3.RequestBody.Companion.toRequestBody");
        "ByteArray(0).toRequestBody()"
    } else {
        body
    };
    lines.push("val request = Request.Builder()".to_owned());
    lines.push(format!("    .url({})", quoted(&request.url)));
    for (name, value) in &request.headers {
        lines.push(format!("    .header({}, {})", quoted(name), quoted(value)));
    }
    lines.push(format!("    .method({}, {body})", quoted(&request.method)));
    lines.push("    .build()".to_owned());
    lines.push("OkHttpClient().newCall(request).execute().use { response ->".to_owned());
    lines.push("    println(response.body?.string())".to_owned());
    lines.push("}".to_owned());
    imports.sort_unstable();
    imports.dedup();
    let imports = imports
        .iter()
        .map(|name| format!("import {name}"))
        .collect::<Vec<_>>()
        .join("\n");
    let code = lines
        .iter()
        .map(|line| format!("    {line}"))
        .collect::<Vec<_>>()
        .join("\n");
    format!("{imports}\n\nfun main() {{\n{code}\n}}")
}

pub(super) fn csharp(request: &Request) -> String {
    let raw = |text: &str| {
        if text.contains('\n') && !text.contains("\"\"\"") && !text.contains('\r') {
            format!("\"\"\"\n{text}\n\"\"\"")
        } else {
            quoted(text)
        }
    };
    let method = quoted(&request.method);
    let mut lines = vec![
        "using System.Net.Http.Headers;".to_owned(),
        String::new(),
        "using var client = new HttpClient();".to_owned(),
        format!(
            "using var request = new HttpRequestMessage(new HttpMethod({method}), {});",
            quoted(&request.url)
        ),
    ];
    let is_kind = |name: &str| name.eq_ignore_ascii_case("content-type");
    for (name, value) in request.headers.iter().filter(|(name, _)| !is_kind(name)) {
        lines.push(format!(
            "request.Headers.TryAddWithoutValidation({}, {});",
            quoted(name),
            quoted(value)
        ));
    }
    if let Some(parts) = request.parts() {
        lines.push("var form = new MultipartFormDataContent();".to_owned());
        for (index, part) in parts.iter().enumerate() {
            let content = match &part.text {
                Some(text) => format!("new StringContent({})", quoted(text)),
                None => "new StreamContent(File.OpenRead(\"file\"))".to_owned(),
            };
            lines.push(format!("var part{index} = {content};"));
            let kind = part.content_type.as_deref();
            let kind = kind.or(part.text.as_ref().map(|_| "text/plain"));
            if let Some(kind) = kind {
                lines.push(format!(
                    "part{index}.Headers.ContentType = MediaTypeHeaderValue.Parse({});",
                    quoted(kind)
                ));
            }
            let file = if part.text.is_none() {
                ", \"file\""
            } else {
                ""
            };
            lines.push(format!(
                "form.Add(part{index}, {}{file});",
                quoted(&part.name)
            ));
        }
        lines.push("request.Content = form;".to_owned());
    } else if request.payload.is_some() {
        lines.push(match request.body_text() {
            Some(text) => format!("request.Content = new StringContent({});", raw(&text)),
            None => "request.Content = new StreamContent(File.OpenRead(\"file\"));".to_owned(),
        });
        if let Some((_, kind)) = request.headers.iter().find(|(name, _)| is_kind(name)) {
            lines.push(format!(
                "request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse({});",
                quoted(kind)
            ));
        }
    }
    lines.push("using var response = await client.SendAsync(request);".to_owned());
    lines.push("Console.WriteLine(await response.Content.ReadAsStringAsync());".to_owned());
    lines.join("\n")
}

pub(super) fn dart(request: &Request) -> String {
    let quoted = |text: &str| double(text, DOLLAR);
    let raw = |text: &str| {
        if text.contains('\n')
            && !text.contains("'''")
            && !text.ends_with('\'')
            && !text.contains('\r')
        {
            // A line break right after the quotes is not part of the text.
            format!("r'''\n{text}'''")
        } else {
            quoted(text)
        }
    };
    let mut lines = Vec::new();
    let method = quoted(&request.method);
    let uri = format!("Uri.parse({})", quoted(&request.url));
    let mut imports = vec!["import 'package:http/http.dart' as http;".to_owned()];
    if let Some(parts) = request.parts() {
        lines.push(format!(
            "final request = http.MultipartRequest({method}, {uri});"
        ));
        for part in parts {
            let name = quoted(&part.name);
            let kind = part.content_type.as_deref();
            if kind.is_some() && imports.len() == 1 {
                imports.push("import 'package:http_parser/http_parser.dart';".to_owned());
            }
            let kind = kind.map(|kind| format!(", contentType: MediaType.parse({})", quoted(kind)));
            let kind = kind.unwrap_or_default();
            lines.push(match &part.text {
                Some(text) => format!(
                    "request.files.add(http.MultipartFile.fromString({name}, {}{kind}));",
                    quoted(text)
                ),
                None => format!(
                    "request.files.add(await http.MultipartFile.fromPath({name}, \"file\"{kind}));"
                ),
            });
        }
    } else {
        lines.push(format!("final request = http.Request({method}, {uri});"));
    }
    for (name, value) in &request.headers {
        lines.push(format!(
            "request.headers[{}] = {};",
            quoted(name),
            quoted(value)
        ));
    }
    if request.is_file() {
        imports.insert(0, "import 'dart:io';".to_owned());
        lines.push("request.bodyBytes = await File(\"file\").readAsBytes();".to_owned());
    } else if let Some(text) = request.body_text() {
        imports.insert(0, "import 'dart:convert';".to_owned());
        lines.push(format!("request.bodyBytes = utf8.encode({});", raw(&text)));
    }
    lines.push("final response = await http.Response.fromStream(await request.send());".to_owned());
    lines.push("print(response.body);".to_owned());
    let code = lines
        .iter()
        .map(|line| format!("  {line}"))
        .collect::<Vec<_>>()
        .join("\n");
    format!("{}\n\nvoid main() async {{\n{code}\n}}", imports.join("\n"))
}
