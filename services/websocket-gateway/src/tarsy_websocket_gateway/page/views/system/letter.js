// One dead letter: why it was buried, its masked beginning when it is unfolded, and a way back.

import { redriveLetter } from "../../net/system_api.js";
import { html } from "../../ui.js";
import { letterFacts, letterState } from "../../words/system_words.js";
import { Time } from "../clock.js";
import { Confirmed } from "../confirmed.js";
import { Fold } from "../fold.js";
import { LetterDetail } from "./letter_detail.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

/** @param {{ letter: Schemas["DeadLetterRow"], done: (answer: string) => void }} props */
export function LetterRow({ letter, done }) {
  const { id, reason, refusal, buried_at: buried, redriven_at: redriven, redriven_by: by } = letter;
  const { word, tone } = letterState(letter);
  const act = async () => (await redriveLetter(id)).message;
  return html`
    <li>
      <div class="row">
        <span class="status" data-tone=${tone}>${word}</span>
        <${Time} stamp=${buried} />
        <code>${id}</code>
      </div>
      <p class="text">${reason}</p>
      <p class="quiet">${letterFacts(letter)}</p>
      ${redriven !== null && html`<p class="quiet">Re-driven by ${by ?? "nobody knows whom"}, <${Time} stamp=${redriven} /></p>`}
      ${refusal !== null && html`<p class="quiet text">${refusal}</p>`}
      <${Fold} title="Record">${() => html`<${LetterDetail} id=${id} />`}<//>
      ${letter.status === "waiting" && refusal === null && html`<${Confirmed} label="Re-drive" question="Write this record back to where it came from?" yes="Yes, re-drive it" act=${act} done=${done} />`}
    </li>
  `;
}
