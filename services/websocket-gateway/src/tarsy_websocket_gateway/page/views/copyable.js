// A text to be copied, with the button that does it.

import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { CopyButton } from "./copy.js";

/** @param {{ label: string, text: string }} props */
export function Copyable({ label, text }) {
  return html`
    <figure class="copyable">
      <figcaption>
        <span>${label}</span>
        <${CopyButton} text=${() => text} title=${say(TEXT.copy.labelled, { label })} />
      </figcaption>
      <pre class="data" tabindex="0">${text}</pre>
    </figure>
  `;
}
