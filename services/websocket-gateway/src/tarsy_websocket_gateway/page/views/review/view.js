// The board of reviews: what waits for one, who looks at what, and what was found lately. What is shown stands in the
// address: `mine`, and `team`.

import { readSessions } from "../../net/api.js";
import { query, replaceAddress } from "../../router.js";
import { account } from "../../stores/account_store.js";
import { usePolled } from "../../stores/polled.js";
import { html, useEffect } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { boardAddress, boardFilters, reviewWords, STATUSES } from "../../words/review_words.js";
import { say } from "../../words/say.js";
import { Time } from "../clock.js";
import { Notice } from "../notice.js";

const MOST_ROWS = "50";

/** @typedef {import("tarsy-api").components["schemas"]["ListedSession"]} ListedSession
 *  @typedef {{ isMine: boolean, team: string }} Wanted */

export function ReviewView() {
  const wanted = { isMine: query.value.has("mine"), team: query.value.get("team") ?? "" };
  useEffect(() => {
    document.title = TEXT.review.documentTitle;
  }, []);
  /** @param {Partial<Wanted>} changed */
  const show = (changed) => replaceAddress(boardAddress({ ...wanted, ...changed }));
  return html`
    <h1>${TEXT.review.board}</h1>
    <div class="board-filters">
      ${account.value.name !== null && html`<label><input type="checkbox" checked=${wanted.isMine} onChange=${() => show({ isMine: !wanted.isMine })} />${TEXT.review.mine}</label>`}
      <label>${TEXT.review.team}${" "}<input type="text" value=${wanted.team} onChange=${(/** @type {{ currentTarget: HTMLInputElement }} */ event) => show({ team: event.currentTarget.value.trim() })} /></label>
    </div>
    <div class="board">
      ${STATUSES.map((status) => html`<${Column} key=${status} status=${status} wanted=${wanted} />`)}
    </div>
  `;
}

/** @param {{ status: import("../../words/review_words.js").ReviewStatus, wanted: Wanted }} props */
function Column({ status, wanted }) {
  const filters = boardFilters(status, wanted, account.value.name ?? "");
  const polled = usePolled(() => readSessions({ ...filters, page_size: MOST_ROWS }), [JSON.stringify(filters)]);
  const found = polled.answer.value;
  const count = found?.pagination.total_items ?? 0;
  return html`
    <section aria-labelledby=${`board-${status}`}>
      <h2 id=${`board-${status}`}>${say(TEXT.review.column, { name: TEXT.review.statuses[status], count })}</h2>
      <${Notice} polled=${polled} empty=${found !== null && count === 0 ? TEXT.review.none : ""} />
      <ul class="cards">${found?.sessions.map((row) => html`<${Card} key=${row.id} row=${row} />`)}</ul>
    </section>
  `;
}

/** @param {{ row: ListedSession }} props */
function Card({ row }) {
  return html`
    <li class="card">
      <a href=${`/sessions/${encodeURIComponent(row.id)}`} data-view>${row.title || row.alert_type}</a>
      <p class="text">${row.outcome ?? row.error_message ?? ""}</p>
      <p class="quiet">${reviewWords(row)}${" · "}<${Time} stamp=${row.created_at} />${typeof row.latest_score === "number" && ` · ${row.latest_score}/100`}</p>
    </li>
  `;
}
