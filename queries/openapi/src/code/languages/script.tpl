=== python | Python | python
import requests

url = «url|common»
«if headers»
headers = {
«each headers»
    «name|common»: «value|common»,
«end»
}
«end»
«if native»
payload = «native|native True False None 0 4»
«elif parts»
files = [
«each parts»
    («name|common», («if text»None, «text|common»«else»«file|common», open(«file|common», "rb")«end»«if type», «type|common»«elif file», "application/octet-stream"«elif own», None«end»«if own», {
«each own»
        «name|common»: «value|common»,
«end»
    }«end»)),
«end»
]
«elif file»
data = open(«file|common», "rb")
«elif text»
data = «text|common».encode()
«end»

response = requests.«if method in GET POST PUT PATCH DELETE HEAD OPTIONS»«method|lower»(«else»request(«method|common», «end»url«if headers», headers=headers«end»«if native», json=payload«elif parts», files=files«elif body», data=data«end»)

print(response.text)

=== javascript | JavaScript | javascript
«each files»
const «var» = document.querySelector("input[type=file]").files[«index»];
«end»
«""|fetch»

=== node | Node.js | javascript
«""|blobs»«""|fetch»

=== typescript | TypeScript | typescript
«""|blobs»«": Response"|fetch»

=== |blobs
«if files»
import { openAsBlob } from "node:fs";

«end»
«each files»
const «var» = await openAsBlob(«file|common»);
«end»
«""»

=== |fetch
«if typed_text or text_lines»
const boundary = crypto.randomUUID();
const form = new Blob([
«each parts»
  "--" + boundary + «name|head|common»,
  «if text»«text|common»«else»«var»«end»,
  "\r\n",
«end»
  "--" + boundary + "--\r\n",
]);
«elif parts»
const form = new FormData();
«each parts»
form.append(«name|common», «if text»«text|common»«elif type»new Blob([«var»], { type: «type|common» }), «file|common»«else»«var», «file|common»«end»);
«end»
«end»
«if parts or file»

«end»
«if body and method in GET HEAD»
// fetch refuses a «method» request with a body: send it with another client.
«end»
const response«it» = await fetch(«url|common»«if headers or body or not method is "GET"», {
«if not method is "GET"»
  method: «method|common»,
«end»
«if headers or typed_text or text_lines»
  headers: {
«each headers»
    «name|common»: «value|common»,
«end»
«if typed_text or text_lines»
    "Content-Type": "multipart/form-data; boundary=" + boundary,
«end»
  },
«end»
«if native»
  body: JSON.stringify(«native|native true false null 2 2»),
«elif parts»
  body: form,
«elif file»
  body: file,
«elif text»
  body: «text|common»,
«end»
}«end»);

console.log(await response.text());

=== php | PHP | php
<?php

«if typed_text or twins»
$boundary = bin2hex(random_bytes(16));
$body = implode([
«each parts»
    "--$boundary" . «name|head|php»,
    «if text»«text|single»«else»file_get_contents(«file|single»)«end»,
    "\r\n",
«end»
    "--$boundary--\r\n",
]);

«end»
«if file»
$file = file_get_contents(«file|single»);
if (!is_string($file)) {
    exit(1);
}

«end»
$curl = curl_init();

curl_setopt_array($curl, [
    CURLOPT_URL => «url|single»,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_CUSTOMREQUEST => «method|single»,
«if method is "HEAD"»
    CURLOPT_NOBODY => true,
«end»
«if headers or typed_text or twins»
    CURLOPT_HTTPHEADER => [
«each headers»
        «name|header|single»,
«end»
«if typed_text or twins»
        "Content-Type: multipart/form-data; boundary=$boundary",
«end»
    ],
«end»
«if typed_text or twins»
    CURLOPT_POSTFIELDS => $body,
«elif parts»
    CURLOPT_POSTFIELDS => [
«each parts»
        «name|single» => «if text»«text|single»«else»new CURLFile(«file|single»«if type», «type|single»«end»)«end»,
«end»
    ],
«elif file»
    CURLOPT_POSTFIELDS => $file,
«elif text»
    CURLOPT_POSTFIELDS => «text|single»,
«end»
]);

$response = curl_exec($curl);
curl_close($curl);

echo $response;

=== ruby | Ruby | ruby
require "net/http"
«if typed_text»
require "securerandom"
«end»
require "uri"

url = URI(«url|ruby»«if url has "{}" and not url starts "{"».gsub("{", "%7B").gsub("}", "%7D")«end»)
«if not body and method in POST PUT PATCH»
request = Net::HTTPGenericRequest.new(«method|ruby», false, true, url)
request["Content-Length"] = "0"
«elif method in GET POST PUT PATCH DELETE HEAD OPTIONS TRACE»
request = Net::HTTP::«method|title».new(url)
«else»
request = Net::HTTPGenericRequest.new(«method|ruby», true, true, url)
«end»
«each headers»
request[«name|ruby»] = «value|ruby»
«end»
«if typed_text»
boundary = SecureRandom.hex
request["Content-Type"] = "multipart/form-data; boundary=#{boundary}"
request.body = [
«each parts»
  "--" + boundary + «name|head|ruby»,
  «if text»«text|ruby»«else»File.binread(«file|ruby»)«end»,
  "\r\n",
«end»
  "--" + boundary + "--\r\n",
].map(&:b).join
«elif parts»
request.set_form(
  [
«each parts»
    [«name|ruby», «if text»«text|ruby»«else»File.open(«file|ruby»)«end»«if type», { content_type: «type|ruby» }«end»],
«end»
  ],
  "multipart/form-data"
)
«elif file»
request.body = File.binread(«file|ruby»)
«elif text»
request.body = «text|single»
«end»

response = Net::HTTP.start(url.host, url.port, use_ssl: url.scheme == "https") do |http|
  http.request(request)
end

puts response.body
