// How sure the analysis is: a word, one to three segments, and why.

import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { Markdown } from "./markdown.js";

const SEGMENTS = { low: 1, medium: 2, high: 3 };
const PLACES = [1, 2, 3];

/** @param {{ confidence: import("../state/confidence.js").Confidence | null, tone: string, isLimited: boolean }} props */
export function ConfidenceLine({ confidence, tone, isLimited }) {
  if (confidence === null) return html`<p class="quiet">${TEXT.verdict.noConfidence}</p>`;
  const { level, why } = confidence;
  return html`
    <section class="confidence" data-tone=${tone} aria-labelledby="confidence">
      <span class="segments" aria-hidden="true">${PLACES.map((place) => html`<span key=${place} data-on=${place <= SEGMENTS[level]}></span>`)}</span>
      <h2 id="confidence">${TEXT.verdict.confidence[level]}</h2>
      ${isLimited && html`<p class="limited">${TEXT.verdict.limitedConfidence}</p>`}
      ${why !== "" && html`<${Markdown} text=${why} />`}
    </section>
  `;
}
