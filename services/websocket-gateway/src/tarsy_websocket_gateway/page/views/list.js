// The list of sessions: a search, what was found, and what can be done with many at once.

import { addKeys } from "../keys.js";
import { query as address, replaceAddress } from "../router.js";
import { emptyQuery, fromAddress, isEmptyQuery, toAddress } from "../state/search_query.js";
import { account } from "../stores/account_store.js";
import { Chosen } from "../stores/chosen.js";
import { noticeEnd } from "../stores/end_notices.js";
import { SessionsStore } from "../stores/sessions_store.js";
import { html, useEffect, useMemo } from "../ui.js";
import { TEXT } from "../words/language.js";
import { BulkBar } from "./bulk_bar.js";
import { FirstAlert } from "./first_alert.js";
import { ListSections } from "./list_sections.js";
import { useRunningTitle } from "./running_title.js";
import { SearchBar } from "./search_bar.js";

/** @typedef {import("../state/search_query.js").SearchQuery} SearchQuery */

export function ListView() {
  const search = address.value.toString();
  const query = useMemo(() => fromAddress(new URLSearchParams(search)), [search]);
  const store = useMemo(() => new SessionsStore(query, noticeEnd), []);
  const chosen = useMemo(() => new Chosen(), []);
  useEffect(() => store.open(), []);
  useSearchOf(store, query);
  useRunningTitle();
  useEffect(() => addKeys([{ key: "/", name: TEXT.keys.search, act: focusSearch }]), []);
  const canAct = account.value.role !== "viewer";
  return html`
    <div class="list-view">
      <h1>${TEXT.list.title}</h1>
      <${SearchBar} query=${query} onChange=${show} />
      <${Found} store=${store} query=${query} chosen=${canAct ? chosen : null} />
      ${canAct && html`<${BulkBar} store=${store} chosen=${chosen} />`}
    </div>
  `;
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
    <div aria-busy=${store.isLoading.value}><${ListSections} store=${store} chosen=${chosen} /></div>
    ${store.hasMore.value && html`<p class="quiet">${TEXT.list.older}</p>`}
  `;
}

/** The store has begun with the first query already. @param {SessionsStore} store @param {SearchQuery} query */
function useSearchOf(store, query) {
  const first = useMemo(() => query, []);
  useEffect(() => {
    if (query !== first) store.search(query);
  }, [query]);
}

/** @param {SearchQuery} query */
function show(query) {
  replaceAddress(toAddress(query));
}

function focusSearch() {
  document.getElementById("search")?.focus();
}
