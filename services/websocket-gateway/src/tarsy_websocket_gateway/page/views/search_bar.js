// The search of the list: words, filters, a span of time, and searches that were named.

import { FilterChips } from "./filter_chips.js";
import { FilterMenu } from "./filter_menu.js";
import { NoticesButton } from "./notices_button.js";
import { SavedViews } from "./saved_views.js";
import { SearchField } from "./search_field.js";
import { TimeSpan } from "./time_span.js";
import { html } from "../ui.js";

/** @typedef {import("../state/search_query.js").SearchQuery} SearchQuery */
/** @typedef {{ query: SearchQuery, onChange: (query: SearchQuery) => void }} Props */

/** @param {Props} props */
export function SearchBar({ query, onChange }) {
  return html`
    <search class="search-bar">
      <${SearchField} query=${query} onChange=${onChange} />
      <${FilterMenu} query=${query} onChange=${onChange} />
      <${TimeSpan} query=${query} onChange=${onChange} />
      <${NoticesButton} />
      <${FilterChips} query=${query} onChange=${onChange} />
      <${SavedViews} query=${query} />
    </search>
  `;
}
