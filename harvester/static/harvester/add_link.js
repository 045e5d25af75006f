// The page "Add a link" grows without being left: the form is sent as without this script, and its answer put in its place.
// Passwords are never sent back by the node, so what was typed is carried over here.
"use strict";

(() => {
  const SELECTOR = "[data-gisc-grows]";

  function showSuggestions(form) {
    const picked = form.querySelector("input[name=pick]:checked");
    const values = picked ? picked.dataset : {};
    const hints = { name: values.link, new_spec: values.spec, new_name: values.name };
    for (const [name, hint] of Object.entries(hints)) {
      const field = form.elements[name];
      if (field && field.type === "text") field.placeholder = hint || "";
    }
  }

  function carryOver(old, fresh) {
    for (const field of old.querySelectorAll("input[type=password]")) {
      if (fresh.elements[field.name]) fresh.elements[field.name].value = field.value;
    }
    for (const fold of old.querySelectorAll("details[open]")) {
      const same = fresh.querySelector(`details[data-fold="${fold.dataset.fold}"]`);
      if (same) same.open = true;
    }
  }

  function showAnswer(form) {
    const wrong = form.querySelector("[role=alert]");
    const target = wrong || form.querySelector("#step-what");
    if (!target) return;
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: wrong ? "center" : "start" });
  }

  function sendWhole(form, button) {
    const act = document.createElement("input");
    act.type = "hidden";
    act.name = button.name;
    act.value = button.value;
    form.append(act);
    form.inert = false;
    form.submit();
  }

  async function grow(form, button) {
    const data = new FormData(form, button);
    form.inert = true;
    form.setAttribute("aria-busy", "true");
    for (const place of form.querySelectorAll("[data-gisc-status]")) place.textContent = form.dataset.busy;
    try {
      const answer = await fetch(form.action, { method: "POST", body: data, credentials: "same-origin" });
      if (answer.redirected) {
        window.location.assign(answer.url);
        return;
      }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = answer.ok && page.querySelector(SELECTOR);
      if (!fresh) throw new Error("another page came");
      carryOver(form, fresh);
      form.replaceWith(document.adoptNode(fresh));
      showSuggestions(fresh);
      showAnswer(fresh);
    } catch {
      sendWhole(form, button);
    }
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches(SELECTOR) || !event.submitter) return;
    event.preventDefault();
    grow(form, event.submitter);
  });

  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (!form || !form.matches(SELECTOR)) return;
    if (event.target.name === "centre" && event.target.value) form.elements.base_url.value = event.target.value;
    if (event.target.name === "pick") showSuggestions(form);
  });

  document.addEventListener("input", (event) => {
    if (event.target.name === "typed_set") document.getElementById("pick-typed").checked = true;
    if (event.target.name === "other_times" && event.target.value) event.target.form.elements.every.value = "other";
  });

  const form = document.querySelector(SELECTOR);
  if (form) {
    showSuggestions(form);
    form.elements.base_url.focus();
  }
})();
