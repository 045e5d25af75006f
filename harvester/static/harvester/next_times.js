// Says when a link runs next while its schedule is picked or typed. The node reads the words; without this script it says so
// when the form is sent.
"use strict";

(() => {
  const WAIT_MS = 300; // after the last key
  let timer = 0;
  let newest = 0;

  // The fields of the page "Add a link"; the form of a saved link has `schedule` in the place of the first two.
  function readSchedule(form) {
    const { every, other_times: otherTimes, windows, schedule } = form.elements;
    return new URLSearchParams({
      every: every ? every.value : "other",
      other_times: every ? otherTimes.value : schedule.value,
      windows: windows.value,
    });
  }

  async function showNextTimes(form, place) {
    const number = ++newest;
    try {
      const answer = await fetch(`${place.dataset.url}?${readSchedule(form)}`, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const { next, fault } = await answer.json();
      if (number === newest) place.textContent = fault || next || "–";
    } catch {
      if (number === newest) place.textContent = "–"; // better than the times of another schedule
    }
  }

  function follow(event) {
    const form = event.target.form;
    if (!form || !["every", "other_times", "windows", "schedule"].includes(event.target.name)) return;
    const place = form.querySelector("[data-gisc-next]");
    if (!place || !form.elements.windows) return;
    clearTimeout(timer);
    timer = setTimeout(() => showNextTimes(form, place), event.type === "input" ? WAIT_MS : 0);
  }

  document.addEventListener("input", follow);
  document.addEventListener("change", follow);
})();
