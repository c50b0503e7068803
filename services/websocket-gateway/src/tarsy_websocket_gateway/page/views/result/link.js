// A link to the whole result of a call, which opens beside the story.

import { resultAddress } from "../../stores/result_choice.js";
import { html } from "../../ui.js";

/** @param {{ callId: string | undefined, title: string }} props */
export function ResultLink({ callId, title }) {
  if (!callId) return null;
  return html`<p class="to-result"><a href=${resultAddress(callId)} data-view data-beside>${title}</a></p>`;
}
