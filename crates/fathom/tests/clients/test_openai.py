"""The Python client of OpenAI talks to `fathom serve`."""

import re
import unittest

import openai

from fathom import QUESTION, Served

TIMES = re.compile(r"[0-9]+ ms")
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUESTION}]


class OpenAi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.served = Served()
        cls.addClassCleanup(cls.served.close)
        cls.client = openai.OpenAI(base_url=cls.served.address + "/v1", api_key="none", max_retries=0, timeout=60)
        cls.addClassCleanup(cls.client.close)

    def test_workflows_are_listed_as_models(self):
        models = {model.id for model in self.client.models.list()}
        self.assertLessEqual({"fathom-answer", "fathom-ask", "fathom-report"}, models)

    def test_a_chat_is_completed_with_citations(self):
        for model in ("fathom-answer", "fathom-ask", "fathom-report"):
            completion = self.client.chat.completions.create(model=model, messages=MESSAGES)
            choice = completion.choices[0]
            self.assertEqual((completion.model, choice.finish_reason), (model, "stop"))
            self.assertIn("[1]", choice.message.content)

    def test_a_streamed_chat_says_the_same(self):
        whole = self.client.chat.completions.create(model="fathom-answer", messages=MESSAGES)
        chunks = list(self.client.chat.completions.create(model="fathom-answer", messages=MESSAGES, stream=True))
        pieces = [chunk.choices[0].delta.content for chunk in chunks]
        text = "".join(piece for piece in pieces if piece)
        self.assertEqual(TIMES.sub("", text), TIMES.sub("", whole.choices[0].message.content))
        self.assertEqual(chunks[-1].choices[0].finish_reason, "stop")

    def test_a_response_is_written_and_streamed(self):
        whole = self.client.responses.create(model="fathom-answer", input=QUESTION)
        self.assertEqual(whole.status, "completed")
        self.assertIn("[1]", whole.output_text)
        with self.client.responses.stream(model="fathom-answer", input=MESSAGES) as stream:
            pieces = [event.delta for event in stream if event.type == "response.output_text.delta"]
            streamed = stream.get_final_response()
        self.assertEqual("".join(pieces), streamed.output_text)
        self.assertEqual(TIMES.sub("", streamed.output_text), TIMES.sub("", whole.output_text))

    def test_what_makes_no_sense_is_an_error_of_the_client(self):
        with self.assertRaises(openai.NotFoundError) as refused:
            self.client.chat.completions.create(model="gpt-9", messages=MESSAGES)
        self.assertIn("fathom-answer", str(refused.exception))
        with self.assertRaises(openai.UnprocessableEntityError):
            self.client.chat.completions.create(model="fathom-answer", messages=[])


if __name__ == "__main__":
    unittest.main()
