// A part that is unfolded on request: its content is in the page only while it is open.

import { html, useSignal } from "../ui.js";

/** @typedef {import("preact").ComponentChildren} Children */

/** `children`: a function where making them is work.
 *  @param {{ title: Children, children: Children | (() => Children), kind?: string, isOpen?: boolean }} props */
export function Fold({ title, children, kind = "fold", isOpen = false }) {
  const open = useSignal(isOpen);
  return html`
    <details class=${kind} open=${open.value} onToggle=${follow(open)}>
      <summary>${title}</summary>
      ${open.value && (typeof children === "function" ? children() : children)}
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
