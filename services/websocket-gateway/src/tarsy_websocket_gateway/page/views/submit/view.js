import { html } from "../../ui.js";

export function SubmitView() {
  return html`<h1>Submit</h1>`;
}
