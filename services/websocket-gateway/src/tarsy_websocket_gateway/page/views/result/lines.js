// Lines of a result, of which only those that are seen, and some around them, are in the document. What is read stays
// where it is when others come, and when they are higher than a row, as they are wrapped.

import { isTooFar, lineBelow, unitOf, windowAround } from "../../state/result_window.js";
import { chooseLine, chosenLine } from "../../stores/result_choice.js";
import { html, useEffect, useLayoutEffect, useRef, useSignal, useSignalEffect } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { ResultLine } from "./line.js";
import { useRowHeight } from "./row_height.js";

/** @typedef {import("./drawer.js").Reading} Reading
 *  @typedef {import("../../stores/result_search.js").Place} Place */

/** So much of what is seen stands above a line that is gone to. */
const ABOVE = 1 / 3;

/** @param {{ reading: Reading, callId: string, extent: { total: number }, isWrapped: boolean,
 *   long: import("@preact/signals").Signal<Place | null> }} props */
export function ResultLines({ reading, callId, extent: { total }, isWrapped, long }) {
  const { lines, place, search, quoted } = reading;
  const scroller = useRef(/** @type {HTMLElement | null} */ (null));
  const block = useRef(/** @type {HTMLElement | null} */ (null));
  /** The line that stays where it is, and how far below the upper edge that is: null for the lower edge. */
  const anchor = useRef(/** @type {{ line: number, top: number | null }} */ ({ line: 0, top: 0 }));
  const row = useRowHeight();
  const unit = unitOf(total, row);
  const window = useSignal(windowAround(chosenLine.peek() ?? 0, 40, total));
  const { first, end } = window.value;
  lines.version.value;

  function rowsSeen() {
    return Math.ceil((scroller.current?.clientHeight ?? 0) / row) + 1;
  }

  function move() {
    const seen = firstSeen();
    anchor.current = seen.top === null ? seen : (currentSeen() ?? seen);
    around(seen.line);
  }

  /** @param {number} line */
  function around(line) {
    const count = rowsSeen();
    if (isTooFar(window.peek(), line, count, total)) window.value = windowAround(line, count, total);
    lines.want(window.peek());
  }

  /** The line that was gone to, while it is seen. */
  function currentSeen() {
    const [outer, line] = [scroller.current, place.peek()?.number ?? -1];
    const found = block.current?.children[line - window.peek().first];
    if (outer === null || !(found instanceof HTMLElement)) return null;
    const top = found.offsetTop - outer.scrollTop;
    return top >= 0 && top + found.offsetHeight <= outer.clientHeight ? { line, top } : null;
  }

  function firstSeen() {
    const [outer, inner] = [scroller.current, block.current];
    if (outer === null || inner === null) return anchor.current;
    const from = outer.scrollTop;
    if (from > 0 && from + outer.clientHeight >= outer.scrollHeight - 1) return { line: total - 1, top: null };
    const rows = /** @type {HTMLElement[]} */ ([...inner.children]);
    const begin = rows[0]?.offsetTop ?? 0;
    const found = rows.findIndex((one) => one.offsetTop + one.offsetHeight > from);
    if (from + outer.clientHeight <= begin) return { line: lineBelow(0, from, total, row), top: 0 };
    if (found >= 0) return { line: window.peek().first + found, top: (rows[found]?.offsetTop ?? 0) - from };
    const last = rows.at(-1);
    const bottom = last === undefined ? 0 : last.offsetTop + last.offsetHeight;
    return { line: lineBelow(window.peek().end, from - bottom, total, row), top: 0 };
  }

  useSignalEffect(() => {
    const wanted = place.value;
    if (wanted === null || scroller.current === null) return;
    const line = Math.min(wanted.number, total - 1);
    anchor.current = { line, top: Math.floor(scroller.current.clientHeight * ABOVE) };
    around(line);
    hold();
  });

  function hold() {
    const [outer, inner] = [scroller.current, block.current];
    const kept = inner?.children[anchor.current.line - window.peek().first];
    if (outer === null || !(kept instanceof HTMLElement)) return;
    const { top } = anchor.current;
    const wanted = top === null ? kept.offsetTop + kept.offsetHeight - outer.clientHeight : kept.offsetTop - top;
    if (Math.abs(outer.scrollTop - wanted) >= 1) outer.scrollTop = wanted;
  }

  /** The browser would scroll to where the end seemed to be before the last lines were there.
   *  @param {KeyboardEvent} event */
  function press(event) {
    if (event.key !== "End" || event.target !== scroller.current) return;
    event.preventDefault();
    anchor.current = { line: total - 1, top: null };
    around(total - 1);
    hold();
  }

  useLayoutEffect(hold);
  useEffect(() => {
    around(anchor.current.line);
    if (document.activeElement?.matches("input:not([type=checkbox])") !== true)
      scroller.current?.focus({ preventScroll: true });
  }, []);

  const at = place.value?.number;
  const numbers = Array.from({ length: end - first }, (_, after) => first + after);
  return html`
    <div class="result-lines" ref=${scroller} tabindex="0" role="region" aria-label=${TEXT.result.lines}
         data-wrapped=${isWrapped ? "" : undefined} hidden=${long.value !== null} onScroll=${move} onKeyDown=${press}>
      <div style=${{ height: `${first * unit}px` }}></div>
      <div class="result-block" ref=${block}>
        ${numbers.map(
          (number) => html`
          <${ResultLine}
            key=${number} number=${number} line=${lines.known.get(number)} callId=${callId}
            marks=${{ isCurrent: number === at, isHit: search.lines.value.has(number), isQuoted: quoted.lines.value.has(number) }}
            choose=${choose} readOn=${readOn}
          />
        `,
        )}
      </div>
      <div style=${{ height: `${(total - end) * unit}px` }}></div>
    </div>
  `;

  /** @param {number} number */
  function choose(number) {
    chooseLine(callId, number);
    place.value = { number, byte: 0 };
  }

  /** @param {number} number */
  function readOn(number) {
    long.value = { number, byte: 0 };
  }
}
