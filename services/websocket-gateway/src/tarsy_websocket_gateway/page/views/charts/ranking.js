// The most frequent things, each with a bar of its parts.

import { html } from "../../ui.js";
import { number } from "../../words/formats.js";

/** `parts`: by tone, in percent of the longest bar.
 *  @typedef {{ name: string, href: string, count: number, title: string, parts: { tone: string, width: number }[] }} Ranked */

/** @param {{ rows: Ranked[] }} props */
export function Ranking({ rows }) {
  return html`
    <ol class="ranking">
      ${rows.map(
        ({ name, href, count, title, parts }) => html`
        <li key=${name} title=${title}>
          <a class="name" href=${href} data-view>${name}</a>
          <span class="count">${number(count)}</span>
          <svg width="100%" height="6" aria-hidden="true">
            ${parts.map(({ tone, width }, place) => html`<rect key=${tone} class="block" data-tone=${tone} height="6" x=${`${startOf(parts, place)}%`} width=${`${width}%`} />`)}
          </svg>
        </li>
      `,
      )}
    </ol>
  `;
}

/** @param {{ width: number }[]} parts @param {number} place */
function startOf(parts, place) {
  return parts.slice(0, place).reduce((sum, { width }) => sum + width, 0);
}
