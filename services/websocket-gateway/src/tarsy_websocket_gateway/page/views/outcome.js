// What came of an act whose own place may go: it is said in a line of its own, which then has the focus.

import { html, useLayoutEffect, useRef, useSignal } from "../ui.js";

/** @typedef {import("@preact/signals").Signal<{ text: string }>} Said */

/** @returns {Said} */
export function useOutcome() {
  return useSignal({ text: "" });
}

/** @param {{ said: Said }} props */
export function Outcome({ said }) {
  const line = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    if (said.value.text !== "") line.current?.focus();
  }, [said.value]);
  return html`<p class="answer" role="status" tabindex="-1" ref=${line}>${said.value.text}</p>`;
}
