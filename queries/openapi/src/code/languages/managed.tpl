=== |java
«if not it raw or it starts " \t\n" or it ends " \t" or it holds " \n" or it holds "\t\n"»«it|common»«else»"""
«if it ends "\""»«it|chop|java_block»\"«else»«it|java_block»«end»"""«end»

=== |java_block
«it|replace "\\" "\\\\"|replace "\"\"\"" "\"\"\\\""»

=== java | Java | java
«if parts»
import java.io.ByteArrayOutputStream;
«end»
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
«if parts»
import java.nio.charset.StandardCharsets;
«end»
«if parts and files»
import java.nio.file.Files;
«end»
«if files»
import java.nio.file.Path;
«end»

public class Main {
    public static void main(String[] arguments) throws Exception {
«if parts»
        var boundary = "boundary-" + System.nanoTime();
        var body = new ByteArrayOutputStream();
«each parts»
        body.write(("--" + boundary + «name|head|common»).getBytes(StandardCharsets.UTF_8));
«if text»
        body.write(«text|common».getBytes(StandardCharsets.UTF_8));
«else»
        body.write(Files.readAllBytes(Path.of(«file|common»)));
«end»
        body.write("\r\n".getBytes(StandardCharsets.UTF_8));
«end»
        body.write(("--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
«end»
        var request = HttpRequest.newBuilder()
            .uri(URI.create(«url|common»«if url has "{}" and not url starts "{"».replace("{", "%7B").replace("}", "%7D")«end»))
«each headers»
            .header(«name|common», «value|common»)
«end»
«if parts»
            .header("Content-Type", "multipart/form-data; boundary=" + boundary)
«end»
            .method(«method|common», HttpRequest.BodyPublishers.«if parts»ofByteArray(body.toByteArray())«elif file»ofFile(Path.of(«file|common»))«elif text»ofString(«text|java»)«else»noBody()«end»)
            .build();
        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(response.body());
    }
}

=== |kotlin
«if it raw and not it has "$" and not it holds "\"\"\"" and not it ends "\""»"""«it»"""«else»«it|dollar»«end»

=== |media_type
«if it»«it|dollar».toMediaType()«end»

=== |file_type
«if it»«it|dollar»«else»"application/octet-stream"«end».toMediaType()

=== kotlin | Kotlin | kotlin
«if files»
import java.io.File
«end»
«if is_typed or parts and files or body and media and not parts»
import okhttp3.MediaType.Companion.toMediaType
«end»
«if parts»
import okhttp3.MultipartBody
«end»
import okhttp3.OkHttpClient
import okhttp3.Request
«if files»
import okhttp3.RequestBody.Companion.asRequestBody
«end»
«if parts or text or not body and method in POST PUT PATCH»
import okhttp3.RequestBody.Companion.toRequestBody
«end»

fun main() {
«if parts»
    val body = MultipartBody.Builder()
        .setType(MultipartBody.FORM)
«each parts»
«if own»
        .addPart(okhttp3.Headers.headersOf("Content-Disposition", «name|disposition|dollar»«each own», «name|dollar», «value|dollar»«end»), «if text»«text|dollar».toRequestBody(«type|media_type»)«else»File(«file|dollar»).asRequestBody(«type|file_type»)«end»)
«else»
        .addFormDataPart(«name|dollar», «if text and not type»«text|dollar»«elif text»null, «text|dollar».toRequestBody(«type|media_type»)«else»«file|dollar», File(«file|dollar»).asRequestBody(«type|file_type»)«end»)
«end»
«end»
        .build()
«elif file»
    val body = File(«file|dollar»).asRequestBody(«media|media_type»)
«elif text»
    val body = «text|kotlin».toByteArray().toRequestBody(«media|media_type»)
«end»
«if body and method in GET HEAD»
    // OkHttp refuses a «method» request with a body: send it with another client.
«end»
    val request = Request.Builder()
        .url(«url|dollar»)
«each headers»
        .header(«name|dollar», «value|dollar»)
«end»
        .method(«method|dollar», «if body»body«elif method in POST PUT PATCH»ByteArray(0).toRequestBody()«else»null«end»)
        .build()
    OkHttpClient().newCall(request).execute().use { response ->
        println(response.body?.string())
    }
}

=== |csharp
«if it raw and not it holds "\"\"\""»"""
«it»
"""«else»«it|common»«end»

=== csharp | C# | csharp
using System.Net.Http.Headers;

using var client = new HttpClient();
using var request = new HttpRequestMessage(new HttpMethod(«method|common»), «url|common»);
«each others»
request.Headers.TryAddWithoutValidation(«name|common», «value|common»);
«end»
«if parts»
var form = new MultipartFormDataContent();
«each parts»
var part«index» = new «if text»StringContent(«text|common»)«else»StreamContent(File.OpenRead(«file|common»))«end»;
part«index».Headers.ContentType = MediaTypeHeaderValue.Parse(«if type»«type|common»«elif text»"text/plain"«else»"application/octet-stream"«end»);
«each own»
part«index».Headers.TryAddWithoutValidation(«name|common», «value|common»);
«end»
form.Add(part«index», «name|common»«if not text», «file|common»«end»);
«end»
request.Content = form;
«elif file»
request.Content = new StreamContent(File.OpenRead(«file|common»));
«elif text»
request.Content = new StringContent(«text|csharp»);
«end»
«if media and body and not parts»
request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse(«media|common»);
«end»
using var response = await client.SendAsync(request);
Console.WriteLine(await response.Content.ReadAsStringAsync());

=== |dart
«if it raw and not it holds "'''" and not it ends "'"»r'''
«it»'''«else»«it|dollar»«end»

=== dart | Dart | dart
«if file»
import 'dart:io';
«elif text»
import 'dart:convert';
«end»
import 'package:http/http.dart' as http;
«if is_typed»
import 'package:http_parser/http_parser.dart';
«end»

void main() async {
«if parts»
  final request = http.MultipartRequest(«method|dollar», Uri.parse(«url|dollar»));
«each parts»
«each own»
  // The package does not send headers of parts: «name|line|dollar»
«end»
  request.files.add(«if text»http.MultipartFile.fromString(«name|dollar», «text|dollar»«else»await http.MultipartFile.fromPath(«name|dollar», «file|dollar»«end»«if type», contentType: MediaType.parse(«type|dollar»)«end»));
«end»
«else»
  final request = http.Request(«method|dollar», Uri.parse(«url|dollar»));
«end»
«each headers»
  request.headers[«name|dollar»] = «value|dollar»;
«end»
«if file»
  request.bodyBytes = await File(«file|dollar»).readAsBytes();
«elif text»
  request.bodyBytes = utf8.encode(«text|dart»);
«end»
  final response = await http.Response.fromStream(await request.send());
  print(response.body);
}
