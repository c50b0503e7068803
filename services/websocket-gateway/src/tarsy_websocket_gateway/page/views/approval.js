// A tool call that waits for a person: what it would do and why, who may decide and until when, and two buttons. It shows
// what the log says: a decision is there when its event has come.

import { decideCall, mayRepeat, newKey } from "../net/api.js";
import { isActionOff } from "../stores/connection.js";
import { html, useRef, useSignal } from "../ui.js";
import { argumentLines } from "../words/call_arguments.js";
import { Answer } from "./cancel_request.js";
import { Time } from "./clock.js";
import { messageOf } from "../words/problems.js";

/** @type {Record<string, string>} */
const AT_THE_END = { deny: "the call is denied", fail: "the session fails" };
const LONGEST_COMMENT = 2000;

/** @typedef {import("../state/item_types.js").Item} Item */

/** @param {import("./item.js").BodyProps} props */
export function ApprovalBody({ item }) {
  const { metadata } = item;
  const isOpen = item.status === "streaming";
  return html`
    <div class="body approval">
      <p><code class="tool">${metadata.server_name}.${metadata.tool_name}</code></p>
      <pre class="data" tabindex="0">${argumentLines(metadata.arguments)}</pre>
      <p class="text">${metadata.reason ?? ""}</p>
      ${isOpen ? html`<${Terms} metadata=${metadata} /><${DecisionForm} item=${item} />` : html`<p class="text">${item.content}</p>`}
    </div>
  `;
}

/** @param {{ metadata: import("../state/item_types.js").Metadata }} props */
function Terms({ metadata }) {
  const { role, expires_at: end, on_timeout: then = "" } = metadata;
  const what = Object.hasOwn(AT_THE_END, then) ? AT_THE_END[then] : "the wait ends";
  return html`
    <p class="quiet">
      Somebody with the role ${role} decides${end && html`${" until "}<${Time} stamp=${end} />; then ${what}`}.
    </p>
  `;
}

/** @param {{ item: Item }} props */
function DecisionForm({ item }) {
  const answer = useSignal("");
  const isAsking = useSignal(false);
  /** @type {{ current: HTMLInputElement | null }} */
  const comment = useRef(null);
  const keys = useRef({ approve: newKey(), deny: newKey() });
  const isOff = isAsking.value || isActionOff.value;

  /** @param {"approve" | "deny"} decision */
  async function decide(decision) {
    isAsking.value = true;
    answer.value = "Asking …";
    const said = comment.current?.value ?? "";
    const key = keys.current[decision];
    try {
      answer.value = (await decideCall(item.sessionId, item.metadata.call_id ?? "", decision, said, key)).message;
    } catch (problem) {
      answer.value = `Not decided: ${messageOf(problem)}`;
      if (!mayRepeat(problem)) keys.current[decision] = newKey();
      isAsking.value = false;
    }
  }

  return html`
    <div class="deciding">
      <input
        ref=${comment} type="text" maxlength=${LONGEST_COMMENT} aria-label="Comment" placeholder="Comment"
        disabled=${isAsking.value}
      />
      <button type="button" disabled=${isOff} onClick=${() => decide("approve")}>Approve</button>
      <button type="button" class="danger" disabled=${isOff} onClick=${() => decide("deny")}>Deny</button>
      <${Answer} answer=${answer} />
    </div>
  `;
}
