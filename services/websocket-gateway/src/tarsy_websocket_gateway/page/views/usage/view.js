import { html } from "../../ui.js";

export function UsageView() {
  return html`<h1>Usage</h1>`;
}
