"""An S3 server for tests, moto, on a free port of loopback. Prints its address; ends when its input does."""

import logging
import sys
import threading

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

logging.getLogger("werkzeug").setLevel(logging.ERROR)
one_at_a_time = threading.Lock()
moto = DomainDispatcherApplication(create_backend_app)


def application(environ, start_response):
    """Answers as a store does whose writes are atomic: moto compares entity tags and writes in two steps."""
    if environ["REQUEST_METHOD"] in ("GET", "HEAD"):
        return moto(environ, start_response)
    with one_at_a_time:
        return list(moto(environ, start_response))


server = make_server("127.0.0.1", 0, application, threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.server_port}", flush=True)
sys.stdin.read()
server.shutdown()
