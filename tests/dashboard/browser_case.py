# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What tests of the dashboard have in common: a page, its console, what axe-core says of it."""

import pathlib
import unittest

import browser

PATIENCE_MS = 30_000
VIEWS = ["queues", "applications", "nodes", "events", "modules"]


class BrowserCase(unittest.TestCase):
    tools = pathlib.Path()  # the folder of Playwright and axe-core
    url = ""                # of the server

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
        self.wrong = []
        page.on("console", lambda message: self.wrong.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda problem: self.wrong.append(str(problem)))
        page.goto(f"{self.url}/#/{view}")
        return page

    def shown(self, page, view: str):
        """Waits until a view has what it is about."""
        raise NotImplementedError

    def open(self, page, view: str):
        page.click(f"nav a[href='#/{view}']")
        self.shown(page, view)

    def violations(self, page) -> list[str]:
        return browser.axe_violations(page, self.tools)

    def too_wide(self, page) -> int:
        return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
