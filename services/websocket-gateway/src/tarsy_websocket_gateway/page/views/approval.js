// A tool call that waits for a person: what it would do and why, who may decide and until when, and two buttons. It shows
// what the log says: a decision is there when its event has come.

import { decideCall } from "../net/api.js";
import { isActionOff } from "../stores/connection.js";
import { html, useRef, useSignal } from "../ui.js";
import { argumentLines } from "../words/call_arguments.js";
import { TEXT } from "../words/language.js";
import { sayParts } from "../words/say.js";
import { Time } from "./clock.js";
import { Answer, useKeyedRequest } from "./keyed_request.js";

/** @type {Record<string, string>} */
const TIMEOUTS = TEXT.approval.timeouts;
const LONGEST_COMMENT = 2000;

/** @typedef {import("../state/item_types.js").Item} Item */

/** @param {import("./item.js").BodyProps} props */
export function ApprovalBody({ item, trial }) {
  const { metadata } = item;
  const isOpen = item.status === "streaming";
  return html`
    <div class="body approval">
      <p><code class="tool">${metadata.server_name}.${metadata.tool_name}</code></p>
      <pre class="data" tabindex="0">${argumentLines(metadata.arguments)}</pre>
      <p class="text">${metadata.reason ?? ""}</p>
      ${metadata.dry_run_event_id && html`<${DryRun} item=${trial} />`}
      ${isOpen ? html`<${Terms} metadata=${metadata} /><${DecisionForm} item=${item} />` : html`<p class="text">${item.content}</p>`}
    </div>
  `;
}

/** What came back when the call was tried out.
 *  @param {{ item: Item | undefined }} props */
function DryRun({ item }) {
  const isThere = item !== undefined && item.status !== "streaming";
  return html`
    <p class="quiet">${isThere ? TEXT.approval.dryRun : TEXT.approval.dryRunWaits}</p>
    ${isThere && html`<pre class="data dry-run" tabindex="0">${item.content}</pre>`}
  `;
}

/** @param {{ metadata: import("../state/item_types.js").Metadata }} props */
function Terms({ metadata }) {
  const { role, expires_at: end, on_timeout: timeout = "" } = metadata;
  const then = Object.hasOwn(TIMEOUTS, timeout) ? TIMEOUTS[timeout] : TEXT.approval.waitEnds;
  const terms = end
    ? sayParts(TEXT.approval.termsUntil, { role, time: html`<${Time} stamp=${end} />`, then })
    : sayParts(TEXT.approval.terms, { role });
  return html`<p class="quiet">${terms}</p>`;
}

/** @param {{ item: Item }} props */
function DecisionForm({ item }) {
  const answer = useSignal("");
  // The form stays off until the event has come.
  const isDecided = useSignal(false);
  /** @type {{ current: HTMLInputElement | null }} */
  const comment = useRef(null);
  const approval = useDecision("approve");
  const denial = useDecision("deny");
  const isAsking = approval.isAsking || denial.isAsking || isDecided.value;
  const isOff = isAsking || isActionOff.value;

  /** @param {"approve" | "deny"} decision */
  function useDecision(decision) {
    return useKeyedRequest(answer, TEXT.approval.notDecided, async (key) => {
      const said = comment.current?.value ?? "";
      return (await decideCall(item.sessionId, item.metadata.call_id ?? "", decision, said, key)).message;
    });
  }

  /** @param {import("./keyed_request.js").KeyedRequest} request */
  async function decide(request) {
    isDecided.value = await request.send();
  }

  return html`
    <div class="deciding">
      <input
        ref=${comment} type="text" maxlength=${LONGEST_COMMENT} aria-label=${TEXT.approval.comment} placeholder=${TEXT.approval.comment}
        disabled=${isAsking}
      />
      <button type="button" class="primary" disabled=${isOff} onClick=${() => decide(approval)}>${TEXT.approval.approve}</button>
      <button type="button" disabled=${isOff} onClick=${() => decide(denial)}>${TEXT.approval.deny}</button>
      <${Answer} answer=${answer} />
    </div>
  `;
}
