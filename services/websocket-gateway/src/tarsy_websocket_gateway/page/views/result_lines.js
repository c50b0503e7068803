// Lines of a result, with a mark where lines are left out between two.

import { html, useLayoutEffect, useRef } from "../ui.js";

/** @typedef {import("tarsy-api").components["schemas"]["ResultLine"]} Line */

/** @param {{ lines: Line[] }} props */
export function ResultLines({ lines }) {
  /** @type {{ current: HTMLElement | null }} */
  const place = useRef(null);
  useLayoutEffect(() => {
    if (place.current !== null) place.current.scrollTop = 0;
  }, [lines]);
  const width = String(lines.at(-1)?.number ?? "").length;
  return html`<pre class="data" tabindex="0" ref=${place}>${lines.map((line, at) => rowOf(line, lines[at - 1], width))}</pre>`;
}

/** @param {Line} line
 *  @param {Line | undefined} before
 *  @param {number} width */
function rowOf({ number, byte, text, matches, goes_on: goesOn }, before, width) {
  const where = `${String(number).padStart(width)}${byte > 0 ? `+${byte}` : ""}`;
  const shown = `${byte > 0 ? "…" : ""}${text}${goesOn ? "…" : ""}\n`;
  const isGap = before !== undefined && number > before.number + 1;
  return html`
    ${isGap && html`<span class="quiet">${"--\n"}</span>`}
    <span class="row-of-text" data-line=${where}>${matches ? html`<mark>${shown}</mark>` : shown}</span>
  `;
}
