// What can be done with the sessions that are chosen. It is asked once more, and off while the connection is lost.

import { isActionOff } from "../stores/connection.js";
import { html, useSignal } from "../ui.js";
import { bulkQuestion, bulkResult } from "../words/bulk_words.js";
import { counted, hasEnded } from "../words/wording.js";
import { useFocused } from "./focused.js";

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
    <div class="bulk-bar" role="region" aria-label="Chosen sessions">
      <span role="status">${result(chosen, ids.length)}</span>
      ${
        asked.value === null
          ? html`
          <button type="button" disabled=${isOff || open.length === 0} onClick=${choose("cancel")}>Cancel</button>
          <button type="button" disabled=${isOff || ids.length === 0} onClick=${choose("rerun")}>Run again</button>
          <button type="button" class="plain" disabled=${chosen.isBusy.value} onClick=${() => chosen.clear()}>Done</button>`
          : html`<${Question} act=${asked.value} ids=${asked.value === "cancel" ? open : ids} chosen=${chosen} isOff=${isOff}
                            onEnd=${() => {
                              asked.value = null;
                            }} />`
      }
      ${isActionOff.value && html`<span class="quiet">Not while the connection is lost.</span>`}
    </div>
  `;
}

/** @param {{ act: Act, ids: string[], chosen: Props["chosen"], isOff: boolean, onEnd: () => void }} props */
function Question({ act, ids, chosen, isOff, onEnd }) {
  const safe = useFocused();
  const { question, yes, no } = bulkQuestion(act, ids.length);
  const agree = () => {
    onEnd();
    chosen.run(act, ids);
  };
  return html`
    <span class="question">
      ${question}
      <button type="button" class="danger" disabled=${isOff} onClick=${agree}>${yes}</button>
      <button type="button" onClick=${onEnd} ref=${safe}>${no}</button>
    </span>
  `;
}

/** @param {Props["chosen"]} chosen @param {number} count */
function result(chosen, count) {
  if (chosen.isBusy.value) return "Asking …";
  if (chosen.answers.value.size > 0) return bulkResult(chosen.answers.value.size, chosen.failures.value);
  return `${counted(count, "session")} chosen`;
}
