"""What a build writes for programs, as programs of others read it: site map, robots.txt, feeds, llms.txt, JSON-LD, Open Graph.

Each is judged against the pages of the same build. `QUIRE_SHARED` names the folder with real sites; without it and without
one beside the repository the fixtures alone are judged."""

import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.robotparser import RobotFileParser

import extruct
import feedparser
from llms_txt import parse_llms_file
from lxml import html
from protego import Protego
from pyld import jsonld
from rdflib.namespace import SDO
from sitemapparser.data_helpers import data_to_element
from sitemapparser.url_set import UrlSet

from support import PROGRAM, REPOSITORY

BASE = "https://docs.example"
XHTML = "{http://www.w3.org/1999/xhtml}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
SHARED = Path(os.environ.get("QUIRE_SHARED") or REPOSITORY.parent / "shared")

# What the context of schema.org says of the terms that hold addresses. All other terms are its vocabulary.
CONTEXT = {
    "@context": {
        "@vocab": "https://schema.org/",
        "id": "@id",
        "type": "@type",
        **{term: {"@type": "@id"} for term in ("url", "sameAs", "image", "logo", "item", "isPartOf", "mainEntityOfPage")},
    }
}

# A site with one page of each visibility, a changelog and two languages.
SMALL = {
    "docs.json": json.dumps(
        {
            "name": "Museum",
            "theme": "mint",
            "colors": {"primary": "#0a7a5a"},
            "description": "All about it.",
            "navigation": {
                "languages": [
                    {"language": "en", "default": True, "groups": [{"group": "Guides", "pages": [
                        "index", "guides/shown", "guides/hidden", "guides/noindex", "guides/unsearchable", "changes"]}]},
                    {"language": "de", "groups": [{"group": "Anleitungen", "pages": ["de/index", "de/guides/shown"]}]},
                ]
            },
        }
    ),
    "index.mdx": "---\ntitle: Welcome & hello\n---\n\nHello.\n",
    "guides/shown.mdx": "---\ntitle: Shown\ndescription: A page <of> it.\nlastUpdatedDate: '2026-01-02'\n---\n\n## Part\n\nWords.\n",
    "guides/hidden.mdx": "---\ntitle: Hidden\nhidden: true\n---\n\nWords.\n",
    "guides/noindex.mdx": "---\ntitle: Noindex\nnoindex: true\n---\n\nWords.\n",
    "guides/unsearchable.mdx": "---\ntitle: Unsearchable\nsearchable: false\n---\n\nWords.\n",
    "de/index.mdx": "---\ntitle: Willkommen\n---\n\nHallo.\n",
    "de/guides/shown.mdx": "---\ntitle: Gezeigt\n---\n\nWorte.\n",
    "changes.mdx": "---\ntitle: Changes\nrss: true\n---\n\n"
    '<Update label="2026-03-01" description="v2">\n## Faster & smaller\n\nWords of two.\n</Update>\n\n'
    '<Update label="2026-02-01" description="v1">\nThe first <b>one</b>.\n</Update>\n',
}


class Export:
    """A build of the site in `source`, and its pages as they are in it."""

    def __init__(self, source):
        self.folder = Path(tempfile.mkdtemp(prefix="quire-outputs-"))
        out = self.folder / "out"
        docs = json.loads((Path(source) / "docs.json").read_text())
        self.name = docs["name"]
        self.has_versions = '"versions"' in json.dumps(docs)
        # What its author calls canonical is the address of the site.
        self.base = docs.get("seo", {}).get("metatags", {}).get("canonical", BASE).rstrip("/")
        command = [PROGRAM, "build", source, "--out", out, "--base-url", self.base, "--no-state", "--allow-errors", "--quiet"]
        subprocess.run(command, check=True, capture_output=True)
        self.out = out
        self.pages = {}
        for path in sorted(out.rglob("index.html")):
            # What belongs to a page and is none.
            if {"_whole", "_rows"} & set(path.parts):
                continue
            text = path.read_text()
            if 'http-equiv="refresh"' in text:
                continue
            self.pages[self.address(path)] = text

    def address(self, path):
        """The address of the page in the file at `path`."""
        folder = path.relative_to(self.out).parent.as_posix()
        return f"{self.base}/" if folder == "." else f"{self.base}/{folder}/"

    def file_at(self, address):
        """The file that a server of files answers `address` with."""
        assert address.startswith(f"{self.base}/"), address
        name = urlsplit(address.removeprefix(self.base)).path
        path = self.out / unquote(name).lstrip("/")
        return path / "index.html" if name.endswith("/") else path

    def remove(self):
        shutil.rmtree(self.folder)


