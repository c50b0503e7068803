import { choose, theme } from "../stores/theme.js";
import { html } from "../ui.js";

const NAMES = { system: "Auto", light: "Light", dark: "Dark" };

export function ThemeSwitch() {
  /** @param {{ currentTarget: HTMLSelectElement }} event */
  const change = ({ currentTarget: { value } }) => choose(/** @type {import("../stores/theme.js").Theme} */ (value));
  return html`
    <select class="theme" aria-label="Theme" value=${theme.value} onChange=${change}>
      ${Object.entries(NAMES).map(([value, name]) => html`<option key=${value} value=${value}>${name}</option>`)}
    </select>
  `;
}
