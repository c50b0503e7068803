import { choose, theme } from "../stores/theme.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";

export function ThemeSwitch() {
  /** @param {{ currentTarget: HTMLSelectElement }} event */
  const change = ({ currentTarget: { value } }) => choose(/** @type {import("../stores/theme.js").Theme} */ (value));
  return html`
    <select class="theme" aria-label=${TEXT.theme.label} value=${theme.value} onChange=${change}>
      ${Object.entries(TEXT.theme.names).map(([value, name]) => html`<option key=${value} value=${value}>${name}</option>`)}
    </select>
  `;
}
