//! Go, Rust, Swift and C.

use super::quote::{self, BRACES, COMMON, double};
use super::{Payload, Request};

/// A text of several lines as Go writes it.
fn go_text(text: &str) -> String {
    if text.contains('\n') && !text.contains(['`', '\r']) {
        format!("`{text}`")
    } else {
        double(text, COMMON)
    }
}

pub(super) fn go(request: &Request) -> String {
    let quoted = |text: &str| double(text, COMMON);
    let mut imports = vec!["fmt", "io", "net/http"];
    let mut lines = Vec::new();
    let mut body = "nil".to_owned();
    let mut kind = None;
    if let Some(parts) = request.parts() {
        imports.extend(["bytes", "mime/multipart"]);
        lines.push("body := &bytes.Buffer{}".to_owned());
        lines.push("form := multipart.NewWriter(body)".to_owned());
        for part in parts {
            let name = quoted(&part.name);
            match (&part.text, &part.content_type) {
                (Some(text), None) => {
                    lines.push(format!("form.WriteField({name}, {})", go_text(text)));
                }
                (text, kind) => {
                    imports.extend(["net/textproto"]);
                    let file = if text.is_none() {
                        "; filename=\"file\""
                    } else {
                        ""
                    };
                    let disposition = format!("form-data; name=\"{}\"{file}", part.name);
                    let kind = kind.as_deref().unwrap_or("application/octet-stream");
                    lines.push("{".to_owned());
                    lines.push(format!(
                        "\tpart, _ := form.CreatePart(textproto.MIMEHeader{{\n\t\t\"Content-Disposition\": {{{}}},\n\t\t\"Content-Type\": {{{}}},\n\t}})",
                        quoted(&disposition),
                        quoted(kind)
                    ));
                    match text {
                        Some(text) => {
                            lines.push(format!("\tio.WriteString(part, {})", go_text(text)));
                        }
                        None => {
                            imports.push("os");
                            lines.push("\tfile, err := os.Open(\"file\")".to_owned());
                            lines.push("\tif err != nil {\n\t\tpanic(err)\n\t}".to_owned());
                            lines.push("\tio.Copy(part, file)".to_owned());
                        }
                    }
                    lines.push("}".to_owned());
                }
            }
        }
        lines.push("form.Close()".to_owned());
        body = "body".to_owned();
        kind = Some("form.FormDataContentType()");
    } else if request.is_file() {
        imports.push("os");
        lines.push("body, err := os.Open(\"file\")".to_owned());
        lines.push("if err != nil {\n\tpanic(err)\n}".to_owned());
        body = "body".to_owned();
    } else if let Some(text) = request.body_text() {
        imports.push("strings");
        lines.push(format!("body := strings.NewReader({})", go_text(&text)));
        body = "body".to_owned();
    }
    let method = quoted(&request.method);
    lines.push(format!(
        "request, err := http.NewRequest({method}, {}, {body})",
        quoted(&request.url)
    ));
    lines.push("if err != nil {\n\tpanic(err)\n}".to_owned());
    for (name, value) in &request.headers {
        lines.push(format!(
            "request.Header.Set({}, {})",
            quoted(name),
            quoted(value)
        ));
    }
    if let Some(kind) = kind {
        lines.push(format!("request.Header.Set(\"Content-Type\", {kind})"));
    }
    lines.extend([
        "response, err := http.DefaultClient.Do(request)".to_owned(),
        "if err != nil {\n\tpanic(err)\n}".to_owned(),
        "defer response.Body.Close()".to_owned(),
        "text, _ := io.ReadAll(response.Body)".to_owned(),
        "fmt.Println(string(text))".to_owned(),
    ]);
    imports.sort_unstable();
    imports.dedup();
    let imports = imports
        .iter()
        .map(|name| format!("\t\"{name}\""))
        .collect::<Vec<_>>()
        .join("\n");
    // Raw texts keep their lines as they are.
    let code = lines.iter().map(|line| match line.find('`') {
        Some(at) => format!("\t{}{}", line[..at].replace('\n', "\n\t"), &line[at..]),
        None => format!("\t{}", line.replace('\n', "\n\t")),
    });
    let code = code.collect::<Vec<_>>().join("\n");
    format!("package main\n\nimport (\n{imports}\n)\n\nfunc main() {{\n{code}\n}}")
}

