#!/usr/bin/env bash
# Prism 5.14.2 (mock server for OpenAPI) refuses every array in a body of type application/x-www-form-urlencoded whose property has
# no entry in `encoding`: the value is checked as a string. OpenAPI 3.1.1 (4.8.15.1) gives such a property the defaults of an
# Encoding Object, style `form` and `explode: true`, so `list=a&list=b` is the array that the schema asks for. With these defaults
# written out the same request is accepted. Seen with the schema {list: {type: array, items: {type: string}}}, required:
#   without encoding   list=a&list=b   422  Request body property list must be array
#   without encoding   list=a          422  Request body property list must be array
#   with encoding      list=a&list=b   200
#   with encoding      list=a          200
# Needs node, npm, curl and a registry. Exits with 1 if that is no longer so.
set -euo pipefail

folder="$(mktemp -d)"
server=
trap '[ -z "$server" ] || kill "$server" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-fund --no-audit @stoplight/prism-cli@5.14.2 > /dev/null
cat > openapi.yaml <<'YAML'
openapi: 3.1.0
info: {title: Forms, version: '1'}
paths:
  /without:
    post:
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: &form
              {type: object, required: [list], properties: {list: {type: array, items: {type: string}}}}
      responses:
        '200': {description: ok, content: {application/json: {example: {ok: true}}}}
  /with:
    post:
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: *form
            encoding: {list: {style: form, explode: true}}
      responses:
        '200': {description: ok, content: {application/json: {example: {ok: true}}}}
YAML
port="$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')"
node node_modules/@stoplight/prism-cli/dist/index.js mock --host 127.0.0.1 --port "$port" openapi.yaml > log 2>&1 &
server=$!
for _ in $(seq 100); do
    ! grep -q "is listening" log || break
    sleep .1
done
seen="$(
    for path in without with; do
        for body in 'list=a&list=b' 'list=a'; do
            status="$(curl -s -o reply -w '%{http_code}' -d "$body" "http://127.0.0.1:$port/$path")"
            why="$(grep -o 'Request body property list must be array' reply || true)"
            echo "$path $body $status${why:+ $why}"
        done
    done
)"
echo "$seen"
[ "$seen" = "without list=a&list=b 422 Request body property list must be array
without list=a 422 Request body property list must be array
with list=a&list=b 200
with list=a 200" ]
