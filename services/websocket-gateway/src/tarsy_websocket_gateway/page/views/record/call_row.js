// One question to a model: a line, which unfolds to what it was given. What is folded is not fetched.

import { html, useEffect, useRef, useSignal } from "../../ui.js";
import { modelName, tookWords, typeName, usageWords } from "../../words/record_words.js";
import { ClockTime } from "../clock.js";
import { follow } from "../fold.js";
import { CallContents } from "./call_contents.js";

/** @typedef {import("tarsy-api").components["schemas"]["ListedLlmInteraction"]} Call */

/** @param {{ store: import("../../stores/record_store.js").RecordStore, call: Call, before: Call | null }} props */
export function CallRow({ store, call, before }) {
  const isWanted = store.wanted === call.id;
  const isOpen = useSignal(store.opened.has(call.id));
  const row = useRef(/** @type {HTMLLIElement | null} */ (null));
  useEffect(() => {
    if (isWanted) row.current?.scrollIntoView({ block: "start" });
  }, []);

  /** @param {Event} event */
  function toggle(event) {
    follow(isOpen)(event);
    if (isOpen.value) store.opened.add(call.id);
    else store.opened.delete(call.id);
  }

  return html`
    <li ref=${row} data-marked=${isWanted ? "" : undefined}>
      <details class="record-call" open=${isOpen.value} onToggle=${toggle}>
        <summary>
          <${ClockTime} stamp=${call.created_at} />
          <span class="name">${typeName(call.interaction_type)}</span>
          <span class="model">${modelName(call)}</span>
          <span class="quiet">${usageWords(call)}</span>
          <span class="quiet">${tookWords(call)}</span>
          ${call.error_message !== null && html`<span class="failure">${call.error_message}</span>`}
        </summary>
        ${isOpen.value && html`<${CallContents} store=${store} call=${call} before=${before} />`}
      </details>
    </li>
  `;
}
