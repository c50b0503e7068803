// One line of a result: its number is a link to it.

import { resultAddress } from "../../stores/result_choice.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { say } from "../../words/say.js";

/** `line` is undefined until it was read. `marks`: which of them it has.
 *  @typedef {{ isCurrent: boolean, isHit: boolean, isQuoted: boolean }} Marks
 *  @typedef {{ number: number, line: import("../../state/result_lines.js").KnownLine | undefined, marks: Marks, callId: string,
 *   choose: (number: number) => void, readOn: (number: number) => void }} Props */

/** @param {Props} props */
export function ResultLine({ number, line, marks, callId, choose, readOn }) {
  /** @param {MouseEvent} event */
  function follow(event) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    choose(number);
  }

  const { isCurrent, isHit, isQuoted } = marks;
  return html`
    <div class="result-line" data-current=${isCurrent ? "" : undefined} data-hit=${isHit ? "" : undefined} data-quoted=${isQuoted ? "" : undefined}>
      <a class="line-number" href=${resultAddress(callId, number)} tabindex="-1" aria-label=${say(TEXT.result.line, { number })} onClick=${follow}>${number}</a>
      <span class="line-text">${isHit && line !== undefined ? html`<mark>${line.text}</mark>` : line?.text}</span>
      ${isQuoted && html`<span class="unseen"> ${TEXT.result.quoted}</span>`}
      ${line?.isCut === true && html`<button type="button" class="read-on" onClick=${() => readOn(number)}>${say(TEXT.result.readOn, { number })}</button>`}
    </div>
  `;
}
