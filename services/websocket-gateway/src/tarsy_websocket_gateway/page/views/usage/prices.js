// The prices of the models that were asked in these days, and when each holds. Nothing where none has a price.

import { readPrices } from "../../net/usage_api.js";
import { usePolled } from "../../stores/polled.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { priceNumbers } from "../../words/price_words.js";
import { NumbersTable } from "../charts/chart.js";

/** It is left out where an older server has none.
 *  @param {{ span: { from: string, to: string } }} props */
export function Prices({ span }) {
  const polled = usePolled(() => readPrices(span));
  /** @type {import("../../net/usage_api.js").PriceHistory | null} */
  const history = polled.answer.value;
  if (history === null || history.prices.length === 0) return null;
  return html`
    <section class="prices" aria-label=${TEXT.prices.title}>
      <h2>${TEXT.prices.title}</h2>
      <p class="quiet">${TEXT.prices.about}</p>
      <${NumbersTable} title=${TEXT.prices.title} numbers=${priceNumbers(history)} />
    </section>
  `;
}
