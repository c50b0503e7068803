// A section of the list: its heading, which stays in sight, and those of its rows that are near the viewport.

import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { sectionCount, sectionName } from "../words/list_words.js";
import { say } from "../words/say.js";
import { SessionRow } from "./row.js";

/** @typedef {import("../state/list_layout.js").Visible & {
 *   isLast: boolean, store: import("../stores/sessions_store.js").SessionsStore,
 *   chosen: import("../stores/chosen.js").Chosen | null }} Props */

/** @param {Props} props */
export function ListSection({ box, rows, isLast, store, chosen }) {
  const { section } = box;
  const id = `section-${section.key.replaceAll(" ", "-")}`;
  const hasMore = section.kind === "ended" && isLast && (store.found.value ?? 0) > store.rows.length;
  return html`
    <section class="list-section" data-kind=${section.kind} aria-labelledby=${id}
             style=${{ top: `${box.top}px`, height: `${box.height}px` }}>
      <h2 id=${id}>
        ${sectionName(section, new Date())}
        ${" "}<span class="count">${sectionCount(section, hasMore)}</span>
      </h2>
      <ul aria-labelledby=${id}>
        ${rows.map(
          ({ row, place, top }) => html`
          <${SessionRow} key=${row.id} row=${row} place=${place} count=${section.rows.length + section.hidden} top=${top} chosen=${chosen}
                         same=${section.same.get(row.id)} onToggleSame=${(/** @type {string} */ reason) => store.toggleSame(reason)} />
        `,
        )}
      </ul>
      ${
        section.hidden > 0 &&
        html`
        <button type="button" class="fold-waiting" onClick=${() => store.unfold(true)}>
          ${say(TEXT.list.showMore, { count: section.hidden })}
        </button>
      `
      }
      ${
        section.isUnfolded &&
        html`
        <button type="button" class="fold-waiting" onClick=${() => store.unfold(false)}>${TEXT.list.showFewer}</button>
      `
      }
    </section>
  `;
}
