// Filters to choose from: the values that sessions have.

import { readFilterOptions } from "../net/api.js";
import { html, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { filterWords } from "../words/list_words.js";
import { messageOf } from "../words/problems.js";
import { useClosing } from "./menu.js";

/** @typedef {import("../state/search_query.js").FilterKey} FilterKey */
/** @typedef {import("tarsy-api").components["schemas"]["FilterOptions"]} FilterOptions */

/** @type {[FilterKey, keyof FilterOptions][]} */
const FIELDS = [
  ["status", "statuses"],
  ["severity", "severities"],
  ["cluster", "clusters"],
  ["ns", "namespaces"],
  ["workload", "workloads"],
  ["type", "alert_types"],
  ["chain", "chain_ids"],
  ["label", "session_labels"],
];

/** @param {import("./search_bar.js").Props} props */
export function FilterMenu({ query, onChange }) {
  const options = useSignal(/** @type {FilterOptions | null} */ (null));
  const failure = useSignal("");
  const menu = useClosing();

  async function read() {
    try {
      options.value = await readFilterOptions();
      failure.value = "";
    } catch (problem) {
      failure.value = messageOf(problem);
    }
  }

  /** @param {FilterKey} key @param {string} value */
  function choose(key, value) {
    const { [key]: _, ...others } = query.filters;
    onChange({ ...query, filters: value === "" ? others : { ...others, [key]: value } });
  }

  return html`
    <details class="filter-menu" ref=${menu} onToggle=${() => menu.current?.open && read()}>
      <summary>${TEXT.filters.open}</summary>
      <div class="filter-fields">
        ${failure.value !== "" && html`<p class="failure" role="status">${failure.value}</p>`}
        ${FIELDS.map(
          ([key, name]) => html`
          <${Field} key=${key} name=${key} value=${query.filters[key] ?? ""} values=${options.value?.[name] ?? []}
                    onChoose=${(/** @type {string} */ value) => choose(key, value)} />
        `,
        )}
      </div>
    </details>
  `;
}

/** @param {{ name: FilterKey, value: string, values: readonly string[], onChoose: (value: string) => void }} props */
function Field({ name, value, values, onChoose }) {
  const all = value === "" || values.includes(value) ? values : [value, ...values];
  return html`
    <label>
      <span class="quiet">${TEXT.filters.names[name]}</span>
      <select value=${value} onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ event) => onChoose(event.currentTarget.value)}>
        <option value="">${TEXT.filters.any}</option>
        ${all.map(
          (one) => html`
          <option key=${one} value=${one}>${filterWords(name, one)}</option>
        `,
        )}
      </select>
    </label>
  `;
}
