// Tabs, as the ARIA practices have them: arrows go from one to the next, Home and End to the first and the last, and
// only the chosen one is reached with Tab. A single one has no bar.

import { html, useRef } from "../ui.js";

/** @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** `id` names tab and panel for the browser.
 *  @typedef {{ id: string, title: import("preact").ComponentChildren, content: import("preact").ComponentChildren }} Tab */

/** The panels of all are in the page, and only the chosen one is shown.
 *  @param {{ label: string, tabs: Tab[], chosen: string, choose: (id: string) => void }} props */
export function Tabs({ label, tabs, chosen, choose }) {
  /** @type {{ current: HTMLElement | null }} */
  const bar = useRef(null);
  const isBar = tabs.length > 1;
  const shown = tabs.some(({ id }) => id === chosen) ? chosen : tabs[0]?.id;

  /** @param {KeyboardEvent} event */
  function move(event) {
    const to = placeAfter(
      event.key,
      tabs.findIndex(({ id }) => id === shown),
      tabs.length,
    );
    const tab = to === null ? undefined : tabs[to];
    if (tab === undefined) return;
    event.preventDefault();
    choose(tab.id);
    bar.current?.querySelectorAll("button")[to ?? 0]?.focus();
  }

  return html`
    <div>
      <div class="tabs" role="tablist" aria-label=${label} hidden=${!isBar} ref=${bar} onKeyDown=${move}>
        ${tabs.map(
          ({ id, title }) => html`
          <button
            key=${id} type="button" role="tab" id=${`tab-${id}`} aria-controls=${`panel-${id}`}
            aria-selected=${String(id === shown)} tabindex=${id === shown ? 0 : -1} onClick=${() => choose(id)}
          >${title}</button>
        `,
        )}
      </div>
      ${tabs.map(
        ({ id, content }) => html`
        <div key=${id} id=${`panel-${id}`} hidden=${id !== shown} ...${isBar ? panelRole(id) : {}}>${content}</div>
      `,
      )}
    </div>
  `;
}

/** @param {string} id */
function panelRole(id) {
  return { role: "tabpanel", "aria-labelledby": `tab-${id}`, tabindex: 0 };
}

/** @param {string} key
 *  @param {number} from
 *  @param {number} count */
function placeAfter(key, from, count) {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = STEPS[key];
  return step === undefined ? null : (from + step + count) % count;
}
