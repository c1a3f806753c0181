// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Squares on a canvas, one a node: thousands are drawn at once, and looked at with pointer or keys.

const GAP = 1;
let at = 0;       // the square that keys are at
let hovered = -1;

// The size of a square: as large as leaves the map about as high as a window.
function side(width, cells) {
  const wanted = Math.sqrt((width * 420) / Math.max(1, cells));
  return Math.max(width < 600 ? 7 : 8, Math.min(28, Math.floor(wanted)));
}

// The colours of the theme, as the counts beside the map have them.
function colours() {
  const of = (element, property) => (element ? getComputedStyle(element)[property] : "gray");
  return {
    steps: Array.from({ length: 10 }, (_, step) => of(document.querySelector(`.swatch.heat-${step}`), "backgroundColor")),
    none: of(document.getElementById("top"), "borderBottomColor"),
    page: of(document.body, "backgroundColor"),
    line: of(document.getElementById("heat"), "color"),
  };
}

const step = (value) => Math.min(9, Math.max(0, Math.ceil(value / 10) - 1));

function paint(canvas, app) {
  const { cells } = app.heat;
  const width = canvas.clientWidth;
  if (width === 0) return;
  const size = side(width, cells.length), columns = Math.max(1, Math.floor(width / size));
  const height = Math.max(size, Math.ceil(cells.length / columns) * size);
  const ratio = window.devicePixelRatio || 1;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.columns = columns;
  canvas.size = size;
  const pen = canvas.getContext("2d"), { steps, none, page, line } = colours();
  pen.scale(ratio, ratio);
  cells.forEach(({ node, value }, i) => {
    const x = (i % columns) * size, y = Math.floor(i / columns) * size, edge = size - GAP;
    pen.fillStyle = value === null ? none : steps[step(value)];
    pen.fillRect(x, y, edge, edge);
    if (node.schedulable) return;
    for (const [colour, thickness] of [[page, 4], [line, 1.5]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = thickness;
      pen.beginPath();
      pen.moveTo(x, y + edge);
      pen.lineTo(x + edge, y);
      pen.stroke();
    }
  });
  const marked = document.activeElement === canvas ? at : hovered;
  if (marked >= 0 && marked < cells.length) {
    pen.strokeStyle = line;
    pen.lineWidth = 2;
    pen.strokeRect((marked % columns) * size, Math.floor(marked / columns) * size, size - GAP, size - GAP);
  }
}

function under(canvas, event, app) {
  const box = canvas.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left) / canvas.size);
  const i = Math.floor((event.clientY - box.top) / canvas.size) * canvas.columns + column;
  return column < canvas.columns && i < app.heat.cells.length ? i : -1;
}

function listen(canvas, app, told) {
  const tell = (i) => {
    document.getElementById("heat-tip").textContent = i >= 0 && i < app.heat.cells.length ? told(app.heat.cells[i]) : "";
    paint(canvas, app);
  };
  canvas.addEventListener("pointermove", (event) => {
    const i = under(canvas, event, app);
    if (i !== hovered) tell((hovered = i));
  });
  canvas.addEventListener("pointerleave", () => tell((hovered = -1)));
  canvas.addEventListener("click", (event) => {
    const i = under(canvas, event, app);
    if (i < 0) return;
    at = i;
    app.open("node", app.heat.cells[i].node.nodeID);
  });
  canvas.addEventListener("focus", () => tell(at));
  canvas.addEventListener("blur", () => tell(-1));
  canvas.addEventListener("keydown", (event) => {
    const last = app.heat.cells.length - 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - canvas.columns, ArrowDown: at + canvas.columns,
      Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      if (to >= 0 && to <= last) at = to;
      tell(at);
    } else if ((event.key === "Enter" || event.key === " ") && app.heat.cells[at]) {
      event.preventDefault();
      app.open("node", app.heat.cells[at].node.nodeID);
    }
  });
  new ResizeObserver(() => requestAnimationFrame(() => canvas.isConnected && paint(canvas, app))).observe(canvas.parentElement);
}

export function draw(app, told) {
  const canvas = document.getElementById("heat");
  if (canvas === null) return;
  if (!canvas.listens) {
    canvas.listens = true;
    listen(canvas, app, told);
  }
  at = Math.min(at, Math.max(0, app.heat.cells.length - 1));
  canvas.setAttribute("aria-label", `${app.heat.cells.length} nodes by share of ${app.heat.name} in use`);
  paint(canvas, app);
}
