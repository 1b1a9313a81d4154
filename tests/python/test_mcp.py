"""The MCP server as the Python SDK sees it, over HTTP and over standard streams, by the protocol of 2026 and those before."""

import shutil
import tempfile
import unittest
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters

from support import MUSEUM, PROGRAM, Preview


class Mcp(unittest.IsolatedAsyncioTestCase):
    """Clients of one preview of the demonstration site."""

    @classmethod
    def setUpClass(cls):
        cls.preview = Preview("--id", "museum")

    @classmethod
    def tearDownClass(cls):
        cls.preview.stop()

    async def call(self, client, tool, /, **arguments):
        """Calls a tool; returns its only text."""
        result = await client.call_tool(tool, arguments)
        self.assertFalse(result.is_error, result.content)
        self.assertIsNone(result.structured_content)
        (content,) = result.content
        return content.text

    async def look_around(self, client):
        """Checks what every client finds, however it is connected."""
        self.assertEqual(client.server_info.title, "Museum of Everyday Things documentation")
        self.assertIn("get_page", client.instructions)
        tools = (await client.list_tools()).tools
        self.assertEqual(len(tools), 7)
        for tool in tools:
            self.assertEqual(tool.annotations.read_only_hint, tool.name != "submit_feedback")

        text = await self.call(client, "search", query="buy a ticket", limit=2)
        self.assertIn("2 pages for", text)
        url = "/api/tickets/buy-a-ticket"
        self.assertIn(f"\n1. [Buy a ticket]({url})", text)

        text = await self.call(client, "get_page", path=url)
        self.assertTrue(text.startswith("# Buy a ticket\n"))

        text = await self.call(client, "list_operations", method="get")
        lines = [line for line in text.splitlines() if line.startswith("- ")]
        self.assertTrue(lines)
        self.assertTrue(all(line.startswith("- `GET ") for line in lines))
        ticket = "GET /tickets/{ticket_id}"
        text = await self.call(client, "get_operation", operation=ticket)
        self.assertIn("- `ticket_id` (path, ", text)
        text = await self.call(client, "get_operation", operation=ticket, detail="full")
        self.assertIn("\npaths:\n  /tickets/{ticket_id}:", text)
        text = await self.call(client, "get_schema", name="#/components/schemas/Ticket")
        self.assertIn("yaml openapi/museum.yaml\n", text)
        text = await self.call(client, "ask", question="How do I buy a ticket?")
        self.assertIn(url, text)

        wrong = await client.call_tool("get_operation", {"operation": "GET /tikets"})
        self.assertTrue(wrong.is_error)
        self.assertIn("GET /tickets", wrong.content[0].text)
        wrong = await client.call_tool("search", {"query": "x", "limit": 1000})
        self.assertTrue(wrong.is_error)
        self.assertIn("`limit`", wrong.content[0].text)

        resources = (await client.list_resources()).resources
        uris = [str(resource.uri) for resource in resources]
        self.assertIn("docs://pages/quickstart", uris)
        contents = (await client.read_resource("docs://pages/quickstart")).contents
        self.assertTrue(contents[0].text.startswith("# Quickstart\n"))
        self.assertEqual(contents[0].mime_type, "text/markdown")
        with self.assertRaises(MCPError):
            await client.read_resource("docs://pages/nowhere")

    async def test_over_http(self):
        for mode in ["auto", "legacy"]:
            with self.subTest(mode):
                async with Client(f"{self.preview.origin}/mcp", mode=mode) as client:
                    await self.look_around(client)

    async def test_over_standard_streams(self):
        with tempfile.TemporaryDirectory() as folder:
            site = Path(folder) / "site"
            shutil.copytree(MUSEUM, site)
            server = StdioServerParameters(command=str(PROGRAM), args=["mcp", str(site), "--no-state"])
            for mode in ["auto", "legacy"]:
                with self.subTest(mode):
                    async with Client(server, mode=mode) as client:
                        await self.look_around(client)
                        page = site / "quickstart.mdx"
                        page.write_text(f"---\ntitle: Quickstart\n---\n\nNow it says {mode}.\n")
                        text = await self.call(client, "get_page", path="/quickstart")
                        self.assertIn(f"Now it says {mode}.", text)
                        shutil.copy(MUSEUM / "quickstart.mdx", page)


if __name__ == "__main__":
    unittest.main()
