// The hours of a week, each darker the more came in it.

import { weekCells } from "../../state/charts.js";
import { html } from "../../ui.js";
import { hourTitle, weekdayName } from "../../words/chart_words.js";

/** @param {{ hours: { weekday: number, hour: number, sessions: number }[], summary: string }} props */
export function Week({ hours, summary }) {
  return html`
    <div class="week" role="img" aria-label=${summary}>
      ${weekCells(hours).map(
        (cells, day) => html`
        <span key=${day} class="day" aria-hidden="true">${weekdayName(day)}</span>
        ${cells.map(({ count, level }, hour) => html`<span key=${`${day} ${hour}`} class="hour" data-level=${level} title=${hourTitle(day, hour, count)}></span>`)}
      `,
      )}
      <span class="day"></span>
      ${[0, 6, 12, 18].map((hour) => html`<span key=${hour} class="hour-name" aria-hidden="true">${String(hour).padStart(2, "0")}</span>`)}
    </div>
  `;
}
