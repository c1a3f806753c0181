// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The theme that was chosen last, before anything is painted.
(() => {
  try {
    const chosen = localStorage.getItem("tenon-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage may be forbidden: the system's theme does.
  }
})();
