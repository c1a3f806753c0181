// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Values beside the pointer.
import { h } from "./element.js";

const tip = h("div", { id: "tip", hidden: true });
const cursor = h("div", { class: "cursor" });

function place(event) {
  const width = tip.offsetWidth, height = tip.offsetHeight, page = document.documentElement;
  const right = event.pageX + 16;
  tip.style.left = `${Math.max(4, right + width > page.clientWidth ? Math.min(event.pageX - width - 16, page.clientWidth - width - 4) : right)}px`;
  tip.style.top = `${event.pageY + (event.clientY + 12 + height > page.clientHeight ? -12 - height : 12)}px`;
}

// Shows what `values(part)` returns, {head, lines: [{name, colour, text}]}, while a pointer is at this part of the width of
// `area`. A line stands at the pointer in `marked`, if that is not null.
export function watch(area, marked, values) {
  const hide = () => {
    cursor.remove();
    tip.hidden = true;
  };
  area.addEventListener("pointerleave", hide);
  area.addEventListener("pointermove", (event) => {
    const box = area.getBoundingClientRect(), part = (event.clientX - box.left) / box.width;
    if (part < 0 || part >= 1) return hide();
    const { head, lines } = values(part);
    cursor.style.left = `${part * 100}%`;
    marked?.append(cursor);
    tip.replaceChildren(h("b", {}, head), ...lines.map(({ name, colour, text }) =>
      h("div", {}, colour ? h("i", { style: `background:var(--${colour})` }) : null, `${name}: ${text}`)));
    tip.hidden = false;
    document.body.append(tip);
    place(event);
  });
}
