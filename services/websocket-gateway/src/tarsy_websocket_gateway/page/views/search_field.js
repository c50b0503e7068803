// The field of the search. Words count while somebody types; what has a key counts with Enter, and becomes a chip.

import { isSearchable, parseSearch } from "../state/search_query.js";
import { html, useEffect, useRef, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";

const PAUSE_MILLISECONDS = 400;

/** @param {import("./search_bar.js").Props} props */
export function SearchField({ query, onChange }) {
  const text = useSignal(query.words);
  const timer = useRef(0);
  /** The words of the address, as far as they were written or taken here. */
  const known = useRef(query.words);
  /** A filter may be chosen while somebody types. */
  const latest = useRef(query);
  latest.current = query;
  useEffect(() => {
    // Another address than what was typed: a saved search, or the way back. Somebody may have typed on since.
    if (known.current !== query.words) text.value = query.words;
    known.current = query.words;
  }, [query]);
  useEffect(() => () => clearTimeout(timer.current), []);

  /** @param {boolean} isWhole */
  function apply(isWhole) {
    clearTimeout(timer.current);
    const { words, filters } = parseSearch(text.value);
    if (isWhole) text.value = words;
    const more = isWhole ? filters : {};
    const before = latest.current;
    if (words !== before.words || Object.keys(more).length > 0) {
      known.current = words;
      onChange({ ...before, words, filters: { ...before.filters, ...more } });
    }
  }

  /** @param {{ currentTarget: HTMLInputElement }} event */
  function typed(event) {
    text.value = event.currentTarget.value;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => apply(false), PAUSE_MILLISECONDS);
  }

  /** @param {KeyboardEvent & { currentTarget: HTMLInputElement }} event */
  function pressed(event) {
    if (event.key === "Enter") apply(true);
    if (event.key === "Escape") event.currentTarget.blur();
  }

  const { words } = parseSearch(text.value);
  const isShort = words !== "" && !isSearchable(words);
  return html`
    <div class="search-field">
      <input id="search" type="search" aria-label=${TEXT.search.label} aria-describedby="search-hint" placeholder=${TEXT.search.hint}
             maxlength="500" autocomplete="off" spellcheck=${false} value=${text.value} onInput=${typed}
             onKeyDown=${pressed} />
      <span id="search-hint" class="quiet" role="status">${isShort ? TEXT.search.tooShort : ""}</span>
    </div>
  `;
}
