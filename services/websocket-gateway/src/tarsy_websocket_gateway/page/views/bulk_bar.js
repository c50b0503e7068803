// What can be done with the sessions that are chosen. It is asked once more, and off while the connection is lost.

import { isActionOff } from "../stores/connection.js";
import { html, useSignal } from "../ui.js";
import { bulkQuestion, bulkResult } from "../words/bulk_words.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { hasEnded } from "../words/wording.js";
import { Confirmation } from "./confirmation.js";

/** @typedef {import("../stores/chosen.js").Act} Act */
/** @typedef {{ store: import("../stores/sessions_store.js").SessionsStore, chosen: import("../stores/chosen.js").Chosen }} Props */

/** @param {Props} props */
export function BulkBar({ store, chosen }) {
  const asked = useSignal(/** @type {Act | null} */ (null));
  const ids = [...chosen.ids.value];
  const answers = chosen.answers.value.size;
  if (ids.length === 0 && answers === 0) return null;

  const open = ids.filter((id) => !hasEnded(store.find(id)?.status ?? ""));
  const isOff = isActionOff.value || chosen.isBusy.value;
  /** @param {Act} act */
  const choose = (act) => () => {
    asked.value = act;
  };
  return html`
    <div class="bulk-bar" role="region" aria-label=${TEXT.bulk.label}>
      <span role="status">${result(chosen, ids.length)}</span>
      ${
        asked.value === null
          ? html`
          <button type="button" disabled=${isOff || open.length === 0} onClick=${choose("cancel")}>${TEXT.cancelling.act}</button>
          <button type="button" disabled=${isOff || ids.length === 0} onClick=${choose("rerun")}>${TEXT.bulk.rerun}</button>
          <button type="button" class="plain" disabled=${chosen.isBusy.value} onClick=${() => chosen.clear()}>${TEXT.bulk.done}</button>`
          : html`<${Question} act=${asked.value} ids=${asked.value === "cancel" ? open : ids} chosen=${chosen} isOff=${isOff}
                            onEnd=${() => {
                              asked.value = null;
                            }} />`
      }
      ${isActionOff.value && html`<span class="quiet">${TEXT.bulk.off}</span>`}
    </div>
  `;
}

/** @param {{ act: Act, ids: string[], chosen: Props["chosen"], isOff: boolean, onEnd: () => void }} props */
function Question({ act, ids, chosen, isOff, onEnd }) {
  const confirm = () => {
    onEnd();
    chosen.run(act, ids);
  };
  return html`<${Confirmation} ...${bulkQuestion(act, ids.length)} danger isOff=${isOff} confirm=${confirm} leave=${onEnd} />`;
}

/** @param {Props["chosen"]} chosen @param {number} count */
function result(chosen, count) {
  if (chosen.isBusy.value) return TEXT.page.asking;
  if (chosen.answers.value.size > 0) return bulkResult(chosen.answers.value.size, chosen.failures.value);
  return say(TEXT.bulk.chosen, { count });
}
