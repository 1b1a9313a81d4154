=== |header
«it»«if value is ""»;«else»: «value»«end»

=== |field
«it»=«if not text»@«if file has ";,\""»«file|quoted»«else»«file»«end»«elif type or text starts "@<()\" \t\n\r" or text ends " \t\n\r" or text has ";"»«text|quoted»«else»«text»«end»«if type»;type=«type»«end»«each own»;headers=«name|line|quoted»«end»

=== |quoted
"«it|replace "\\" "\\\\"|replace "\"" "\\\""»"

=== curl | cURL | bash
curl «if method is "HEAD" and not body»--head \
  «elif body or not method is "GET"»--request «method» \
  «end»«if url has "{[]}" and not url starts "{"»--globoff \
  «end»--url «url|sh»«each headers» \
  --header «name|header|sh»«end»«each parts» \
  --form «name|field|sh»«end»«if file» \
  --data-binary «file|before "@"|sh»«elif text starts "@" or text has "\n\r" and not is_json» \
  --data-raw «text|sh»«elif text» \
  --data «text|sh»«end»

=== wget | Wget | bash
«if parts»
form=$(mktemp)
«""|printed» > "$form" &&
«end»
wget --quiet \
  --method «method»«each headers» \
  --header «name|line|sh»«end»«if file» \
  --body-file «file|sh»«elif text» \
  --body-data «text|sh»«elif parts» \
  --header 'Content-Type: multipart/form-data; boundary=boundary-of-parts' \
  --body-file "$form"«end» \
  --output-document - \
  «url|sh»
«if parts»
rm "$form"
«end»

=== |printed
{
«each parts»
  printf '%s\r\n' '--boundary-of-parts' \
    «name|disposition|before "Content-Disposition: "|sh»«if type» \
    «type|before "Content-Type: "|sh»«elif file» \
    'Content-Type: application/octet-stream'«end»«each own» \
    «name|line|sh»«end» \
    ''«if text» «text|sh»«end» &&
«if file»
  cat «file|sh» && printf '\r\n' &&
«end»
«end»
  printf '%s\r\n' '--boundary-of-parts--'
}

=== |line
«it»: «value»

=== |form
«each parts»
--boundary-of-parts«"\r"»
Content-Disposition: «name|disposition»«"\r"»
«if type»
Content-Type: «type»«"\r"»
«elif file»
Content-Type: application/octet-stream«"\r"»
«end»
«each own»
«name»: «value»«"\r"»
«end»
«"\r"»
«if text»«text»«else»<content of the file>«end»«"\r"»
«end»
--boundary-of-parts--«"\r"»
«""»

=== |disposition
form-data; name="«it|replace "\"" "%22"»"«if not text»; filename="«file|replace "\"" "%22"»"«end»

=== |head
«"\r"»
Content-Disposition: «it|disposition»«"\r"»
«if type»
Content-Type: «type»«"\r"»
«elif file»
Content-Type: application/octet-stream«"\r"»
«end»
«each own»
«name»: «value»«"\r"»
«end»
«"\r"»
«""»

=== httpie | HTTPie | bash
«if typed_text»
«""|printed» |
«end»
http «if parts and not typed_text»--multipart \
  «end»«method» \
  «url|sh»«each headers» \
  «name|httpie_header|sh»«end»«if typed_text» \
  'Content-Type:multipart/form-data; boundary=boundary-of-parts'«elif parts»«each parts» \
  «name|httpie_part|sh»«end»«elif file» < «file|sh»«elif text» \
  --raw «text|sh»«end»

=== |httpie_header
«it»«if value is ""»;«else»:«value»«end»

=== |httpie_part
«it|replace "\\" "\\\\"|replace "=" "\\="|replace "@" "\\@"|replace ":" "\\:"»«if text starts "=@"»=\«text»«elif text»=«text»«else»@«file»;type=«if type»«type»«else»application/octet-stream«end»«end»

=== powershell | PowerShell | powershell
«if others»
$headers = @{
«each others»
  «name|ps» = «value|ps»
«end»
}
«end»
«if parts»
$form = [System.Net.Http.MultipartFormDataContent]::new()
«each parts»
«if text»
$part = [System.Net.Http.StringContent]::new(«text|ps»)
«else»
$part = [System.Net.Http.ByteArrayContent]::new([System.IO.File]::ReadAllBytes(«file|ps»))
«end»
«if type»
$part.Headers.ContentType = «type|ps»
«elif file»
$part.Headers.ContentType = 'application/octet-stream'
«end»
«each own»
[void]$part.Headers.TryAddWithoutValidation(«name|ps», «value|ps»)
«end»
$form.Add($part, «name|ps»«if not text», «file|ps»«end»)
«end»
«elif text»
$body = «text|ps»
«end»
Invoke-RestMethod -Uri «url|ps» «"\g"»
  -«if not method in GET HEAD POST PUT PATCH DELETE OPTIONS TRACE MERGE»Custom«end»Method «method»«if others» «"\g"»
  -Headers $headers«end»«if media» «"\g"»
  -ContentType «media|ps»«end»«if parts» «"\g"»
  -Body $form«elif file» «"\g"»
  -InFile «file|ps»«elif text» «"\g"»
  -Body $body«end»

=== http | HTTP | http
«method» «target» HTTP/1.1
Host: «host»
«each headers»
«name»: «value»
«end»
«if parts»
Content-Type: multipart/form-data; boundary=boundary-of-parts

«""|form|replace "\r\n" "\n"»
«elif file»

<content of the file>
«elif text»

«text»
«end»
