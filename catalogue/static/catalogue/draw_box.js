/* Draw the box of a search on the map: the sides are written into the fields. Without this script the fields do. */
"use strict";
(() => {
  const UNITS = 4; // of the map for one degree; its zero is 180 degrees west, 84 degrees north (catalogue/discovery/maps.py)
  const NORTH = 84;
  const LEAST = 0.5; // degrees: less is a click, no box
  const map = document.querySelector("[data-draw-box]");
  if (!map || !map.getScreenCTM) return;
  const fields = Object.fromEntries(["west", "south", "east", "north"].map((side) => [side, map.closest("form").elements[side]]));
  const hint = document.querySelector("[data-draw-hint]");
  let start = null;

  const within = (value, limit) => Math.max(-limit, Math.min(limit, value));
  const degrees = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse());
    return { x: within(point.x / UNITS - 180, 180), y: within(NORTH - point.y / UNITS, 90) };
  };
  const draw = (one, other) => {
    const west = Math.min(one.x, other.x), east = Math.max(one.x, other.x);
    const south = Math.min(one.y, other.y), north = Math.max(one.y, other.y);
    const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    box.setAttribute("x", (west + 180) * UNITS);
    box.setAttribute("y", (NORTH - north) * UNITS);
    box.setAttribute("width", (east - west) * UNITS);
    box.setAttribute("height", (north - south) * UNITS);
    map.querySelectorAll("rect").forEach((old) => old.remove());
    map.append(box);
    return { west, south, east, north };
  };

  map.classList.add("ready");
  hint.hidden = false;
  map.addEventListener("pointerdown", (event) => {
    start = degrees(event);
    map.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  map.addEventListener("pointermove", (event) => {
    if (start) draw(start, degrees(event));
  });
  map.addEventListener("pointerup", (event) => {
    if (!start) return;
    const box = draw(start, degrees(event));
    start = null;
    if (box.east - box.west < LEAST || box.north - box.south < LEAST) return;
    for (const [side, value] of Object.entries(box)) fields[side].value = value.toFixed(1);
  });
  map.addEventListener("pointercancel", () => { start = null; });
})();
