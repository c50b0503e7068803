// Records that could not be read: which, why, and a way back for those that wait. The filter stands in the address.

import { readDeadLetters } from "../../net/system_api.js";
import { query } from "../../router.js";
import { usePolled } from "../../stores/polled.js";
import { may } from "../../stores/rights.js";
import { html, useSignal } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { lettersCount } from "../../words/system_words.js";
import { Notice } from "../notice.js";
import { Outcome, useOutcome } from "../outcome.js";
import { LetterFilterForm, wantedBy } from "./letter_filter.js";
import { LetterRow } from "./letter.js";
import { RedriveAll } from "./redrive_all.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

const PAGE_SIZE = 100;
const MOST_LISTED = 1000;

export function DeadLettersPart() {
  if (!may("operator")) return html`<p class="notice" role="status">${TEXT.letters.operatorsOnly}</p>`;
  const wanted = wantedBy(query.value);
  return html`
    <p class="quiet">${TEXT.letters.about}</p>
    <${LetterFilterForm} wanted=${wanted} />
    <${DeadLetters} key=${JSON.stringify(wanted)} wanted=${wanted} />
  `;
}

/** @param {{ wanted: import("./letter_filter.js").Wanted }} props */
function DeadLetters({ wanted }) {
  const limit = useSignal(PAGE_SIZE);
  const polled = usePolled(() => readDeadLetters({ ...wanted, limit: String(limit.value) }), [limit.value]);
  const said = useOutcome();
  /** @type {Schemas["DeadLetterList"] | null} */
  const found = polled.answer.value;
  /** @param {string} answer */
  function done(answer) {
    said.value = { text: answer };
    polled.read();
  }
  const more = () => {
    limit.value = Math.min(limit.value + PAGE_SIZE, MOST_LISTED);
  };
  return html`
    <${Outcome} said=${said} />
    <${Notice} polled=${polled} empty=${found?.letters.length === 0 ? TEXT.letters.none : ""} />
    ${found !== null && found.letters.length > 0 && html`<${LetterList} list=${found} wanted=${wanted} done=${done} />`}
    ${found !== null && found.next !== null && limit.value < MOST_LISTED && html`<button type="button" class="more" onClick=${more}>${TEXT.letters.more}</button>`}
  `;
}

/** @param {{ list: Schemas["DeadLetterList"], wanted: import("./letter_filter.js").Wanted,
 *    done: (answer: string) => void }} props */
function LetterList({ list, wanted, done }) {
  const isAnyWaiting = list.letters.some(({ status, refusal }) => status === "waiting" && refusal === null);
  return html`
    <div class="row">
      <span class="quiet">${lettersCount(list)}</span>
      ${isAnyWaiting && html`<${RedriveAll} filter=${wanted} done=${done} />`}
    </div>
    <ul class="records">
      ${list.letters.map((letter) => html`<${LetterRow} key=${letter.id} letter=${letter} done=${done} />`)}
    </ul>
  `;
}
