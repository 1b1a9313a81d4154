#!/usr/bin/env bash
# s3s-fs 0.14.1, a small S3 server that keeps objects in a folder, answers writes on a condition as S3 does when they come one after
# the other: `If-None-Match: *` on an object that is there and `If-Match` with another entity tag are 412. So a program that tries
# both at its start takes the store for one with compare-and-set. When writers come at the same time, more than one of them is
# answered 200: of eight that create one object with `If-None-Match: *`, or replace it with `If-Match` and its present tag, several
# are told that they have won, and the writes of all but the last are lost. The server compares, then writes, and holds no lock
# between. Most people expect 200 for exactly one, which is what makes such writes usable as leases.
# Needs cargo, python3 and the registry of cargo; builds the server, which takes a minute or two. Exits with 1 if that is no longer so.
set -euo pipefail

folder="$(mktemp -d)"
server=""
trap '[ -z "$server" ] || kill "$server" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
cargo install --quiet --locked --debug --features binary --root tools s3s-fs@0.14.1 > install.log 2>&1 || { tail -5 install.log; exit 1; }
mkdir -p store/bucket
cat > seen.py <<'PY'
import http.client
import socket
import subprocess
import sys
import threading
import time

ROUNDS, WRITERS = 40, 8
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
command = ["tools/bin/s3s-fs", "--host", "127.0.0.1", "--port", str(port), "store"]
server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def put(key, body, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("PUT", f"/bucket/{key}", body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, response.getheader("ETag")


def at_once(key, **headers):
    gate, statuses = threading.Barrier(WRITERS), []

    def write(number):
        gate.wait()
        statuses.append(put(key, str(number), **headers)[0])

    writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    return statuses.count(200)


try:
    for _ in range(200):
        try:
            _, tag = put("one", "first")
            break
        except OSError:
            time.sleep(0.05)
    alone = [
        put("one", "x", If_None_Match="*")[0],
        put("one", "x", If_Match='"0123456789abcdef0123456789abcdef"')[0],
        put("one", "x", If_Match=tag)[0],
    ]
    created = [at_once(f"new-{number}", If_None_Match="*") for number in range(ROUNDS)]
    replaced = []
    for number in range(ROUNDS):
        _, tag = put(f"old-{number}", "first")
        replaced.append(at_once(f"old-{number}", If_Match=tag))
    several = [sum(count > 1 for count in counts) for counts in (created, replaced)]
    print(f"one after the other: {alone}")
    print(f"rounds of {ROUNDS} in which several of {WRITERS} won: create {several[0]}, replace {several[1]}", file=sys.stderr)
    print("several of those at the same time win:", all(count > 0 for count in several))
finally:
    server.terminate()
    server.wait()
PY
python3 seen.py > seen.txt
cat > expected.txt <<'TEXT'
one after the other: [412, 412, 200]
several of those at the same time win: True
TEXT
diff expected.txt seen.txt && echo "as expected"