def small_site():
    folder = Path(tempfile.mkdtemp(prefix="quire-small-"))
    for name, text in SMALL.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def metas(tree, name):
    return tree.xpath(f"//meta[@name='{name}' or @property='{name}']/@content")


class Judges:
    """What every site is held against. A class of tests says which site in `source`."""

    @classmethod
    def setUpClass(cls):
        cls.export = Export(cls.source())
        cls.base = cls.export.base
        cls.trees = {address: html.fromstring(text) for address, text in cls.export.pages.items()}

    @classmethod
    def tearDownClass(cls):
        cls.export.remove()

    def read(self, name):
        return (self.export.out / name).read_text()

    def indexed(self):
        """The addresses of the pages that robots may keep."""
        return {address for address, tree in self.trees.items() if not any("noindex" in one for one in metas(tree, "robots"))}

    def test_site_map(self):
        root = data_to_element((self.export.out / "sitemap.xml").read_bytes())
        urls = list(UrlSet(root))
        locations = [url.loc for url in urls]
        self.assertEqual(len(locations), len(set(locations)))
        self.assertEqual(set(locations) - self.indexed(), set())
        # Whoever the navigation shows is in it.
        shown = {self.base + unquote(urlsplit(href).path) for tree in self.trees.values() for href in tree.xpath("//nav//a/@href") if href.startswith("/")}
        decoded = {unquote(location) for location in locations}
        self.assertEqual((shown & {unquote(one) for one in self.indexed()}) - decoded, set())
        for url, element in zip(urls, root.iter(SITEMAP + "url"), strict=True):
            tree = self.trees[unquote(url.loc)] if unquote(url.loc) in self.trees else self.trees[url.loc]
            # A page of an older version names the same page of the version shown first, which is canonical itself.
            (canonical,) = tree.xpath("//link[@rel='canonical']/@href")
            self.assertIn(canonical, locations)
            if canonical != url.loc:
                first = self.trees[unquote(canonical)] if unquote(canonical) in self.trees else self.trees[canonical]
                self.assertEqual(first.xpath("//link[@rel='canonical']/@href"), [canonical])
                self.assertTrue(self.export.has_versions, url.loc)
            # Languages are those that the page itself names.
            named = [(link.get("hreflang"), link.get("href")) for link in element.iter(XHTML + "link")]
            own = [(link.get("hreflang"), link.get("href")) for link in tree.xpath("//link[@rel='alternate'][@hreflang]")]
            self.assertEqual(named, own, url.loc)
            if named:
                self.assertIn((tree.get("lang"), url.loc), named)
                for language, address in named:
                    other = self.trees[unquote(address)]
                    self.assertIn(("x-default" == language or other.get("lang")) and address, [address])
                    self.assertIn(url.loc, other.xpath("//link[@rel='alternate'][@hreflang]/@href"))
            modified = [node["dateModified"] for node in self.graph(tree) if "dateModified" in node]
            if url.lastmod is None:
                self.assertEqual(modified, [])
            else:
                self.assertEqual([datetime.fromisoformat(day).date() for day in modified], [url.lastmod.date()])

    def test_robots(self):
        text = self.read("robots.txt")
        standard = RobotFileParser()
        standard.parse(text.splitlines())
        strict = Protego.parse(text)
        self.assertEqual(standard.site_maps(), [f"{self.base}/sitemap.xml"])
        self.assertEqual(list(strict.sitemaps), [f"{self.base}/sitemap.xml"])
        for address in self.trees:
            self.assertTrue(standard.can_fetch("Googlebot", address) and strict.can_fetch(address, "Googlebot"), address)

    def test_llms(self):
        parsed = parse_llms_file(self.read("llms.txt"))
        self.assertEqual(parsed.title, self.export.name)
        links = [link for name, links in parsed.sections.items() if name != "Optional" for link in links]
        self.assertEqual(len(links), len({link.url for link in links}))
        pages = [link for link in links if link.url.endswith(".md")]
        self.assertGreater(len(pages), 1)
        for link in links:
            file = self.export.file_at(link.url)
            self.assertTrue(file.exists(), link.url)
            if link in pages:
                self.assertEqual(" ".join(file.read_text().splitlines()[0].removeprefix("# ").split()), link.title)
        # A page that is listed is one that robots may keep.
        listed = {f"{self.base}/" if link.url == f"{self.base}/index.md" else link.url.removesuffix(".md") + "/" for link in pages}
        self.assertEqual({unquote(one) for one in listed} - {unquote(one) for one in self.indexed()}, set())

    def test_feeds(self):
        named = {href for tree in self.trees.values() for href in tree.xpath("//link[@type='application/rss+xml']/@href")}
        written = {f"/{path.relative_to(self.export.out).as_posix()}" for path in self.export.out.rglob("rss.xml")}
        self.assertEqual({unquote(urlsplit(href).path) for href in named}, written)
        for name in written:
            feed = feedparser.parse((self.export.out / name[1:]).read_bytes())
            self.assertFalse(feed.bozo, (name, feed.get("bozo_exception")))
            self.assertEqual(feed.version, "rss20")
            page = self.trees[feed.feed.link if feed.feed.link in self.trees else unquote(feed.feed.link)]
            self.assertIn(feed.feed.link, page.xpath("//link[@rel='canonical']/@href"))
            self.assertTrue(feed.feed.title and feed.feed.description)
            self.assertIn(self.base + name, [unquote(link.href) for link in feed.feed.links if link.rel == "self"])
            self.assertTrue(0 < len(feed.entries) <= 15, name)
            self.assertEqual(len({entry.id for entry in feed.entries}), len(feed.entries))
            ids = set(page.xpath("//@id"))
            for entry in feed.entries:
                self.assertIn(unquote(urlsplit(entry.link).fragment), ids)
                self.assertTrue(entry.title)
                if "published" in entry:
                    self.assertIsNotNone(entry.published_parsed, entry.published)

    def title_of(self, tree):
        """The title of a page as the browser shows it, without the name of the site behind it."""
        title = " ".join(tree.xpath("string(//head/title)").split())
        return title.removesuffix(f"- {self.export.name}").strip()

    def graph(self, tree):
        found = [json.loads(script.text) for script in tree.xpath("//script[@type='application/ld+json']")]
        self.assertEqual(len(found), 1)
        return found[0]["@graph"]

    def test_json_ld(self):
        def context(address, _):
            self.assertEqual(address.rstrip("/"), "https://schema.org")
            return {"contextUrl": None, "documentUrl": address, "document": CONTEXT}

        for address, text in self.export.pages.items():
            tree = self.trees[address]
            data = extruct.extract(text, base_url=address, syntaxes=["json-ld"])["json-ld"]
            self.assertEqual(len(data), 1, address)
            nodes = jsonld.expand(data[0], {"documentLoader": context, "base": address})
            self.check_vocabulary(nodes)
            canonical = tree.xpath("//link[@rel='canonical']/@href")[0]
            by_type = {}
            for node in nodes:
                for kind in node["@type"]:
                    by_type.setdefault(kind.removeprefix(str(SDO)), []).append(node)
            articles = by_type.get("TechArticle", []) + by_type.get("APIReference", []) + by_type.get("WebPage", [])
            self.assertEqual(len(articles), 1, address)
            article = articles[0]
            mode = tree.xpath("string(//*[@id='body-content']/@data-mode)")
            is_page = (address == f"{self.base}/" or mode in ("custom", "frame")) and "APIReference" not in by_type
            self.assertEqual("WebPage" in by_type, is_page, address)
            value = lambda name: [one.get("@value", one.get("@id")) for one in article.get(str(SDO) + name, [])]
            self.assertEqual(article["@id"], f"{canonical}#article")
            self.assertEqual(value("url"), [canonical])
            self.assertEqual(value("inLanguage"), [tree.get("lang")])
            self.assertEqual([" ".join(one.split()) for one in value("headline")], [self.title_of(tree)])
            self.assertEqual(value("description"), metas(tree, "description"))
            self.assertEqual(value("image"), metas(tree, "og:image"))
            # What is part of something is part of something that is there.
            ids = {node["@id"] for node in nodes if "@id" in node}
            for part in article[str(SDO) + "isPartOf"]:
                self.assertIn(part["@id"], ids)
            items = by_type["BreadcrumbList"][0][str(SDO) + "itemListElement"]
            positions = [item[str(SDO) + "position"][0]["@value"] for item in items]
            self.assertEqual(positions, list(range(1, len(items) + 1)))
            ends = [item[str(SDO) + "item"][0]["@id"] for item in items]
            if address != f"{self.base}/":
                self.assertEqual(ends[-1], canonical)
            for end in ends:
                self.assertTrue(self.export.file_at(end).exists(), end)

    def check_vocabulary(self, value):
        """Every term is one of schema.org, every id is a whole address."""
        if isinstance(value, list):
            for one in value:
                self.check_vocabulary(one)
        elif isinstance(value, dict):
            for key, inner in value.items():
                if key == "@id":
                    self.assertRegex(inner, r"^https?://")
                elif key == "@type":
                    for kind in inner if isinstance(inner, list) else [inner]:
                        self.assert_term(kind)
                elif not key.startswith("@"):
                    self.assert_term(key)
                    self.check_vocabulary(inner)

    def assert_term(self, term):
        self.assertTrue(term.startswith(str(SDO)), term)
        self.assertIn(SDO[term.removeprefix(str(SDO))], SDO)

    def test_open_graph(self):
        for address, text in self.export.pages.items():
            tree = self.trees[address]
            found = extruct.extract(text, base_url=address, syntaxes=["opengraph"])["opengraph"]
            self.assertEqual(len(found), 1, address)
            tags = dict(found[0]["properties"])
            for name in ("og:title", "og:type", "og:site_name", "og:url", "og:image"):
                self.assertTrue(tags.get(name), (name, address))
            self.assertEqual(tags["og:url"], tree.xpath("//link[@rel='canonical']/@href")[0])
            image = tags["og:image"]
            self.assertEqual(metas(tree, "twitter:image"), [image])
            self.assertEqual(metas(tree, "twitter:card"), ["summary_large_image"])
            if not image.startswith(self.base + "/og/"):
                continue
            bytes_of = self.export.file_at(image).read_bytes()
            self.assertEqual(bytes_of[:8], b"\x89PNG\r\n\x1a\n")
            size = struct.unpack(">II", bytes_of[16:24])
            self.assertEqual((str(size[0]), str(size[1])), (tags["og:image:width"], tags["og:image:height"]))


