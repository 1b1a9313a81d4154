"""The clients of OpenAI and Anthropic: they accept the stand-in for a language model that the other tests use, and OpenAI's
gets answers of a site."""

import subprocess
import unittest

import anthropic
import openai

from support import REPOSITORY, Preview

QUESTION = "How do I buy a ticket?"


class Model:
    """The stand-in, as a process that ends with its input."""

    def __init__(self):
        script = REPOSITORY / "tests/browser/model-endpoint.mjs"
        self.process = subprocess.Popen(["node", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.origin = self.process.stdout.readline().strip()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def said(content):
    return [{"role": "user", "content": content}]


class StandIn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = Model()
        cls.openai = openai.OpenAI(base_url=f"{cls.model.origin}/v1", api_key="none", max_retries=0)
        cls.anthropic = anthropic.Anthropic(base_url=cls.model.origin, api_key="none", max_retries=0)

    @classmethod
    def tearDownClass(cls):
        cls.model.stop()

    def chunks(self, content):
        stream = self.openai.chat.completions.create(model="small", messages=said(content), stream=True)
        text, reason = "", None
        for chunk in stream:
            for choice in chunk.choices:
                text += choice.delta.content or ""
                reason = choice.finish_reason or reason
        return text, reason

    def test_openai_reads_its_streams(self):
        self.assertEqual(self.chunks("hello"), ("Hello, wörld", "stop"))
        self.assertEqual(self.chunks("no done"), ("No end", "stop"))

    def test_openai_does_not_see_that_a_stream_was_cut(self):
        self.assertEqual(self.chunks("cut"), ("Cut off", None))

    def test_openai_sees_its_errors(self):
        with self.assertRaisesRegex(openai.APIError, "it broke"):
            self.chunks("error")
        with self.assertRaises(openai.RateLimitError) as limit:
            self.chunks("limit")
        self.assertEqual(limit.exception.response.headers["retry-after"], "0")

    def test_openai_reads_its_whole_answers(self):
        answer = self.openai.chat.completions.create(model="small", messages=said("hello"))
        self.assertEqual(answer.choices[0].message.content, "Whole.")

    def test_anthropic_reads_its_streams(self):
        with self.anthropic.messages.stream(model="small", max_tokens=16, messages=said("hello")) as stream:
            self.assertEqual("".join(stream.text_stream), "Hello, wörld")
            self.assertEqual(stream.get_final_message().stop_reason, "end_turn")

    def test_anthropic_sees_its_errors(self):
        with self.assertRaisesRegex(anthropic.APIStatusError, "Overloaded"):
            with self.anthropic.messages.stream(model="small", max_tokens=16, messages=said("overloaded")) as stream:
                stream.until_done()
        with self.assertRaises(anthropic.RateLimitError):
            self.anthropic.messages.create(model="small", max_tokens=16, messages=said("limit"), stream=True)

    def test_anthropic_reads_its_whole_answers(self):
        answer = self.anthropic.messages.create(model="small", max_tokens=16, messages=said("hello"))
        self.assertEqual(answer.content[0].text, "Whole.")


class Completions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.preview = Preview("--chat-completions")
        cls.client = openai.OpenAI(base_url=f"{cls.preview.origin}/v1", api_key="any", max_retries=0)

    @classmethod
    def tearDownClass(cls):
        cls.preview.stop()

    def test_a_site_answers_whole_and_streamed(self):
        whole = self.client.chat.completions.create(model="any", messages=said(QUESTION))
        text = whole.choices[0].message.content
        self.assertIn("ticket", text.lower())
        self.assertEqual(whole.choices[0].finish_reason, "stop")
        stream = self.client.chat.completions.create(model="any", messages=said(QUESTION), stream=True)
        pieces = [chunk.choices[0] for chunk in stream]
        self.assertEqual("".join(piece.delta.content or "" for piece in pieces), text)
        self.assertEqual(pieces[-1].finish_reason, "stop")
        self.assertGreater(len(pieces), 3)

    def test_a_site_refuses_what_is_wrong(self):
        with self.assertRaises(openai.BadRequestError) as refused:
            self.client.chat.completions.create(model="any", messages=[])
        self.assertIn("messages", str(refused.exception))

    def test_a_site_says_what_it_does_not_know(self):
        question = said("Who won the football world cup of 1974?")
        answer = self.client.chat.completions.create(model="any", messages=question)
        self.assertIn("does not seem to answer", answer.choices[0].message.content)


class WithModel(unittest.TestCase):
    def test_what_cites_nothing_is_replaced_and_what_fails_is_too(self):
        model = Model()
        preview = Preview("--chat-completions", "--model-url", f"{model.origin}/v1", "--model", "small")
        try:
            client = openai.OpenAI(base_url=f"{preview.origin}/v1", api_key="any", max_retries=0)
            stream = client.chat.completions.create(model="any", messages=said(QUESTION), stream=True)
            text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
            self.assertTrue(text.startswith("From the documentation:"), text)
        finally:
            preview.stop()
            model.stop()


if __name__ == "__main__":
    unittest.main()
