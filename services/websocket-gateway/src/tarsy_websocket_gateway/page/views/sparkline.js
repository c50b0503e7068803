// Alerts per hour of the last day, as bars of a few pixels; their numbers stand in words beside them.

import { alertsPerHour } from "../state/alerts_per_hour.js";
import { html } from "../ui.js";
import { perHourWords } from "../words/list_words.js";

const HEIGHT = 20;
const STEP = 4;

/** @param {{ rows: readonly { createdAt: string }[], now: number, isWhole: boolean }} props */
export function Sparkline({ rows, now, isWhole }) {
  const counts = alertsPerHour(rows, now, isWhole);
  const most = Math.max(1, ...counts.map((count) => count ?? 0));
  const words = perHourWords(counts);
  const path = counts
    .map((count, place) => {
      const height = count === null || count === 0 ? 1 : Math.max(2, (count / most) * HEIGHT);
      return `M${place * STEP} ${HEIGHT}v-${height.toFixed(1)}h${STEP - 1}v${height.toFixed(1)}z`;
    })
    .join("");
  const width = counts.length * STEP;
  return html`
    <span class="sparkline" title=${words}>
      <svg viewBox=${`0 0 ${width} ${HEIGHT}`} width=${width} height=${HEIGHT} aria-hidden="true"><path d=${path} /></svg>
      <span class="unseen">${words}</span>
    </span>
  `;
}
