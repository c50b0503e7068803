// The list of sessions: a search, what was found, and what can be done with many at once.

import { addKeys } from "../keys.js";
import { query as address, goBeside, replaceAddress, wayBack } from "../router.js";
import { orderOf } from "../state/list_order.js";
import { emptyQuery, foundBy, fromAddress, isEmptyQuery, toAddress } from "../state/search_query.js";
import { account } from "../stores/account_store.js";
import { Chosen } from "../stores/chosen.js";
import { shownNow } from "../stores/connection.js";
import { noticeEnd } from "../stores/end_notices.js";
import { keepList, keptList } from "../stores/kept_list.js";
import { SessionsStore } from "../stores/sessions_store.js";
import { html, useEffect, useMemo, useRef } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { BulkBar } from "./bulk_bar.js";
import { FirstAlert } from "./first_alert.js";
import { ListHeads } from "./list_heads.js";
import { ListSections } from "./list_sections.js";
import { useRunningTitle } from "./running_title.js";
import { SearchBar } from "./search_bar.js";
import { Sparkline } from "./sparkline.js";

/** @typedef {import("../state/search_query.js").SearchQuery} SearchQuery */

export function ListView() {
  const search = address.value.toString();
  const query = useMemo(() => fromAddress(new URLSearchParams(search)), [search]);
  const store = useMemo(() => keptStore(query) ?? new SessionsStore(query, noticeEnd), []);
  const chosen = useMemo(() => new Chosen(), []);
  useEffect(() => store.open(), []);
  useEffect(() => keepList(foundBy(query), store), [query]);
  useSearchOf(store, query);
  useRunningTitle();
  useEffect(() => addKeys([{ key: "/", name: TEXT.keys.search, act: focusSearch }]), []);
  const canAct = account.value.role !== "viewer";
  return html`
    <div class="list-view">
      <${ListHead} store=${store} />
      <${SearchBar} query=${query} onChange=${(/** @type {SearchQuery} */ wanted) => showInstead(query, wanted)} />
      <${Found} store=${store} query=${query} chosen=${canAct ? chosen : null} />
      ${canAct && html`<${BulkBar} store=${store} chosen=${chosen} />`}
    </div>
  `;
}

/** How many there are, and when they came. @param {{ store: SessionsStore }} props */
function ListHead({ store }) {
  const count = store.found.value;
  store.sections.value;
  return html`
    <div class="list-head">
      <h1>${TEXT.list.title}</h1>
      <span class="found quiet" role="status">${count === null ? "" : say(TEXT.list.found, { count })}</span>
      <${Sparkline} rows=${store.rows} now=${shownNow.value} isWhole=${!store.hasMore.value} />
    </div>
  `;
}

/** The one that was left with the same search, for who comes back. @param {SearchQuery} query */
function keptStore(query) {
  return wayBack() === null ? null : keptList(foundBy(query));
}

/** @param {{ store: SessionsStore, query: SearchQuery, chosen: Chosen | null }} props */
function Found({ store, query, chosen }) {
  const notice = store.notice.value;
  const isNothing = store.sections.value.length === 0;
  if (store.isLoading.value && isNothing) return html`<p class="notice" role="status">${TEXT.page.loading}</p>`;
  return html`
    <p class="notice" role="status">${notice || (isNothing && !isEmptyQuery(query) ? TEXT.list.nothingFits : "")}</p>
    ${
      isNothing &&
      notice === "" &&
      (isEmptyQuery(query)
        ? html`<${FirstAlert} />`
        : html`<p><button type="button" onClick=${() => show(emptyQuery())}>${TEXT.list.showAll}</button></p>`)
    }
    ${!isNothing && html`<${ListHeads} order=${orderOf(query.sort)} hasBoxes=${chosen !== null} onSort=${(/** @type {string} */ sort) => show({ ...query, sort })} />`}
    <div aria-busy=${store.isLoading.value}><${ListSections} store=${store} chosen=${chosen} /></div>
    ${store.hasMore.value && html`<p class="quiet">${TEXT.list.older}</p>`}
  `;
}

/** The store has begun with the first query already. @param {SessionsStore} store @param {SearchQuery} query */
function useSearchOf(store, query) {
  const known = useRef(foundBy(query));
  useEffect(() => {
    store.sortBy(orderOf(query.sort));
    if (foundBy(query) === known.current) return;
    known.current = foundBy(query);
    store.search(query);
  }, [query]);
}

/** Words take the place of what was typed before; back leads to what a filter or a span left. @param {SearchQuery} before
 *  @param {SearchQuery} query */
function showInstead(before, query) {
  if (foundBy({ ...before, words: "" }) === foundBy({ ...query, words: "" })) show(query);
  else goBeside(toAddress(query));
}

/** @param {SearchQuery} query */
function show(query) {
  replaceAddress(toAddress(query));
}

function focusSearch() {
  document.getElementById("search")?.focus();
}
