// Refreshes a part of a page that shows something under way, until it has ended. Rests while nobody looks at the page.
"use strict";

(() => {
  const PAUSE_MS = 2000;
  const region = document.querySelector("[data-gisc-live]");
  if (!region) return;
  let timer = null;

  const hasEnded = () => region.querySelector("[data-gisc-ended]") !== null;

  function plan() {
    clearTimeout(timer);
    if (!hasEnded() && !document.hidden) timer = setTimeout(refresh, PAUSE_MS);
  }

  async function refresh() {
    try {
      const answer = await fetch(region.dataset.giscLive, { credentials: "same-origin" });
      if (answer.ok && !answer.redirected) region.innerHTML = await answer.text();
    } catch {
      // the next try may come through
    }
    const said = document.querySelector("[data-gisc-said]");
    if (hasEnded() && said) said.textContent = region.querySelector("[data-gisc-state]").textContent;
    plan();
  }

  document.addEventListener("visibilitychange", plan);
  plan();
})();
