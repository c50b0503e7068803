// A text to be copied, with the button that does it.

import { html, useRef, useSignal } from "../ui.js";

const SHOWN_MILLISECONDS = 2000;

/** @param {{ label: string, text: string }} props */
export function Copyable({ label, text }) {
  const isCopied = useSignal(false);
  const shown = useRef(/** @type {HTMLPreElement | null} */ (null));

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      isCopied.value = true;
      setTimeout(() => {
        isCopied.value = false;
      }, SHOWN_MILLISECONDS);
    } catch {
      // Over plain HTTP nothing may write there: the text is marked, so that a key copies it.
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
    }
  }

  return html`
    <figure class="copyable">
      <figcaption>
        <span>${label}</span>
        <button type="button" aria-label=${`Copy: ${label}`} onClick=${copy}>${isCopied.value ? "Copied" : "Copy"}</button>
      </figcaption>
      <pre class="data" tabindex="0" ref=${shown}>${text}</pre>
    </figure>
  `;
}
