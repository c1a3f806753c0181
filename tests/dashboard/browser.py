# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A real browser for tests: the distribution's Chromium, driven by Playwright, looked at by axe-core.

Playwright and axe-core are in no Debian package: they come from PyPI into a folder of the build.
"""

import importlib
import pathlib
import shutil
import subprocess
import sys

PACKAGES = ("playwright", "axe-playwright-python")
CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), "")


def missing(folder: pathlib.Path) -> str:
    """What keeps the tests from running; empty: nothing, and the packages can be imported."""
    if not CHROMIUM:
        return "no Chromium here (Debian package chromium)"
    ready = folder / f"ready-{sys.version_info.major}.{sys.version_info.minor}"
    if not ready.exists():
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--only-binary", ":all:",
                 "--upgrade", "--target", folder, *PACKAGES], capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            return f"the package registry did not give {', '.join(PACKAGES)} in time"
        if done.returncode != 0:
            return f"{', '.join(PACKAGES)} cannot be installed: {(done.stderr.strip() or 'pip says nothing').splitlines()[-1]}"
        ready.touch()
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
