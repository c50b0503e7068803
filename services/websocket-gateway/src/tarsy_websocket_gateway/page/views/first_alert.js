// What stands in an empty list: how to send the first alert.

import { siteAddress } from "../base_path.js";
import { submitAlert } from "../net/submit_api.js";
import { planToGo } from "../router.js";
import { isActionOff } from "../stores/connection.js";
import { mayNot } from "../stores/rights.js";
import { html, useSignal } from "../ui.js";
import { alertmanagerReceiver, curlCommand, DEMO_ALERT, demoCommand } from "../words/commands.js";
import { TEXT } from "../words/language.js";
import { Copyable } from "./copyable.js";
import { Answer, useKeyedRequest } from "./keyed_request.js";

export function FirstAlert() {
  const site = siteAddress();
  return html`
    <div class="first-alert card">
      <h2>${TEXT.firstAlert.title}</h2>
      <p>${TEXT.firstAlert.about}</p>
      ${!mayNot("responder") && html`<${DemoAlert} />`}
      <${Copyable} label=${TEXT.firstAlert.alertmanager} text=${alertmanagerReceiver(site)} />
      <${Copyable} label=${TEXT.firstAlert.curl} text=${curlCommand(site)} />
      <${Copyable} label=${TEXT.firstAlert.demo} text=${demoCommand()} />
    </div>
  `;
}

/** Leads to its session. */
function DemoAlert() {
  const answer = useSignal("");
  const request = useKeyedRequest(answer, TEXT.firstAlert.notSent, async (key) => {
    const goOn = planToGo();
    const { session_id: id } = await submitAlert(JSON.stringify({ data: DEMO_ALERT }), key);
    goOn(`/sessions/${encodeURIComponent(id)}`);
    return "";
  });
  return html`
    <div class="row">
      <button type="button" class="primary" disabled=${request.isAsking || isActionOff.value} onClick=${request.send}>${TEXT.firstAlert.send}</button>
      <${Answer} answer=${answer} />
    </div>
  `;
}
