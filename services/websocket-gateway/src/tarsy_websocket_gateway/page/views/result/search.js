// The search in a result, from hit to hit; and the way to a line.

import { html } from "../../ui.js";

/** @typedef {import("../../stores/result_search.js").ResultSearch} ResultSearch */

/** @param {{ search: ResultSearch, show: (place: import("../../stores/result_search.js").Place) => void }} props */
export function SearchForm({ search, show }) {
  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = new FormData(event.currentTarget);
    const textOf = (/** @type {string} */ name) => String(given.get(name) ?? "");
    const [from, until] = [textOf("from").trim(), textOf("until").trim()];
    search.search({ search: textOf("search"), ignoreCase: given.has("ignore_case"), from, until });
  }

  return html`
    <form class="row" onSubmit=${submit}>
      <input type="search" name="search" aria-label="Search in the result" placeholder="An expression of RE2: timeout|refused" />
      <label><input type="checkbox" name="ignore_case" /> any case</label>
      <button type="submit">Search</button>
      <button type="button" disabled=${!search.hasPrevious.value} onClick=${() => search.previous()}>Previous hit</button>
      <button type="button" disabled=${!search.hasNext.value} onClick=${() => search.next()}>Next hit</button>
      <span class="times">
        <label><${TimeField} name="from" /> from</label>
        <label><${TimeField} name="until" /> until</label>
      </span>
    </form>
    <div class="row">
      <p class="quiet hits" role="status">${search.notice.value}</p>
      <${LineForm} show=${show} />
    </div>
  `;
}

/** A text, and no date of the browser's: lines have other zones than the reader, and an alert's time can be pasted.
 *  @param {{ name: string }} props */
function TimeField({ name }) {
  return html`<input name=${name} size="20" autocomplete="off" placeholder="2026-11-22T10:05" />`;
}

/** @param {{ show: (place: import("../../stores/result_search.js").Place) => void }} props */
function LineForm({ show }) {
  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const number = Number.parseInt(String(new FormData(event.currentTarget).get("line")).replaceAll(/[,\s]/g, ""), 10);
    if (number >= 0) show({ number, byte: 0 });
  }

  return html`
    <form class="to-line" onSubmit=${submit}>
      <input name="line" size="8" inputmode="numeric" autocomplete="off" aria-label="Line" />${" "}
      <button type="submit">Go to line</button>
    </form>
  `;
}
