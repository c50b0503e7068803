// The button that runs an investigation once more, for those who may.

import { mayRepeat, newKey, rerunSession } from "../net/api.js";
import { go } from "../router.js";
import { account } from "../stores/account_store.js";
import { isActionOff } from "../stores/connection.js";
import { html, useRef, useSignal } from "../ui.js";
import { Answer } from "./cancel_request.js";
import { messageOf } from "../words/problems.js";

const ROLES = new Set(["operator", "admin"]);

/** Where nobody is authenticated there is no role, and everybody may.
 *  @param {{ id: string }} props */
export function Retry({ id }) {
  const answer = useSignal("");
  const isAsking = useSignal(false);
  const key = useRef(newKey());
  const { role } = account.value;
  if (role !== null && !ROLES.has(role)) return null;

  async function retry() {
    isAsking.value = true;
    answer.value = "Asking …";
    try {
      const { session_id: begun } = await rerunSession(id, key.current);
      go(`/sessions/${encodeURIComponent(begun)}`);
    } catch (problem) {
      answer.value = `Not run again: ${messageOf(problem)}`;
      if (!mayRepeat(problem)) key.current = newKey();
      isAsking.value = false;
    }
  }

  return html`
    <div class="row">
      <button type="button" disabled=${isAsking.value || isActionOff.value} onClick=${retry}>Retry</button>
      <${Answer} answer=${answer} />
    </div>
  `;
}
