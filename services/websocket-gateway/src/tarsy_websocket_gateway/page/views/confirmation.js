// The question that is asked once more before an act, with its two answers.

import { html, useLayoutEffect, useRef } from "../ui.js";
import { TEXT } from "../words/language.js";

/** `isOff`: nothing can be done now, and the question can still be left. `isBusy`: it is being done.
 *  `children`: fields of the question.
 *  @param {{ question: string, yes: string, no?: string, danger?: boolean, isOff?: boolean, isBusy?: boolean,
 *    confirm: () => void, leave: () => void, children?: import("preact").ComponentChildren }} props */
export function Confirmation({ question, yes, no, danger, isOff = false, isBusy = false, confirm, leave, children }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  // The first field that has to be filled in, or else the answer that changes nothing.
  useLayoutEffect(() => {
    /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector("input[required], .no"))?.focus();
  }, []);
  /** @param {SubmitEvent} event */
  const submit = (event) => {
    event.preventDefault();
    confirm();
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key === "Escape") leave();
  };
  return html`
    <form class="question" ref=${form} aria-label=${question} onSubmit=${submit} onKeyDown=${press}>
      <span>${question}</span>
      ${children}
      <button type="submit" class=${danger === true ? "danger" : ""} disabled=${isOff || isBusy}>${yes}</button>
      <button type="button" class="no" disabled=${isBusy} onClick=${leave}>${no ?? TEXT.confirmation.no}</button>
    </form>
  `;
}
