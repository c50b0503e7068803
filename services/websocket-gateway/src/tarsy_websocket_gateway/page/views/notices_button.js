// The button that asks for notifications. Nothing is asked of the browser before somebody presses it.

import { areNoticesOn, canBeNotified, turnNoticesOff, turnNoticesOn } from "../stores/end_notices.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";

export function NoticesButton() {
  const isOn = areNoticesOn.value;
  if (!isOn && !canBeNotified()) return null;
  return html`
    <button type="button" aria-pressed=${isOn} title=${TEXT.search.notifyTitle}
            onClick=${isOn ? turnNoticesOff : turnNoticesOn}>${TEXT.search.notify}</button>
  `;
}
