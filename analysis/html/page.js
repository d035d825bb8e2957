// Folded sections: a link to one opens it, and so does printing. The search field of the front page and of the claims leaves what has
// every word.
"use strict";
(() => {
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target?.scrollIntoView();
  }

  // A card whose own text has the words shows all of its experiments; else those that have them.
  function search(words) {
    const has = (text) => words.every((word) => text.toLowerCase().includes(word));
    for (const card of document.querySelectorAll(".card")) {
      const items = [...card.querySelectorAll(".experiment")];
      const found = items.filter((item) => has(`${card.querySelector("h2").textContent} ${item.textContent}`));
      const whole = has([...card.children].filter((part) => part.tagName !== "DETAILS").map((part) => part.textContent).join(" "));
      for (const item of items) item.hidden = !whole && !found.includes(item);
      card.hidden = !whole && !found.length;
      card.querySelector("details").open = words.length > 0 && !whole;
    }
    for (const item of document.querySelectorAll("main > .experiments > .experiment, .claim")) item.hidden = !has(item.textContent);
    for (const part of document.querySelectorAll(".verdict")) part.hidden = !part.querySelector(".claim:not([hidden])");
  }

  const field = document.getElementById("search");
  field?.addEventListener("input", () => search(field.value.toLowerCase().split(/\s+/).filter((word) => word)));
  if (location.hash) reveal();
  addEventListener("hashchange", reveal);
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
})();
