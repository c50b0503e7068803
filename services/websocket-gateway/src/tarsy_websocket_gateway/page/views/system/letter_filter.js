// Which dead letters are listed: the form writes the address, and the address is what holds.

import { replaceAddress } from "../../router.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";

/** @typedef {{ status: string, topic: string, service: string, reason: string }} Wanted */

const TEXTS = /** @type {const} */ (["service", "topic", "reason"]);
const { all, ...STATES } = TEXT.letters.states;
const STATUSES = [["", all], ...Object.entries(STATES)];
const LONGEST_TEXT = 300;

/** Those that wait, where the address does not say.
 *  @param {URLSearchParams} given
 *  @returns {Wanted} */
export function wantedBy(given) {
  const status = given.get("status");
  const [service, topic, reason] = TEXTS.map((name) => (given.get(name) ?? "").slice(0, LONGEST_TEXT));
  return {
    status: STATUSES.some(([known]) => known === status) ? (status ?? "") : "waiting",
    service: service ?? "",
    topic: topic ?? "",
    reason: reason ?? "",
  };
}

/** @param {{ wanted: Wanted }} props */
export function LetterFilterForm({ wanted }) {
  /** @param {Event & { currentTarget: HTMLFormElement }} event */
  function apply(event) {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const filled = [...given].flatMap(([name, value]) =>
      value === "" && name !== "status" ? [] : [[name, String(value)]],
    );
    replaceAddress(`/system?${new URLSearchParams([["part", "dead-letters"], ...filled])}`);
  }
  return html`
    <form class="filter" role="search" aria-label=${TEXT.letters.label} onSubmit=${apply} onChange=${apply}>
      <label>
        <span>${TEXT.letters.state}</span>
        <select name="status">
          ${STATUSES.map(([value, name]) => html`<option key=${value} value=${value} selected=${value === wanted.status}>${name}</option>`)}
        </select>
      </label>
      ${TEXTS.map(
        (name) => html`
          <label key=${name}>
            <span>${TEXT.letters.fields[name]}</span>
            <input type="text" name=${name} maxlength=${LONGEST_TEXT} value=${wanted[name]} />
          </label>
        `,
      )}
      <button type="submit">${TEXT.letters.filter}</button>
    </form>
  `;
}
