// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Changes a page to a new state while focus, scrolling and typed text stay.
export { h } from "./element.js";

function sameKind(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) return false;
  return old.nodeType !== Node.ELEMENT_NODE || keyOf(old) === keyOf(fresh);
}

function keyOf(node) {
  return node.nodeType === Node.ELEMENT_NODE ? node.getAttribute("data-key") : null;
}

function patchAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
}

function patch(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  if (old.hasAttribute("data-keep")) return;  // draws itself
  patchAttributes(old, fresh);
  patchChildren(old, [...fresh.childNodes]);
  if (old.nodeName === "SELECT" && old !== document.activeElement) {
    const chosen = [...old.options].findIndex((option) => option.hasAttribute("selected"));
    if (chosen >= 0) old.selectedIndex = chosen;
  }
}

function patchChildren(parent, wanted) {
  const keyed = new Map();
  for (const child of parent.childNodes) if (keyOf(child) !== null) keyed.set(keyOf(child), child);
  let at = parent.firstChild;
  for (const fresh of wanted) {
    const key = keyOf(fresh);
    let old = key === null ? at : keyed.get(key);
    if (key === null) while (old !== null && keyOf(old) !== null) old = old.nextSibling;
    if (old && sameKind(old, fresh)) {
      if (old === at) at = at.nextSibling;
      else parent.insertBefore(old, at);
      patch(old, fresh);
      keyed.delete(key);
    } else {
      parent.insertBefore(fresh, at);
    }
  }
  while (at !== null) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

// Gives a part of the page these children. Who has the focus keeps it where it is still there.
export function show(parent, ...children) {
  const focused = document.activeElement;
  const wanted = document.createElement("div");
  wanted.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  patchChildren(parent, [...wanted.childNodes]);
  if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
}
