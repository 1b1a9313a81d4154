=== |go
«if it raw and not it has "\g"»«"\g"»«it»«"\g"»«else»«it|common»«end»

=== go | Go | go
package main

import (
«if parts»
	"bytes"
«end»
	"fmt"
	"io"
«if parts»
	"mime/multipart"
«end»
	"net/http"
«if is_typed or headed or parts and files»
	"net/textproto"
«end»
«if files»
	"os"
«end»
«if text»
	"strings"
«end»
)

func main() {
«if parts»
	body := &bytes.Buffer{}
	form := multipart.NewWriter(body)
«each parts»
«if text and not type and not own»
	form.WriteField(«name|common», «text|go»)
«else»
	{
		part, _ := form.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {«name|disposition|common»},
«if type or file»
			"Content-Type": {«if type»«type|common»«else»"application/octet-stream"«end»},
«end»
«each own»
			«name|common»: {«value|common»},
«end»
		})
«if text»
		io.WriteString(part, «text|go»)
«else»
		file, err := os.Open(«file|common»)
		if err != nil {
			panic(err)
		}
		io.Copy(part, file)
«end»
	}
«end»
«end»
	form.Close()
«elif file»
	body, err := os.Open(«file|common»)
	if err != nil {
		panic(err)
	}
«elif text»
	body := strings.NewReader(«text|go»)
«end»
	request, err := http.NewRequest(«method|common», «url|common», «if body»body«else»nil«end»)
	if err != nil {
		panic(err)
	}
«each headers»
	request.Header.Set(«name|common», «value|common»)
«end»
«if parts»
	request.Header.Set("Content-Type", form.FormDataContentType())
«end»
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	fmt.Println(string(text))
}

=== |rust
«if it has "\n\"" and not it has "\r"»r«it|hashes»"«it»"«it|hashes»«else»«it|braces»«end»

=== rust | Rust | rust
fn main() -> Result<(), Box<dyn std::error::Error>> {
«if parts»
    let form = reqwest::blocking::multipart::Form::new()«each parts»
        «if text and not type and not own».text(«name|braces», «text|rust»)«else».part(«name|braces», reqwest::blocking::multipart::Part::«if text»text(«text|rust»)«else»file(«file|braces»)?«end»«if type».mime_str(«type|braces»)?«end»«if own».headers(reqwest::header::HeaderMap::from_iter([
«each own»
            («name|braces».parse()?, «value|braces».parse()?),
«end»
        ]))«end»)«end»«end»;
«elif text»
    let body = «text|rust»;
«end»
    let response = reqwest::blocking::Client::new()
«if method in GET POST PUT PATCH DELETE HEAD»
        .«method|lower»(«url|braces»)
«else»
        .request(«method|braces».parse()?, «url|braces»)
«end»
«each headers»
        .header(«name|braces», «value|braces»)
«end»
«if parts»
        .multipart(form)
«elif file»
        .body(std::fs::File::open(«file|braces»)?)
«elif text»
        .body(body)
«end»
        .send()?;
    println!("{}", response.text()?);
    Ok(())
}

=== |swift
«if it raw and not it holds "\"\"\"" and not it holds "\\#"»#"""
«it»
"""#«else»«it|braces»«end»

=== swift | Swift | swift
import Foundation

var request = URLRequest(url: URL(string: «url|braces»«if url has "{}" and not url starts "{"».replacingOccurrences(of: "{", with: "%7B").replacingOccurrences(of: "}", with: "%7D")«end»)!)
«if body and method in GET HEAD»
// URLSession refuses a «method» request with a body: send it with another client.
«end»
request.httpMethod = «method|braces»
«each headers»
request.setValue(«value|braces», forHTTPHeaderField: «name|braces»)
«end»
«if parts»
let boundary = UUID().uuidString
request.setValue("multipart/form-data; boundary=\(boundary)", forHTTPHeaderField: "Content-Type")
var body = Data()
«each parts»
body.append(Data(("--" + boundary + «name|head|braces»).utf8))
«if text»
body.append(Data(«text|braces».utf8))
«else»
body.append(try Data(contentsOf: URL(fileURLWithPath: «file|braces»)))
«end»
body.append(Data("\r\n".utf8))
«end»
body.append(Data(("--" + boundary + "--\r\n").utf8))
request.httpBody = body
«elif file»
request.httpBody = try Data(contentsOf: URL(fileURLWithPath: «file|braces»))
«elif text»
request.httpBody = Data(«text|swift».utf8)
«end»

let (data, _) = try await URLSession.shared.data(for: request)
print(String(decoding: data, as: UTF8.self))

=== c | C | c
#include <stdio.h>
#include <curl/curl.h>

int main(void) {
  CURL *curl = curl_easy_init();
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, «method|c»);
  curl_easy_setopt(curl, CURLOPT_URL, «url|c»);
«if method is "HEAD"»
  curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
«end»
«if headers»
  struct curl_slist *headers = NULL;
«each headers»
  headers = curl_slist_append(headers, «name|header|c»);
«end»
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
«end»
«if parts»
  curl_mime *form = curl_mime_init(curl);
  curl_mimepart *part;
«each parts»
  part = curl_mime_addpart(form);
  curl_mime_name(part, «name|c»);
«if text»
  curl_mime_data(part, «text|lines c "\n      "», CURL_ZERO_TERMINATED);
«else»
  curl_mime_filedata(part, «file|c»);
«end»
«if type»
  curl_mime_type(part, «type|c»);
«end»
«if own»
  struct curl_slist *own«index» = NULL;
«each own»
  own«index» = curl_slist_append(own«index», «name|header|c»);
«end»
  curl_mime_headers(part, own«index», 1);
«end»
«end»
  curl_easy_setopt(curl, CURLOPT_MIMEPOST, form);
«elif file»
  FILE *file = fopen(«file|c», "rb");
  if (file == NULL) {
    perror(«file|c»);
    return 1;
  }
  curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(curl, CURLOPT_READDATA, file);
«elif text»
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS,
      «text|lines c "\n      "»);
«end»
  CURLcode result = curl_easy_perform(curl);
«if parts»
  curl_mime_free(form);
«elif file»
  fclose(file);
«end»
«if headers»
  curl_slist_free_all(headers);
«end»
  curl_easy_cleanup(curl);
  return (int)result;
}
