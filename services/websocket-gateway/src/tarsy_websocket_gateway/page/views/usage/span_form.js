// Which days are looked at, and by what their usage is put together.

import { replaceAddress } from "../../router.js";
import { SPANS, WAYS, spanOf } from "../../state/usage_rows.js";
import { html } from "../../ui.js";
import { WAY_NAMES } from "../../words/usage_words.js";

/** @typedef {import("../../state/usage_rows.js").Wanted} Wanted */

/** @param {{ wanted: Wanted, now: number }} props */
export function SpanForm({ wanted, now }) {
  const { from, to } = wanted;
  /** @param {Event & { currentTarget: HTMLFormElement }} event */
  function apply(event) {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const [first, last] = [String(given.get("from")), String(given.get("to"))];
    // A day that is being typed is none yet.
    if (first !== "" && last !== "" && first <= last) replaceAddress(addressOf({ ...wanted, from: first, to: last }));
  }
  return html`
    <nav class="parts" aria-label="Put together">
      ${WAYS.map((by) => html`<${Way} key=${by} wanted=${{ ...wanted, by }} isCurrent=${by === wanted.by} />`)}
    </nav>
    <form class="filter span" aria-label="Days" onSubmit=${apply} onChange=${apply}>
      <div class="spans" role="group" aria-label="Days until today">
        ${SPANS.map((days) => html`<${Span} key=${days} days=${days} wanted=${wanted} now=${now} />`)}
      </div>
      <label><span>First day (UTC)</span><input type="date" name="from" max=${to} value=${from} /></label>
      <label><span>Last day (UTC)</span><input type="date" name="to" min=${from} value=${to} /></label>
    </form>
  `;
}

/** @param {{ wanted: Wanted, isCurrent: boolean }} props */
function Way({ wanted, isCurrent }) {
  return html`<a href=${addressOf(wanted)} data-view aria-current=${isCurrent ? "page" : undefined}>${WAY_NAMES[wanted.by]}</a>`;
}

/** @param {{ days: number, wanted: Wanted, now: number }} props */
function Span({ days, wanted, now }) {
  const span = spanOf(days, now);
  const isCurrent = span.from === wanted.from && span.to === wanted.to;
  return html`<a href=${addressOf({ ...wanted, ...span })} data-view aria-current=${isCurrent ? "true" : undefined}>${days} days</a>`;
}

/** @param {Wanted} wanted */
function addressOf({ by, from, to }) {
  return `/usage?${new URLSearchParams({ by, from, to })}`;
}