class Small(Judges, unittest.TestCase):
    """A site whose every answer is known."""

    @classmethod
    def source(cls):
        cls.folder = small_site()
        return cls.folder

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.folder)

    def test_what_is_listed(self):
        root = data_to_element((self.export.out / "sitemap.xml").read_bytes())
        urls = {url.loc: url.lastmod for url in UrlSet(root)}
        names = ("", "guides/shown/", "guides/unsearchable/", "changes/", "de/", "de/guides/shown/")
        self.assertEqual(set(urls), {f"{BASE}/{name}" for name in names})
        self.assertEqual(urls[f"{BASE}/guides/shown/"].date().isoformat(), "2026-01-02")
        links = parse_llms_file(self.read("llms.txt")).sections
        titles = [link.title for links in links.values() for link in links]
        self.assertEqual(titles, ["Welcome & hello", "Shown", "Changes"])
        described = {link.title: link.desc for links in links.values() for link in links}
        self.assertEqual(described["Shown"], "A page <of> it.")

    def test_what_is_new(self):
        feed = feedparser.parse((self.export.out / "changes/rss.xml").read_bytes())
        entries = [(entry.title, entry.get("published", "")[5:16], entry.link) for entry in feed.entries]
        self.assertEqual([title for title, _, _ in entries], ["Faster & smaller", "2026-02-01: v1"])
        self.assertEqual([day for _, day, _ in entries], ["01 Mar 2026", "01 Feb 2026"])


class Museum(Judges, unittest.TestCase):
    """The demonstration site."""

    @staticmethod
    def source():
        return REPOSITORY / "fixtures/museum"


class Languages(Judges, unittest.TestCase):
    """A site in several languages."""

    @staticmethod
    def source():
        return REPOSITORY / "fixtures/languages/site"


def of_corpus(name):
    """The class of tests of a real site, where there are some."""

    class OfCorpus(Judges, unittest.TestCase):
        @staticmethod
        def source():
            return SHARED / "corpus/sites" / name

    OfCorpus.__name__ = OfCorpus.__qualname__ = name.capitalize()
    return unittest.skipUnless((SHARED / "corpus/sites" / name).exists(), "real sites are not there")(OfCorpus)


Polar, Stagehand, Trigger = (of_corpus(name) for name in ("polar", "stagehand", "trigger"))

if __name__ == "__main__":
    unittest.main()
