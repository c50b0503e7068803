// A memory: what it says, how sure it is and where it is from; and what a person can do about it.

import { editMemory, forgetMemory } from "../../net/memory_api.js";
import { isActionOff } from "../../stores/connection.js";
import { mayNot } from "../../stores/rights.js";
import { html, useRef, useSignal } from "../../ui.js";
import { factLine } from "../../words/formats.js";
import { TEXT } from "../../words/language.js";
import { sureWords } from "../../words/memory_words.js";
import { say } from "../../words/say.js";
import { Time } from "../clock.js";
import { Confirmed } from "../confirmed.js";
import { Answer, useKeyedRequest } from "../keyed_request.js";

/** @typedef {import("../../net/memory_api.js").Memory} Memory
 *  @typedef {import("../../net/memory_api.js").Given} Given */

const LONGEST = 1000;

/** `changed`: reads it again.
 *  @param {{ memory: Memory | Given, changed: () => void }} props */
export function MemoryCard({ memory, changed }) {
  const isEdited = useSignal(false);
  const { scope } = memory;
  const about = factLine([scope.alert_type, scope.cluster, scope.namespace, scope.workload]);
  return html`
    <li class="memory" data-deprecated=${memory.deprecated ? "" : undefined}>
      ${"number" in memory && html`<span class="quiet">${factLine([say(TEXT.memory.number, { number: String(memory.number) }), memory.cited ? TEXT.memory.cited : TEXT.memory.notCited])}</span>`}
      ${
        isEdited.value
          ? html`<${Editor} memory=${memory} changed=${changed} leave=${() => {
              isEdited.value = false;
            }} />`
          : html`<p>${memory.content}</p>`
      }
      <p class="quiet">
        ${factLine([sureWords(memory), about, memory.locked ? TEXT.memory.locked : "", memory.deprecated ? TEXT.memory.deprecated : ""])}
        ${" "}<${Time} stamp=${memory.created_at} />
        ${" "}<a href=${`/sessions/${encodeURIComponent(memory.source_session_id)}`} data-view>${TEXT.memory.toSource}</a>
      </p>
      ${
        !mayNot("responder") &&
        !isEdited.value &&
        html`<${Acts} memory=${memory} changed=${changed} edit=${() => {
          isEdited.value = true;
        }} />`
      }
    </li>
  `;
}

/** @param {{ memory: Memory, changed: () => void, edit: () => void }} props */
function Acts({ memory, changed, edit }) {
  const answer = useSignal("");
  const lock = useKeyedRequest(answer, TEXT.memory.notChanged, async (key) => {
    return (await editMemory(memory.id, { locked: !memory.locked }, key)).message;
  });
  const isOff = isActionOff.value || lock.isAsking;
  async function toggle() {
    if (await lock.send()) changed();
  }
  /** @param {string} key */
  const forget = async (key) => (await forgetMemory(memory.id, key)).message;
  return html`
    <div class="acts">
      <button type="button" class="plain" disabled=${isOff} onClick=${edit}>${TEXT.memory.edit}</button>
      <button type="button" class="plain" disabled=${isOff} onClick=${toggle}>${memory.locked ? TEXT.memory.unlock : TEXT.memory.lock}</button>
      <${Confirmed} label=${TEXT.memory.forget} question=${TEXT.memory.forgetQuestion} yes=${TEXT.memory.forget} danger act=${forget} done=${changed} />
      <${Answer} answer=${answer} />
    </div>
  `;
}

/** @param {{ memory: Memory, changed: () => void, leave: () => void }} props */
function Editor({ memory, changed, leave }) {
  const answer = useSignal("");
  const text = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const change = useKeyedRequest(answer, TEXT.memory.notChanged, async (key) => {
    return (await editMemory(memory.id, { content: text.current?.value ?? "" }, key)).message;
  });
  /** @param {SubmitEvent} event */
  async function save(event) {
    event.preventDefault();
    if (!(await change.send())) return;
    leave();
    changed();
  }
  return html`
    <form class="editor" aria-label=${TEXT.memory.edit} onSubmit=${save}>
      <textarea ref=${text} required maxlength=${LONGEST} rows="4" aria-label=${TEXT.memory.content} defaultValue=${memory.content}></textarea>
      <button type="submit" disabled=${change.isAsking || isActionOff.value}>${TEXT.memory.save}</button>
      <button type="button" class="plain" disabled=${change.isAsking} onClick=${leave}>${TEXT.confirmation.no}</button>
      <${Answer} answer=${answer} />
    </form>
  `;
}
