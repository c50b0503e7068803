// The heads of the list's columns: each sorts by its column, then the other way round, then no more.

import { COLUMNS, nextOrder } from "../state/list_order.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";

/** @typedef {import("../state/list_order.js").Order} Order */

/** @param {{ order: Order | null, onSort: (sort: string) => void, hasBoxes: boolean }} props */
export function ListHeads({ order, onSort, hasBoxes }) {
  return html`
    <div class="list-heads" role="group" aria-label=${TEXT.list.sortBy} data-boxes=${hasBoxes}>
      ${COLUMNS.map((column) => {
        const isChosen = order?.column === column;
        return html`
          <button key=${column} type="button" data-column=${column} aria-pressed=${String(isChosen)} onClick=${() => onSort(nextOrder(order, column))}>
            ${TEXT.list.columns[column]}${isChosen && html`<span aria-hidden="true">${order?.isReversed ? "▴" : "▾"}</span>`}
          </button>
        `;
      })}
    </div>
  `;
}
