// What stands in an empty list: how to send the first alert.

import { html } from "../ui.js";
import { alertmanagerReceiver, curlCommand, demoCommand } from "../words/first_alert_words.js";
import { Copyable } from "./copyable.js";

export function FirstAlert() {
  const { origin } = location;
  return html`
    <div class="first-alert">
      <h2>No alert was investigated yet</h2>
      <p>Send the first one. Its investigation appears here as it begins.</p>
      <${Copyable} label="The demo, in a checkout" text=${demoCommand()} />
      <${Copyable} label="One alert, from a shell" text=${curlCommand(origin)} />
      <${Copyable} label="All alerts of Alertmanager: a receiver for its configuration" text=${alertmanagerReceiver(origin)} />
    </div>
  `;
}
