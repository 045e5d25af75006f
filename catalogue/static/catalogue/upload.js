// The pages of uploads: shows each second how far one has come, and says before files are sent that they are too large.
"use strict";

(() => {
  const PAUSE_MS = 1000;
  const region = document.querySelector("[data-gisc-progress]");
  let timer = null;

  function plan() {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(ask, PAUSE_MS);
  }

  async function ask() {
    try {
      const answer = await fetch(region.dataset.giscProgress, { credentials: "same-origin" });
      if (answer.ok && !answer.redirected) {
        const found = await answer.json();
        if (found.state !== region.dataset.state) {
          window.location.reload();
          return;
        }
        const bar = region.querySelector("progress");
        if (found.percent === null) bar.removeAttribute("value");
        else bar.value = found.percent;
        region.querySelector("[data-gisc-text]").textContent = found.text;
      }
    } catch {
      // the next try may come through
    }
    plan();
  }

  if (region) {
    document.addEventListener("visibilitychange", plan);
    plan();
  }

  const form = document.querySelector("[data-gisc-upload]");
  if (form) {
    const status = form.querySelector("[data-gisc-status]");
    // Unfold's script would write the name of the file into a field beside it, which is not here.
    form.addEventListener("change", (event) => event.target.type === "file" && event.stopPropagation(), true);
    form.addEventListener("submit", (event) => {
      const files = [...form.querySelector("[type=file]").files];
      const bytes = files.reduce((sum, file) => sum + file.size, 0);
      const isTooLarge = bytes > Number(form.dataset.maxBytes);
      if (isTooLarge) event.preventDefault();
      status.textContent = isTooLarge ? form.dataset.tooLarge : form.dataset.busy;
    });
  }
})();
