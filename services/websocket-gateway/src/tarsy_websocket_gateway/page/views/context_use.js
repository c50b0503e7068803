// How full each agent's context is, and how it came to that.

import { stackColumns } from "../state/charts.js";
import { contextUses } from "../state/context_use.js";
import { html } from "../ui.js";
import { contextWords } from "../words/context_words.js";
import { TEXT } from "../words/language.js";

const NEARLY_FULL = 80;

/** @param {{ trace: import("../state/waterfall.js").Trace }} props */
export function ContextUse({ trace }) {
  const uses = contextUses(trace);
  if (uses.length === 0) return null;
  return html`
    <div class="contexts">
      <h3 class="section-label">${TEXT.contextUse.title}</h3>
      <ul>
        ${uses.map(
          (use) => html`
          <li key=${use.id} data-tone=${use.limit !== null && (use.parts.at(-1) ?? 0) >= NEARLY_FULL ? "warning" : "plain"}>
            <span class="name" title=${use.name}>${use.name}</span>
            <svg width="100%" height="24" aria-hidden="true">
              ${stackColumns(
                use.parts.map((part) => [part]),
                100,
              ).map(
                ({ column, x, y, width, height }) =>
                  html`<rect key=${column} x=${`${x}%`} y=${`${y}%`} width=${`${width}%`} height=${`${height}%`} />`,
              )}
            </svg>
            <span class="quiet">${contextWords(use)}</span>
          </li>
        `,
        )}
      </ul>
    </div>
  `;
}
