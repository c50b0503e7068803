// The search in a result, from hit to hit; and the way to a line.

import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";

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
      <input type="search" name="search" aria-label=${TEXT.resultSearch.label} placeholder=${TEXT.resultSearch.hint} />
      <label><input type="checkbox" name="ignore_case" /> ${TEXT.resultSearch.anyCase}</label>
      <button type="submit">${TEXT.resultSearch.search}</button>
      <button type="button" disabled=${!search.hasPrevious.value} onClick=${() => search.previous()}>${TEXT.resultSearch.before}</button>
      <button type="button" disabled=${!search.hasNext.value} onClick=${() => search.next()}>${TEXT.resultSearch.next}</button>
      <span class="times">
        <label><${TimeField} name="from" /> ${TEXT.resultSearch.from}</label>
        <label><${TimeField} name="until" /> ${TEXT.resultSearch.until}</label>
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
      <input name="line" size="8" inputmode="numeric" autocomplete="off" aria-label=${TEXT.resultSearch.lineLabel} />${" "}
      <button type="submit">${TEXT.resultSearch.toLine}</button>
    </form>
  `;
}