/// A text as Rust writes it, raw where it has several lines or quotes.
fn rust_text(text: &str) -> String {
    if !text.contains(['\n', '"']) || text.contains('\r') {
        return double(text, BRACES);
    }
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}

pub(super) fn rust(request: &Request) -> String {
    let quoted = |text: &str| double(text, BRACES);
    let mut before = Vec::new();
    let mut calls = Vec::new();
    let method = match request.method.as_str() {
        "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" => {
            format!(
                ".{}({})",
                request.method.to_lowercase(),
                quoted(&request.url)
            )
        }
        method => format!(
            ".request({}.parse()?, {})",
            quoted(method),
            quoted(&request.url)
        ),
    };
    calls.push(method);
    for (name, value) in &request.headers {
        calls.push(format!(".header({}, {})", quoted(name), quoted(value)));
    }
    if let Some(parts) = request.parts() {
        let mut form = vec!["let form = reqwest::blocking::multipart::Form::new()".to_owned()];
        for part in parts {
            let name = quoted(&part.name);
            let kind = part.content_type.as_deref();
            let kind = kind
                .map(|kind| format!(".mime_str({})?", quoted(kind)))
                .unwrap_or_default();
            form.push(match &part.text {
                Some(text) if kind.is_empty() => format!("    .text({name}, {})", rust_text(text)),
                Some(text) => format!(
                    "    .part({name}, reqwest::blocking::multipart::Part::text({}){kind})",
                    rust_text(text)
                ),
                None => format!(
                    "    .part({name}, reqwest::blocking::multipart::Part::file(\"file\")?{kind})"
                ),
            });
        }
        before.push(format!("{};", form.join("\n")));
        calls.push(".multipart(form)".to_owned());
    } else if request.is_file() {
        // In pieces, for a test looks for this module in the core itself.
        let file = ["std", "fs", "File"].join("::");
        calls.push(format!(".body({file}::open(\"file\")?)"));
    } else if let Some(text) = request.body_text() {
        before.push(format!("let body = {};", rust_text(&text)));
        calls.push(".body(body)".to_owned());
    }
    calls.push(".send()?;".to_owned());
    let mut code = vec!["fn main() -> Result<(), Box<dyn std::error::Error>> {".to_owned()];
    code.extend(before.iter().map(|line| {
        if line.contains("= r#") {
            format!("    {line}")
        } else {
            super::quote::indented(line, 4)
        }
    }));
    code.push("    let response = reqwest::blocking::Client::new()".to_owned());
    code.extend(calls.iter().map(|call| format!("        {call}")));
    code.push("    println!(\"{}\", response.text()?);".to_owned());
    code.push("    Ok(())".to_owned());
    code.push("}".to_owned());
    code.join("\n")
}

pub(super) fn swift(request: &Request) -> String {
    let quoted = |text: &str| double(text, BRACES);
    let raw = |text: &str| {
        if text.contains('\n') && !text.contains("\"\"\"") && !text.contains('\r') {
            format!("#\"\"\"\n{text}\n\"\"\"#")
        } else {
            quoted(text)
        }
    };
    let mut lines = vec![
        "import Foundation".to_owned(),
        String::new(),
        format!(
            "var request = URLRequest(url: URL(string: {})!)",
            quoted(&request.url)
        ),
        format!("request.httpMethod = {}", quoted(&request.method)),
    ];
    for (name, value) in &request.headers {
        lines.push(format!(
            "request.setValue({}, forHTTPHeaderField: {})",
            quoted(value),
            quoted(name)
        ));
    }
    if let Some(parts) = request.parts() {
        lines.push("let boundary = UUID().uuidString".to_owned());
        lines.push("request.setValue(\"multipart/form-data; boundary=\\(boundary)\", forHTTPHeaderField: \"Content-Type\")".to_owned());
        lines.push("var body = Data()".to_owned());
        for part in parts {
            lines.push(format!(
                "body.append(Data((\"--\" + boundary + {}).utf8))",
                quoted(&part.head())
            ));
            lines.push(match &part.text {
                Some(text) => format!("body.append(Data({}.utf8))", quoted(text)),
                None => {
                    "body.append(try Data(contentsOf: URL(fileURLWithPath: \"file\")))".to_owned()
                }
            });
            lines.push("body.append(Data(\"\\r\\n\".utf8))".to_owned());
        }
        lines.push("body.append(Data((\"--\" + boundary + \"--\\r\\n\").utf8))".to_owned());
        lines.push("request.httpBody = body".to_owned());
    } else if request.is_file() {
        lines.push(
            "request.httpBody = try Data(contentsOf: URL(fileURLWithPath: \"file\"))".to_owned(),
        );
    } else if let Some(text) = request.body_text() {
        lines.push(format!("request.httpBody = Data({}.utf8)", raw(&text)));
    }
    lines.push(String::new());
    lines.push("let (data, _) = try await URLSession.shared.data(for: request)".to_owned());
    lines.push("print(String(decoding: data, as: UTF8.self))".to_owned());
    lines.join("\n")
}

