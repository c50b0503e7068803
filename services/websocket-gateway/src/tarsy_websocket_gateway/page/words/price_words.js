// How prices of models and the days on which they hold are worded.

import { price } from "./formats.js";
import { TEXT } from "./language.js";

/** @typedef {import("tarsy-api").components["schemas"]["PriceHistory"]} PriceHistory */
/** @typedef {import("../state/csv.js").Cell} Cell */

/** Rows for people, and `exact` for the CSV: an amount that is not set is that of the input.
 *  @param {PriceHistory} history
 *  @returns {{ heads: string[], rows: string[][], exact: Cell[][] }} */
export function priceNumbers({ prices }) {
  const exact = prices.map((one) => [
    one.model,
    one.first,
    one.until,
    one.input,
    one.output,
    one.cached_input,
    one.cache_written,
    one.web_search,
  ]);
  return { heads: Object.values(TEXT.prices.columns), rows: exact.map((cells) => cells.map(cellWords)), exact };
}

/** @param {Cell} cell */
function cellWords(cell) {
  if (cell === null) return "";
  return typeof cell === "number" ? price(cell) : cell;
}
