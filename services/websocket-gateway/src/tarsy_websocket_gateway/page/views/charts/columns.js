// Columns of stacked parts, and lines through the middles of columns.

import { linePath, stackColumns, WHOLE } from "../../state/charts.js";
import { html } from "../../ui.js";

const HEIGHT = 120;

/** `tones`: of the parts, from the ground. `titles`: what is said of each column.
 *  @param {{ columns: number[][], top: number, tones: string[], titles: string[] }} props */
export function Columns({ columns, top, tones, titles }) {
  const step = WHOLE / Math.max(1, columns.length);
  return html`
    <svg class="columns-chart" aria-hidden="true" width="100%" height=${HEIGHT}>
      ${stackColumns(columns, top).map(
        ({ column, part, x, y, width, height }) =>
          html`<rect key=${`${column} ${part}`} class="block" data-tone=${tones[part]} x=${`${x}%`} y=${`${y}%`} width=${`${width}%`} height=${`${height}%`} />`,
      )}
      ${titles.map((title, column) => html`<rect key=${column} class="over" x=${`${column * step}%`} width=${`${step}%`} height="100%"><title>${title}</title></rect>`)}
    </svg>
  `;
}

/** `lines`: by their tones.
 *  @param {{ lines: { tone: string, values: (number | null)[] }[], top: number, titles: string[] }} props */
export function Lines({ lines, top, titles }) {
  const step = WHOLE / Math.max(1, titles.length);
  return html`
    <svg class="lines-chart" aria-hidden="true" width="100%" height=${HEIGHT} viewBox=${`0 0 ${WHOLE} ${WHOLE}`} preserveAspectRatio="none">
      ${lines.map(({ tone, values }) => html`<path key=${tone} data-tone=${tone} d=${linePath(values, top)} />`)}
      ${titles.map((title, column) => html`<rect key=${column} class="over" x=${column * step} width=${step} height=${WHOLE}><title>${title}</title></rect>`)}
    </svg>
  `;
}
