// Refreshes what changes while runs go on, in the list of links and on the page of a link, without moving the page.
// It asks only while somebody looks; without it, the page is loaded again by hand.
"use strict";

(() => {
  const FIRST_S = 2, AFTER_FAULT_S = 30;
  let cells = [], url = "", timer = null;

  function show(parts) {
    for (const cell of cells) {
      const html = parts[cell.dataset.giscPart];
      // Only what has changed: who points at a part, or reads it, is not disturbed.
      if (html === undefined || cell.giscHtml === html) continue;
      if (cell.giscHtml !== undefined || cell.innerHTML.trim() !== html.trim()) cell.innerHTML = html;
      cell.giscHtml = html;
    }
  }

  function plan(seconds) {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(ask, seconds * 1000);
  }

  async function ask() {
    let wait = AFTER_FAULT_S;
    try {
      const answer = await fetch(url, { credentials: "same-origin" });
      if (answer.ok && !answer.redirected) {
        const told = await answer.json();
        show(told.parts);
        wait = told.wait_s;
      }
    } catch {
      // the next try may come through
    }
    plan(wait);
  }

  document.addEventListener("DOMContentLoaded", () => {
    cells = [...document.querySelectorAll("[data-gisc-part]")];
    const at = document.getElementById("gisc-live");
    if (!cells.length || !at) return;
    const links = new Set(cells.map((cell) => cell.dataset.giscPart.split(":")[0]));
    url = `${at.dataset.url}?links=${[...links].join(",")}`;
    document.addEventListener("visibilitychange", () => plan(0));
    plan(FIRST_S);
  });
})();
