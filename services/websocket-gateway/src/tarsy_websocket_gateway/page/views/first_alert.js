// What stands in an empty list: how to send the first alert.

import { siteAddress } from "../base_path.js";
import { html } from "../ui.js";
import { alertmanagerReceiver, curlCommand, demoCommand } from "../words/commands.js";
import { TEXT } from "../words/language.js";
import { Copyable } from "./copyable.js";

export function FirstAlert() {
  const site = siteAddress();
  return html`
    <div class="first-alert">
      <h2>${TEXT.firstAlert.title}</h2>
      <p>${TEXT.firstAlert.about}</p>
      <${Copyable} label=${TEXT.firstAlert.demo} text=${demoCommand()} />
      <${Copyable} label=${TEXT.firstAlert.curl} text=${curlCommand(site)} />
      <${Copyable} label=${TEXT.firstAlert.alertmanager} text=${alertmanagerReceiver(site)} />
    </div>
  `;
}
