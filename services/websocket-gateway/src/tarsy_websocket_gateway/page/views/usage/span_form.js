// Which days are looked at, and by what their usage is put together.

import { replaceAddress } from "../../router.js";
import { SPANS, WAYS, spanOf } from "../../state/usage_rows.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { say } from "../../words/say.js";

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
    <nav class="parts" aria-label=${TEXT.usage.waysLabel}>
      ${WAYS.map((by) => html`<${Way} key=${by} wanted=${{ ...wanted, by }} isCurrent=${by === wanted.by} />`)}
    </nav>
    <form class="filter span" aria-label=${TEXT.usage.daysLabel} onSubmit=${apply} onChange=${apply}>
      <div class="spans" role="group" aria-label=${TEXT.usage.spansLabel}>
        ${SPANS.map((days) => html`<${Span} key=${days} days=${days} wanted=${wanted} now=${now} />`)}
      </div>
      <label><span>${TEXT.usage.first}</span><input type="date" name="from" max=${to} value=${from} /></label>
      <label><span>${TEXT.usage.last}</span><input type="date" name="to" min=${from} value=${to} /></label>
    </form>
  `;
}

/** @param {{ wanted: Wanted, isCurrent: boolean }} props */
function Way({ wanted, isCurrent }) {
  return html`<a href=${addressOf(wanted)} data-view aria-current=${isCurrent ? "page" : undefined}>${TEXT.usage.ways[wanted.by]}</a>`;
}

/** @param {{ days: number, wanted: Wanted, now: number }} props */
function Span({ days, wanted, now }) {
  const span = spanOf(days, now);
  const isCurrent = span.from === wanted.from && span.to === wanted.to;
  return html`<a href=${addressOf({ ...wanted, ...span })} data-view aria-current=${isCurrent ? "true" : undefined}>${say(TEXT.usage.span, { count: days })}</a>`;
}

/** @param {Wanted} wanted */
function addressOf({ by, from, to }) {
  return `/usage?${new URLSearchParams({ by, from, to })}`;
}
