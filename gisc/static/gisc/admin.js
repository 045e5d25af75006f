// For every page of the administration: `g d`, `g l` and `g r` open the dashboard, the links and the records (`/` searches);
// the head of a list stays in sight while its rows scroll.
"use strict";

(() => {
  // --- Keys: they go where the sidebar goes, so nowhere that this account may not -------------------------

  const PLACES = { d: '#nav-sidebar a[href$="/admin/"]', l: 'a[href$="/harvester/link/"]', r: 'a[href$="/catalogue/record/"]' };
  const LONGEST = 1500; // milliseconds between the two keys

  let asked = -Infinity;

  function isTyping(target) {
    return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === "g") {
      asked = event.timeStamp;
      return;
    }
    const link = event.timeStamp - asked < LONGEST && event.key in PLACES && document.querySelector(PLACES[event.key]);
    asked = -Infinity;
    if (link) {
      event.preventDefault();
      window.location.assign(link.href);
    }
  });

  // --- A list that is not wider than its place scrolls with the page, under its head ----------------------

  function fit() {
    const table = document.querySelector("#result_list");
    const frame = table?.closest(".overflow-x-auto");
    if (!frame) return;
    frame.classList.remove("gisc-fits");
    frame.classList.toggle("gisc-fits", table.scrollWidth <= frame.clientWidth + 1);
  }
  window.addEventListener("load", fit);
  window.addEventListener("resize", fit);
})();
