// A question: who asked it, when, and in which words. They are text, whatever they look like.

import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { Time } from "./clock.js";

/** @param {import("./item.js").BodyProps} props */
export function QuestionBody({ item }) {
  return html`
    <div class="body">
      <p class="row">
        <span class="author">${item.metadata.author ?? ""}</span>
        <span class="quiet">${item.time !== null && html`<${Time} stamp=${item.time} />`}</span>
      </p>
      <p class="text">${item.content}</p>
      ${item.metadata.display_cut === true && html`<p class="quiet">${TEXT.story.restNotShown}</p>`}
    </div>
  `;
}
