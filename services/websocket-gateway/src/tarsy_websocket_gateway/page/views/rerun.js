// The button that runs an investigation once more, for those who may.

import { rerunSession } from "../net/api.js";
import { planToGo } from "../router.js";
import { isActionOff } from "../stores/connection.js";
import { mayNot } from "../stores/rights.js";
import { html, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { Answer, useKeyedRequest } from "./keyed_request.js";

/** @param {{ id: string }} props */
export function Rerun({ id }) {
  const answer = useSignal("");
  const request = useKeyedRequest(answer, TEXT.bulk.notRerun, async (key) => {
    const goOn = planToGo();
    const { session_id: begun } = await rerunSession(id, key);
    goOn(`/sessions/${encodeURIComponent(begun)}`);
    return "";
  });
  if (mayNot("operator")) return null;
  return html`
    <div class="act">
      <button type="button" disabled=${request.isAsking || isActionOff.value} onClick=${request.send}>${TEXT.session.rerun}</button>
      <${Answer} answer=${answer} />
    </div>
  `;
}
