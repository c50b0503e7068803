// The record of a dead letter: a masked beginning of it, and its exact bytes on request.

import { readDeadLetter, readRawDeadLetter } from "../../net/system_api.js";
import { textOfBase64 } from "../../state/base64_text.js";
import { html, useEffect, useSignal } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { Confirmed } from "../confirmed.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */
/** @typedef {{ key: string | null, value: string | null, headers: { name: string, value: string }[] }} Shown */

/** @param {{ id: string }} props */
export function LetterDetail({ id }) {
  /** @type {import("@preact/signals").Signal<Schemas["DeadLetterDetail"] | null>} */
  const detail = useSignal(null);
  /** @type {import("@preact/signals").Signal<Schemas["DeadLetterRaw"] | null>} */
  const raw = useSignal(null);
  const notice = useSignal(/** @type {string} */ (TEXT.page.loading));
  useEffect(() => {
    readDeadLetter(id).then(
      (found) => {
        detail.value = found;
      },
      (problem) => {
        notice.value = problem.message;
      },
    );
  }, []);
  const show = async () => {
    raw.value = await readRawDeadLetter(id);
    return TEXT.letter.rawShown;
  };
  if (detail.value === null) return html`<p class="notice" role="status">${notice.value}</p>`;
  const { shortened } = detail.value;
  const shown = raw.value === null ? detail.value : decoded(raw.value);
  return html`
    <div class="letter">
      <${RecordText} record=${shown} />
      ${shortened && raw.value === null && html`<p class="quiet">${TEXT.letter.shortened}</p>`}
      <${Confirmed} label=${TEXT.letter.raw} question=${TEXT.letter.rawQuestion} yes=${TEXT.letter.rawYes} danger act=${show} />
    </div>
  `;
}

/** @param {{ record: Shown }} props */
function RecordText({ record: { key, value, headers } }) {
  return html`
    <dl class="settings">
      <div><dt>${TEXT.letter.key}</dt><dd>${key ?? TEXT.letter.noKey}</dd></div>
      ${headers.map(({ name, value: text }, place) => html`<div key=${place}><dt>${name}</dt><dd>${text}</dd></div>`)}
    </dl>
    <pre class="data" tabindex="0">${value ?? TEXT.letter.noValue}</pre>
  `;
}

/** @param {Schemas["DeadLetterRaw"]} raw
 *  @returns {Shown} */
function decoded({ key, value, headers }) {
  return {
    key: key === null ? null : textOfBase64(key),
    value: value === null ? null : textOfBase64(value),
    headers: headers.map((header) => ({ name: header.name, value: textOfBase64(header.value) })),
  };
}
