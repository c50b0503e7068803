// The filters that hold, each with a way out.

import { emptyQuery, filterKeys } from "../state/search_query.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { filterWords } from "../words/list_words.js";
import { say } from "../words/say.js";

/** @typedef {import("../state/search_query.js").FilterKey} FilterKey */

/** @param {import("./search_bar.js").Props} props */
export function FilterChips({ query, onChange }) {
  const keys = filterKeys(query.filters);
  if (keys.length === 0) return null;

  /** @param {FilterKey} key */
  function without(key) {
    const { [key]: _, ...filters } = query.filters;
    onChange({ ...query, filters });
  }

  return html`
    <ul class="chips" aria-label=${TEXT.filters.label}>
      ${keys.map(
        (key) => html`
        <li key=${key}><${Chip} name=${TEXT.filters.names[key]} value=${filterWords(key, query.filters[key] ?? "")}
                                onRemove=${() => without(key)} /></li>
      `,
      )}
      <li><button type="button" class="plain" onClick=${() => onChange(emptyQuery())}>${TEXT.filters.clear}</button></li>
    </ul>
  `;
}

/** @param {{ name: string, value: string, onRemove: () => void }} props */
function Chip({ name, value, onRemove }) {
  return html`
    <button type="button" class="chip" aria-label=${say(TEXT.filters.remove, { name, value })} onClick=${onRemove}>
      <span class="quiet">${name}</span> <span class="value">${value}</span> <span aria-hidden="true">×</span>
    </button>
  `;
}
