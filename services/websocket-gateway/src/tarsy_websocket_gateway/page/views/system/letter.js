// One dead letter: why it was buried, its masked beginning when it is unfolded, and a way back.

import { redriveLetter } from "../../net/system_api.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { sayParts } from "../../words/say.js";
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
  const when = html`<${Time} stamp=${redriven} />`;
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
      ${redriven !== null && html`<p class="quiet">${sayParts(TEXT.letter.redrivenBy, { name: by ?? TEXT.letter.nobodyKnown, time: when })}</p>`}
      ${refusal !== null && html`<p class="quiet text">${refusal}</p>`}
      <${Fold} title=${TEXT.letter.record}>${() => html`<${LetterDetail} id=${id} />`}<//>
      ${letter.status === "waiting" && refusal === null && html`<${Confirmed} label=${TEXT.letter.redrive} question=${TEXT.letter.redriveQuestion} yes=${TEXT.letter.redriveYes} act=${act} done=${done} />`}
    </li>
  `;
}
