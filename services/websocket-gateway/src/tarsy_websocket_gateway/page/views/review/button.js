// How the review of a session stands, in its head: it leads to the form in the rail.

import { chooseTab } from "../../stores/rail.js";
import { html } from "../../ui.js";
import { reviewWords } from "../../words/review_words.js";

/** @param {{ detail: import("../../stores/session_store.js").Detail }} props */
export function ReviewButton({ detail }) {
  const words = reviewWords(detail);
  if (words === "") return null;
  const show = () => {
    chooseTab("details", true);
    // It is shown with the next frame.
    requestAnimationFrame(() => document.getElementById("review")?.scrollIntoView({ block: "nearest" }));
  };
  return html`<button type="button" class="head-review" onClick=${show}>${words}</button>`;
}
