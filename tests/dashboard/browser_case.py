# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What tests of the dashboard have in common: a page, its console, what axe-core says of it."""

import pathlib
import unittest

import browser

PATIENCE_MS = 30_000
VIEWS = ["overview", "queues", "applications", "nodes", "devices", "people", "reservations", "preemptions", "managers", "events", "modules"]
LEFT = "net::ERR_ABORTED"  # the page itself gave the request up


class BrowserCase(unittest.TestCase):
    tools = pathlib.Path()  # the folder of Playwright and axe-core
    url = ""                # of the server
    trouble = False         # the test makes requests fail

    @classmethod
    def setUpClass(cls):
        from playwright.sync_api import expect, sync_playwright
        expect.set_options(timeout=PATIENCE_MS)
        cls.expect = staticmethod(expect)
        cls.chromium = browser.launch(cls.enterClassContext(sync_playwright()))
        cls.addClassCleanup(cls.chromium.close)

    def page(self, view: str = "queues", **options):
        options.setdefault("viewport", {"width": 1280, "height": 900})
        context = self.chromium.new_context(**options)
        self.addCleanup(context.close)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        if not hasattr(self, "wrong"):
            self.wrong = []
            self.addCleanup(self.check_that_nothing_was_wrong)
        page.on("response", lambda answer: self.wrong.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None)
        page.on("requestfailed", lambda asked: None if asked.failure == LEFT else self.wrong.append(f"{asked.failure} {asked.url}"))
        page.on("console", lambda message: self.wrong.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda problem: self.wrong.append(str(problem)))
        page.goto(f"{self.url}/#/{view}")
        return page

    def check_that_nothing_was_wrong(self):
        if not self.trouble:
            self.assertEqual(self.wrong, [], "console messages, and answers with their address")

    def shown(self, page, view: str):
        """Waits until a view has what it is about."""
        raise NotImplementedError

    def open(self, page, view: str):
        page.click(f"nav a[href='#/{view}']")
        self.shown(page, view)

    def violations(self, page) -> list[str]:
        return browser.axe_violations(page, self.tools)

    def header_share(self, page) -> float:
        """The part of the window that the header takes."""
        return page.evaluate("document.getElementById('top').getBoundingClientRect().bottom / innerHeight")

    def column(self, page, table: str, number: int) -> list[str]:
        """The texts of a column of a table, as it is sorted now."""
        return page.locator(f"[data-key='table {table}'] tbody tr > :nth-child({number})").all_inner_texts()

    def too_wide(self, page) -> int:
        return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