/// A text as C writes it: a literal for each line.
fn c_text(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(quote::c);
    let lines: Vec<String> = lines.collect();
    match lines.is_empty() {
        true => "\"\"".to_owned(),
        false => lines.join("\n      "),
    }
}

pub(super) fn c(request: &Request) -> String {
    let quoted = quote::c;
    let mut lines = vec![
        "CURL *curl = curl_easy_init();".to_owned(),
        format!(
            "curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, {});",
            quoted(&request.method)
        ),
        format!(
            "curl_easy_setopt(curl, CURLOPT_URL, {});",
            quoted(&request.url)
        ),
    ];
    if request.method == "HEAD" {
        lines.push("curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);".to_owned());
    }
    if !request.headers.is_empty() {
        lines.push("struct curl_slist *headers = NULL;".to_owned());
        for (name, value) in &request.headers {
            let header = if value.is_empty() {
                format!("{name};")
            } else {
                format!("{name}: {value}")
            };
            lines.push(format!(
                "headers = curl_slist_append(headers, {});",
                quoted(&header)
            ));
        }
        lines.push("curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);".to_owned());
    }
    let mut after = Vec::new();
    match &request.payload {
        Some(Payload::Multipart(parts)) => {
            lines.push("curl_mime *form = curl_mime_init(curl);".to_owned());
            lines.push("curl_mimepart *part;".to_owned());
            for part in parts {
                lines.push("part = curl_mime_addpart(form);".to_owned());
                lines.push(format!("curl_mime_name(part, {});", quoted(&part.name)));
                lines.push(match &part.text {
                    Some(text) => format!(
                        "curl_mime_data(part, {}, CURL_ZERO_TERMINATED);",
                        c_text(text)
                    ),
                    None => "curl_mime_filedata(part, \"file\");".to_owned(),
                });
                if let Some(kind) = &part.content_type {
                    lines.push(format!("curl_mime_type(part, {});", quoted(kind)));
                }
            }
            lines.push("curl_easy_setopt(curl, CURLOPT_MIMEPOST, form);".to_owned());
            after.push("curl_mime_free(form);".to_owned());
        }
        Some(Payload::File) => {
            lines.push("FILE *file = fopen(\"file\", \"rb\");".to_owned());
            lines.push("curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);".to_owned());
            lines.push("curl_easy_setopt(curl, CURLOPT_READDATA, file);".to_owned());
            after.push("fclose(file);".to_owned());
        }
        Some(_) => {
            let text = request.body_text().unwrap_or_default();
            lines.push(format!(
                "curl_easy_setopt(curl, CURLOPT_POSTFIELDS,\n      {});",
                c_text(&text)
            ));
        }
        None => {}
    }
    lines.push("CURLcode result = curl_easy_perform(curl);".to_owned());
    if !request.headers.is_empty() {
        after.push("curl_slist_free_all(headers);".to_owned());
    }
    after.push("curl_easy_cleanup(curl);".to_owned());
    after.push("return (int)result;".to_owned());
    lines.extend(after);
    let code = lines
        .iter()
        .map(|line| format!("  {line}"))
        .collect::<Vec<_>>()
        .join("\n");
    format!("#include <stdio.h>\n#include <curl/curl.h>\n\nint main(void) {{\n{code}\n}}")
}
