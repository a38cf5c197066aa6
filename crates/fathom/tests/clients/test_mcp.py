"""The Python client of the Model Context Protocol runs each tool, over standard input and output and over HTTP."""

import asyncio
import contextlib
import os
import unittest

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from fathom import BINARY, QUESTION, Folder, Served

TOOLS = {"research", "answer", "ask", "search", "read_source", "run_status", "review"}


def text_of(result):
    return "".join(block.text for block in result.content)


class Promises:
    """What holds whichever way a client comes."""

    async def asyncSetUp(self):
        # The framework's own debugging of the loop takes longer than the tests.
        asyncio.get_running_loop().set_debug(False)

    async def done(self, client, tool, **arguments):
        result = await client.call_tool(tool, arguments)
        self.assertFalse(result.is_error, text_of(result))
        return text_of(result), result.structured_content

    async def refused(self, client, tool, **arguments):
        result = await client.call_tool(tool, arguments)
        self.assertTrue(result.is_error, text_of(result))
        return text_of(result)

    async def test_every_tool_is_listed_with_what_it_takes(self):
        async with self.client() as client:
            tools = (await client.list_tools()).tools
        self.assertEqual({tool.name for tool in tools}, TOOLS)
        for tool in tools:
            self.assertTrue(tool.description)
            self.assertEqual(tool.input_schema["type"], "object")
            for name, field in tool.input_schema["properties"].items():
                self.assertTrue(field.get("description"), f"{tool.name}.{name}")

    async def test_ask_gives_passages_whose_source_can_be_read(self):
        async with self.client() as client:
            text, run = await self.done(client, "ask", question="How much cooler was Alder Street?")
            self.assertIn("[1]", text)
            self.assertEqual(run["status"], "completed")
            source = run["sources"][0]
            stored, about = await self.done(client, "read_source", run=run["id"], source=source["number"])
            self.assertTrue(stored)
            self.assertEqual(about["location"], source["location"])

    async def test_answer_reports_progress_and_cites(self):
        seen = []

        async def progress(done, total, message):
            seen.append((done, message))

        async with self.client() as client:
            result = await client.call_tool("answer", {"question": QUESTION}, progress_callback=progress)
        self.assertFalse(result.is_error, text_of(result))
        self.assertIn("[1]", text_of(result))
        steps = [done for done, _ in seen]
        self.assertGreaterEqual(len(steps), 3)
        self.assertEqual(steps, sorted(set(steps)), "progress only grows")
        self.assertTrue(any("search" in message for _, message in seen), seen)

    async def test_search_lists_what_a_library_holds(self):
        async with self.client() as client:
            text, found = await self.done(client, "search", query="night heat in narrow streets", limit=3)
            _, named = await self.done(client, "search", query="night heat", library=["trees"], limit=3)
        self.assertEqual((found["provider"], len(found["results"])), ("library", 3))
        self.assertEqual(found["results"][0]["location"], "2022-night-heat-in-narrow-streets.md")
        self.assertIn("2022-night-heat-in-narrow-streets.md", text)
        self.assertEqual(len(named["results"]), 3)

    async def test_a_report_is_written_and_stays_readable_with_its_sources(self):
        async with self.client() as client:
            report, run = await self.done(client, "research", question=QUESTION, depth="quick")
            self.assertIn("[1]", report)
            listed = (await client.list_resources()).resources
            self.assertIn(run["report"], [str(resource.uri) for resource in listed])
            read = await client.read_resource(run["report"])
            self.assertEqual(read.contents[0].text, report)
            templates = (await client.list_resource_templates()).resource_templates
            self.assertEqual(len(templates), 2)
            source = run["sources"][0]
            whole = (await client.read_resource(source["text"])).contents[0].text
            first, about = await self.done(client, "read_source", run=run["id"], source=source["number"], limit=100)
            self.assertEqual((about["whole"], about["next"], len(first)), (True, 100, 100))
            second, _ = await self.done(
                client, "read_source", run=run["id"], source=source["number"], limit=100, **{"from": 100}
            )
            self.assertTrue(whole.startswith(first + second))

    async def test_a_person_decides_at_a_gate(self):
        async with self.client() as client:
            text, run = await self.done(client, "research", question=QUESTION, depth="quick", review=["plan"])
            self.assertEqual(run["status"], "waiting")
            self.assertIn("review", text)
            _, status = await self.done(client, "run_status", run=run["id"])
            gate = {name: status["gate"][name] for name in ("step", "key")}
            _, decided = await self.done(client, "review", run=run["id"], verdict="approve", gate=gate)
            self.assertFalse(decided["late"])
            report, ended = await self.done(client, "run_status", run=run["id"], wait_s=60)
            self.assertEqual(ended["status"], "completed")
            self.assertIn("[1]", report)
            told = await self.refused(client, "review", run=run["id"], verdict="approve")
            self.assertIn(run["id"], told)

    async def test_work_can_be_left_to_itself(self):
        async with self.client() as client:
            _, run = await self.done(client, "answer", question=QUESTION, **{"async": True})
            text, ended = await self.done(client, "run_status", run=run["id"], wait_s=60)
        self.assertEqual(ended["status"], "completed")
        self.assertIn("[1]", text)

    async def test_a_wrong_argument_is_told_in_a_sentence_that_names_it(self):
        unknown = "0192f0c1-2a3b-7c4d-8e5f-0123456789ab"
        async with self.client() as client:
            for tool, arguments, field in [
                ("research", {"question": "Why?"}, "question"),
                ("research", {}, "question"),
                ("research", {"question": QUESTION, "depht": "quick"}, "depht"),
                ("research", {"question": QUESTION, "depth": "deepest"}, "depth"),
                ("research", {"question": QUESTION, "library": ["../etc"]}, "library"),
                ("research", {"question": QUESTION, "review": ["now"]}, "review"),
                ("answer", {"question": QUESTION, "library": ["none-such"]}, "library"),
                ("ask", {"question": 7}, "question"),
                ("search", {"query": "trees", "limit": 51}, "limit"),
                ("read_source", {"run": "x", "source": 1}, "run"),
                ("run_status", {"run": unknown}, unknown),
                ("run_status", {"run": unknown, "wait_s": 601}, "wait_s"),
                ("review", {"run": unknown, "verdict": "maybe"}, "verdict"),
            ]:
                told = await self.refused(client, tool, **arguments)
                self.assertIn(field, told)
                self.assertNotIn("\n", told)
                self.assertNotRegex(told, r"(\w+): \1: ", "the field is named once")
            with self.assertRaisesRegex(MCPError, "there are research"):
                await client.call_tool("guess", {})
            with self.assertRaises(MCPError):
                await client.read_resource("fathom://runs/nowhere/report")


