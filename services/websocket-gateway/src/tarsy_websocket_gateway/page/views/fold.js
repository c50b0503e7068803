// A fold: its content is in the page only while it is unfolded.

import { html, useSignal } from "../ui.js";

/** @param {{ title: string, children: import("preact").ComponentChildren }} props */
export function Fold({ title, children }) {
  const isOpen = useSignal(false);
  return html`
    <details class="fold" open=${isOpen.value} onToggle=${follow(isOpen)}>
      <summary>${title}</summary>
      ${isOpen.value && children}
    </details>
  `;
}

/** A handler of `toggle` that writes down whether the fold is open.
 *  @param {import("@preact/signals").Signal<boolean>} isOpen */
export function follow(isOpen) {
  return (/** @type {Event} */ event) => {
    if (event.currentTarget instanceof HTMLDetailsElement) isOpen.value = event.currentTarget.open;
  };
}
