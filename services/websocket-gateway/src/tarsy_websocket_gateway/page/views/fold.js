// A part that is unfolded on request: what is inside is in the page only while it is open.

import { html, useSignal } from "../ui.js";

/** @param {{ summary: import("preact").ComponentChildren, children: () => import("preact").ComponentChildren,
 *    kind?: string, isOpen?: boolean }} props */
export function Fold({ summary, children, kind = "fold", isOpen = false }) {
  const open = useSignal(isOpen);
  /** @param {{ currentTarget: HTMLDetailsElement }} event */
  const toggle = ({ currentTarget }) => {
    open.value = currentTarget.open;
  };
  return html`
    <details class=${kind} open=${open.value} onToggle=${toggle}>
      <summary>${summary}</summary>
      ${open.value && children()}
    </details>
  `;
}