class OverStdio(Promises, unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.close)

    def client(self):
        return Client(StdioServerParameters(command=BINARY, args=["mcp"], env=self.folder.environment()))


class OverHttp(Promises, unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.served = Served()
        cls.addClassCleanup(cls.served.close)

    def client(self):
        return Client(self.served.address + "/mcp")


class OlderClients(unittest.IsolatedAsyncioTestCase):
    """Those that begin with a handshake, as all did before the protocol of 2026."""

    def setUp(self):
        self.served = Served()
        self.addCleanup(self.served.close)

    async def test_they_are_served_too(self):
        stdio = StdioServerParameters(command=BINARY, args=["mcp"], env=self.served.environment())
        for server in (stdio, self.served.address + "/mcp"):
            seen = []

            async def progress(done, total, message):
                seen.append(done)

            async with Client(server, mode="legacy") as client:
                result = await client.call_tool("answer", {"question": QUESTION}, progress_callback=progress)
                read = await client.read_resource(result.structured_content["report"])
            self.assertEqual(read.contents[0].text, text_of(result))
            self.assertGreaterEqual(len(seen), 3)


class Owners(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.served = Served()
        self.addCleanup(self.served.close)

    @contextlib.asynccontextmanager
    async def client(self, token):
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(self.served.address + "/mcp", http_client=http)
            async with Client(transport) as client:
                yield client

    async def test_an_owner_sees_only_their_own_runs(self):
        ada = self.served.command("token", "add", "ada")
        bob = self.served.command("token", "add", "bob")
        library = os.path.join(self.served.home, "owners", "ada", "notes")
        os.makedirs(library)
        with open(os.path.join(library, "trial.md"), "w") as file:
            file.write("# Trial\n\nUnder street trees the summer air in towns was 1.9 °C cooler.\n")
        question = {"question": "How much cooler was the air?", "library": ["notes"]}
        async with self.client(ada) as client:
            asked = await client.call_tool("ask", question)
            self.assertFalse(asked.is_error, text_of(asked))
            run = asked.structured_content
            searched = await client.call_tool("search", {"query": "summer air", "library": ["notes"]})
            self.assertFalse(searched.is_error, text_of(searched))
            self.assertEqual(len((await client.list_resources()).resources), 1, "a search is no report")
            for _ in range(50):
                await client.call_tool("ask", question)
            page = await client.list_resources()
            self.assertEqual(len(page.resources), 50)
            rest = await client.list_resources(cursor=page.next_cursor)
            self.assertEqual([str(resource.uri) for resource in rest.resources], [run["report"]])
            self.assertIsNone(rest.next_cursor)
        async with self.client(bob) as client:
            self.assertTrue((await client.call_tool("ask", question)).is_error)
            self.assertTrue((await client.call_tool("run_status", {"run": run["id"]})).is_error)
            read = {"run": run["id"], "source": 1}
            self.assertTrue((await client.call_tool("read_source", read)).is_error)
            self.assertEqual((await client.list_resources()).resources, [])
            with self.assertRaises(MCPError):
                await client.read_resource(run["report"])
        with self.assertRaises(Exception):
            async with self.client("fathom_wrong") as client:
                await client.list_tools()


if __name__ == "__main__":
    unittest.main()
