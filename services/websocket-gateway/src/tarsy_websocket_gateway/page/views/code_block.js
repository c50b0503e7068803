// A block of code, with a button that copies it.

import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { CopyButton } from "./copy.js";

/** @param {{ text: string }} props */
export function CodeBlock({ text }) {
  return html`
    <div class="code"><pre tabindex="0"><code>${text}</code></pre><${CopyButton} text=${() => text} title=${TEXT.copy.code} /></div>
  `;
}
