// The page of a run that goes on is read again every five seconds, without losing the scroll; not while nobody looks at it.
"use strict";

(() => {
  const PAUSE_MS = 5000;
  const isOpen = () => document.querySelector("[data-gisc-open]") !== null;
  let timer = null;

  function plan() {
    clearTimeout(timer);
    if (isOpen() && !document.hidden) timer = setTimeout(readAgain, PAUSE_MS);
  }

  async function readAgain() {
    try {
      const answer = await fetch(window.location.href, { credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("content-main");
      if (answer.ok && !answer.redirected && fresh) document.getElementById("content-main").replaceChildren(...fresh.childNodes);
    } catch {
      // the next try may come through
    }
    plan();
  }

  document.addEventListener("visibilitychange", plan);
  plan();
})();
