#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The site of the documents: every page, links that lead somewhere, a search that finds. Ends with 77 where there is no mkdocs."""

import html.parser
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Page(html.parser.HTMLParser):
    def __init__(self, file: pathlib.Path):
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        self.links += [given[name] for name in ("href", "src") if given.get(name)]


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tenon-site-")
        cls.addClassCleanup(folder.cleanup)
        cls.site = pathlib.Path(folder.name) / "site"
        subprocess.run([ROOT / "tools/site", cls.site], check=True, capture_output=True)
        cls.pages = {file: Page(file) for file in cls.site.rglob("*.html") if file.name != "404.html"}

    def test_has_every_page_of_the_documents(self):
        for page in (ROOT / "docs").rglob("*.md"):
            made = self.site / page.relative_to(ROOT).with_suffix(".html")
            self.assertIn(made if made.stem != "README" else made.with_name("index.html"), self.pages)

    def test_every_link_leads_somewhere_on_the_site(self):
        wrong = []
        for file, page in self.pages.items():
            for link in page.links:
                path, _, fragment = link.partition("#")
                if urllib.parse.urlparse(link).scheme:
                    continue
                target = (file.parent / urllib.parse.unquote(path.partition("?")[0])).resolve() if path else file
                target = target / "index.html" if target.is_dir() else target
                if not target.exists():
                    wrong.append(f"{file.relative_to(self.site)}: {link}")
                elif fragment and target in self.pages and urllib.parse.unquote(fragment) not in self.pages[target].anchors:
                    wrong.append(f"{file.relative_to(self.site)}: {link}, and there is no such heading")
        self.assertEqual("\n".join(sorted(set(wrong))[:30]), "")

    def test_its_search_finds_and_nothing_comes_from_elsewhere(self):
        found = json.loads((self.site / "search/search_index.json").read_text())["docs"]
        self.assertTrue(any("preemption.delay" in one["text"] and one["location"].startswith("docs/configuration.html") for one in found))
        for file, page in self.pages.items():
            for link in page.links:
                self.assertFalse(link.endswith((".js", ".css")) and urllib.parse.urlparse(link).scheme, f"{file}: {link}")


if __name__ == "__main__":
    if not shutil.which("mkdocs"):
        print("skipped: no mkdocs here (Debian packages mkdocs and mkdocs-material)")
        sys.exit(77)
    unittest.main()
