// A button that copies a text, and says for a moment that it did.

import { copyText } from "../clipboard.js";
import { html, useEffect, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";

const SAYS_SO_MILLISECONDS = 2000;

/** `text` is made when it is asked for. `title`: what is copied, where `label` does not say it.
 *  @param {{ text: () => string, label?: string, title?: string }} props */
export function CopyButton({ text, label = TEXT.copy.label, title }) {
  const said = useSignal("");
  useEffect(() => {
    if (said.value === "") return;
    const timer = setTimeout(() => {
      said.value = "";
    }, SAYS_SO_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [said.value]);

  async function copy() {
    said.value = (await copyText(text())) ? TEXT.copy.copied : TEXT.copy.failed;
  }

  return html`
    <button type="button" class="copy" aria-label=${said.value === "" ? title : undefined} onClick=${copy}>${said.value || label}</button>
    <span class="unseen" role="status">${said.value}</span>
  `;
}
