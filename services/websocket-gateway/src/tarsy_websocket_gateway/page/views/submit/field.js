// A field with its label, what is to be known of it, and the mistake that the API found in it.

import { html } from "../../ui.js";

/** What a control of the field needs, so that its mistake is read out with it.
 *  @param {import("../../state/submission.js").Field} name
 *  @param {string | undefined} mistake
 *  @returns {Record<string, string | undefined>} */
export function controlOf(name, mistake) {
  return {
    id: `field-${name}`,
    name,
    "aria-describedby": `about-${name}`,
    "aria-invalid": mistake === undefined ? undefined : "true",
  };
}

/** @param {{ name: import("../../state/submission.js").Field, label: string, mistake?: string, about?: string,
 *    children?: import("preact").ComponentChildren }} props */
export function Field({ name, label, mistake, about = "", children }) {
  return html`
    <div class="field">
      <label for=${`field-${name}`}>${label}</label>
      ${children}
      <p id=${`about-${name}`} class="about">
        ${mistake !== undefined && html`<span class="failure">${mistake}</span> `}${about}
      </p>
    </div>
  `;
}
