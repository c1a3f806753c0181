// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Elements made of words. The report of `tenon simulate` has this file too.

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "rect", "line", "title", "path", "g", "text"]);

// Attributes that are false, null or undefined are left out; children may be lists, texts, null.
export function h(tag, attributes = {}, ...children) {
  const element = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
