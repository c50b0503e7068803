// What a model was given with one question, and what it answered. The question before is read for the difference alone.

import { html, useEffect, useSignal } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { messageOf } from "../../words/problems.js";
import { requestFacts, verifiedWords } from "../../words/record_words.js";
import { sayParts } from "../../words/say.js";
import { Time } from "../clock.js";
import { CopyButton } from "../copy.js";
import { Messages } from "./messages.js";
import { MessageView } from "./message.js";
import { OfferedTools } from "./offered_tools.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas
 *  @typedef {import("../../stores/record_store.js").RecordStore} RecordStore
 *  @typedef {Schemas["ListedLlmInteraction"]} Call
 *  @typedef {{ contents: Schemas["LlmInteraction"], before: Schemas["LlmInteraction"] | null }} Compared */

/** @param {{ store: RecordStore, call: Call, before: Call | null }} props */
export function CallContents({ store, call, before }) {
  /** @type {import("@preact/signals").Signal<Compared | null>} */
  const found = useSignal(null);
  const notice = useSignal(/** @type {string} */ (TEXT.page.loading));
  useEffect(() => {
    let isOpen = true;
    readBoth(store, call, before).then(
      (both) => {
        if (isOpen) found.value = both;
      },
      (problem) => {
        if (isOpen) notice.value = messageOf(problem);
      },
    );
    return () => {
      isOpen = false;
    };
  }, []);
  if (found.value === null) return html`<p class="notice" role="status">${notice.value}</p>`;
  return html`<${Contents} sessionId=${store.id} ...${found.value} />`;
}

/** @param {RecordStore} store
 *  @param {Call} call
 *  @param {Call | null} before */
async function readBoth(store, call, before) {
  const [contents, earlier] = await Promise.all([
    store.contentsOf(call.id),
    before === null ? null : store.contentsOf(before.id),
  ]);
  return { contents, before: earlier };
}

/** @param {{ sessionId: string } & Compared} props */
function Contents({ sessionId, contents, before }) {
  const { conversation, answer, thinking_content: thinking, missing, tools, verified, created_at: asked } = contents;
  const step = contents.timeline_event_ids[0];
  const session = `/sessions/${encodeURIComponent(sessionId)}`;
  return html`
    <div class="record-contents">
      <p class="row">
        ${step !== undefined && html`<a href=${`${session}#event-${step}`} data-view>${TEXT.recordCall.toStory}</a>`}
        <${CopyButton} text=${() => JSON.stringify(contents, null, 2)} label=${TEXT.recordCall.copy} />
      </p>
      <p class="quiet">${sayParts(TEXT.recordCall.asked, { time: html`<${Time} stamp=${asked} />`, facts: requestFacts(contents) })}</p>
      <p class="quiet">${conversation === null ? missing : verifiedWords(verified)}</p>
      ${conversation !== null && html`<${Messages} before=${before?.conversation ?? null} now=${conversation} />`}
      <${OfferedTools} tools=${tools} />
      <h4>${TEXT.recordCall.answer}</h4>
      ${thinking !== null && html`<${MessageView} message=${{ ...NO_CALLS_OF_TOOLS, content: thinking }} title=${TEXT.recordCall.thinking} />`}
      ${answer === null ? html`<p class="quiet">${contents.error_message ?? TEXT.recordCall.noAnswer}</p>` : html`<${MessageView} message=${answer} session=${session} isOpen=${true} />`}
    </div>
  `;
}

/** @type {Omit<Schemas["TracedMessage"], "content">} */
const NO_CALLS_OF_TOOLS = {
  role: "assistant",
  tool_calls: [],
  tool_call_id: null,
  tool_name: null,
  is_error: false,
  opaque: null,
};
