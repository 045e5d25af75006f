// The start page: reads again what changes, and draws the charts. Both stop while the page is not to be seen.
"use strict";

(() => {
  const page = document.querySelector("[data-gisc-live]");
  if (!page) return;

  // --- What changes ------------------------------------------------------------------------------------

  function replace(region, fresh) {
    const open = [...region.querySelectorAll("details[open]")].map((fold) => fold.dataset.fold);
    const focused = region.contains(document.activeElement) ? [...region.querySelectorAll("a, button, summary")].indexOf(document.activeElement) : -1;
    for (const fold of fresh.querySelectorAll("details")) fold.open = open.includes(fold.dataset.fold);
    if (fresh.innerHTML === region.innerHTML) return;
    region.replaceChildren(...fresh.childNodes);
    if (focused >= 0) region.querySelectorAll("a, button, summary")[focused]?.focus({ preventScroll: true });
  }

  async function readAgain() {
    const answer = await fetch(page.dataset.giscLive, { credentials: "same-origin" });
    if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const region of fresh.querySelectorAll("section[id]")) {
      const old = document.getElementById(region.id);
      if (old) replace(old, document.adoptNode(region));
    }
  }

  // --- Charts --------------------------------------------------------------------------------------------

  const PALETTE = ["#2563eb", "#b45309", "#be123c"];
  const charts = new Map();

  // Stripes of another direction for each row, so that colour is not needed.
  function pattern(number) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const pen = tile.getContext("2d");
    pen.fillStyle = PALETTE[number];
    pen.fillRect(0, 0, 8, 8);
    pen.strokeStyle = "rgba(255, 255, 255, .75)";
    pen.lineWidth = 2;
    pen.beginPath();
    if (number === 1) { pen.moveTo(0, 8); pen.lineTo(8, 0); }
    if (number === 2) { pen.moveTo(0, 4); pen.lineTo(8, 4); }
    pen.stroke();
    return pen.createPattern(tile, "repeat");
  }

  function bars(names, columns) {
    return names.map((label, n) => ({ label, data: columns[n], backgroundColor: pattern(n), borderColor: PALETTE[n], borderWidth: 1 }));
  }

  function lines(names, columns) {
    return names.map((label, n) => ({
      label, data: columns[n], borderColor: PALETTE[n], backgroundColor: PALETTE[n], borderDash: n ? [6, 4] : [],
      pointStyle: n ? "rect" : "circle", pointRadius: 2, yAxisID: n ? "second" : "y",
    }));
  }

  function draw(canvas, type, labels, datasets, scales) {
    const known = charts.get(canvas);
    if (known) {
      known.data.labels = labels;
      known.data.datasets.forEach((row, n) => { row.data = datasets[n].data; });
      known.update("none");
      return;
    }
    const colour = getComputedStyle(page).color;
    const axis = { ticks: { color: colour }, grid: { color: "rgba(128, 128, 128, .2)" } };
    const all = { x: { ...axis }, y: { ...axis, beginAtZero: true }, ...scales?.(axis) };
    charts.set(canvas, new Chart(canvas, {
      type,
      data: { labels, datasets },
      options: {
        animation: false, maintainAspectRatio: false, interaction: { mode: "index", intersect: false },
        plugins: { legend: { position: "bottom", labels: { color: colour, usePointStyle: type === "line" } } }, scales: all,
      },
    }));
  }

  async function drawAgain() {
    const canvases = [...page.querySelectorAll("canvas[data-gisc-chart]")];
    if (!canvases.length || typeof Chart === "undefined") return;
    const answer = await fetch(page.dataset.giscCharts, { credentials: "same-origin" });
    if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
    const { days = [], sets = [] } = await answer.json();
    const column = (rows, name) => rows.map((row) => row[name]);
    for (const canvas of canvases) {
      const names = canvas.dataset.names.split("|");
      const dates = days.map((row) => row.day.slice(5));
      if (canvas.dataset.giscChart === "changes") {
        draw(canvas, "bar", dates, bars(names, ["new", "updated", "deleted"].map((name) => column(days, name))));
      } else if (canvas.dataset.giscChart === "runs") {
        const second = (axis) => ({ second: { ...axis, position: "right", beginAtZero: true, grid: { drawOnChartArea: false } } });
        draw(canvas, "line", dates, lines(names, ["seconds_a_run", "entries_a_second"].map((name) => column(days, name))), second);
      } else {
        const largest = sets.slice(0, 12);
        draw(canvas, "bar", column(largest, "set"), bars(names, ["live", "deleted"].map((name) => column(largest, name))));
      }
    }
  }

  // --- Again and again -------------------------------------------------------------------------------------

  function showWhetherStale(isStale) {
    document.querySelector(".gisc-stale").hidden = !isStale;
  }

  let timer = null;
  async function turn() {
    timer = null;
    try {
      await Promise.all([readAgain(), drawAgain()]);
      showWhetherStale(false);
    } catch {
      showWhetherStale(true);
    }
    plan();
  }
  function plan() {
    if (!document.hidden && timer === null) timer = setTimeout(turn, 1000 * Number(page.dataset.giscEvery));
  }
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { clearTimeout(timer); timer = null; } else { turn(); }
  });
  drawAgain().catch(() => showWhetherStale(true));
  plan();
})();
