// The latest sessions.

import { query } from "../router.js";
import { SessionsStore } from "../stores/sessions_store.js";
import { html, useEffect, useMemo } from "../ui.js";
import { SessionRow } from "./row.js";

const LAST_PAGE = 1_000_000;

export function ListView() {
  const page = pageNumber(query.value.get("page"));
  const store = useMemo(() => new SessionsStore(page), [page]);
  useEffect(() => {
    document.title = "TARSy";
    return store.open();
  }, [store]);
  const notice = store.notice.value;
  return html`
    <h1>Sessions</h1>
    ${notice !== "" && html`<p class="notice" role="status">${notice}</p>`}
    <ul class="sessions">
      ${store.rows.value.map((row) => html`<${SessionRow} key=${row.id} row=${row} />`)}
    </ul>
    <${Pages} page=${page} total=${store.pages.value} />
  `;
}

/** @param {{ page: number, total: number }} props */
function Pages({ page, total }) {
  if (page <= 1 && page >= total) return null;
  return html`
    <nav class="pages" aria-label="Pages">
      ${page > 1 && html`<a href=${`/?page=${page - 1}`} rel="prev" data-view>Newer</a>`}
      ${page < total && html`<a href=${`/?page=${page + 1}`} rel="next" data-view>Older</a>`}
    </nav>
  `;
}

/** @param {string | null} given */
function pageNumber(given) {
  const page = Number(given ?? 1);
  return Number.isInteger(page) && page >= 1 && page <= LAST_PAGE ? page : 1;
}
