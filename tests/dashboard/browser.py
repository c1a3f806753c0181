# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A real browser for tests: the distribution's Chromium, driven by Playwright, looked at by axe-core.

Playwright and axe-core are in no Debian package: tools/setup browser brings them from PyPI.
"""

import importlib
import pathlib
import shutil
import sys

PINNED = pathlib.Path(__file__).resolve().parents[2] / "tools/browser.txt"
CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), "")


def missing(folder: pathlib.Path) -> str:
    """What keeps the tests from running; empty: nothing, and the packages can be imported."""
    if not CHROMIUM:
        return "no Chromium here (Debian package chromium)"
    brought = folder / PINNED.name
    if not brought.exists() or brought.read_bytes() != PINNED.read_bytes():
        return f"{folder} has not the packages of tools/{PINNED.name}; tools/setup browser brings them"
    sys.path.insert(0, str(folder))
    importlib.import_module("playwright.sync_api")
    return ""


def launch(playwright):
    return playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])


def axe_violations(page, folder: pathlib.Path) -> list[str]:
    """What axe-core finds, a line each."""
    script = (folder / "axe_playwright_python" / "axe.min.js").read_text()
    if not page.evaluate("typeof window.axe === 'object'"):
        page.evaluate(script)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations)")
    return [f"{one['id']}: {place['target']}: {place.get('failureSummary', '')}" for one in found for place in one["nodes"]]
