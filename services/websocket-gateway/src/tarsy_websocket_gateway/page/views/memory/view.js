// Memories of all investigations. Search and page stand in the address.

import { readMemories } from "../../net/memory_api.js";
import { query, replaceAddress } from "../../router.js";
import { usePolled } from "../../stores/polled.js";
import { html, useEffect } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { say } from "../../words/say.js";
import { Notice } from "../notice.js";
import { MemoryCard } from "./card.js";

/** @typedef {import("tarsy-api").components["schemas"]["MemoryList"]} MemoryList */

export function MemoryView() {
  const search = query.value.get("search") ?? "";
  const page = Math.max(1, Number.parseInt(query.value.get("page") ?? "1", 10) || 1);
  useEffect(() => {
    document.title = TEXT.memory.documentTitle;
  }, []);
  /** @param {Event & { currentTarget: HTMLFormElement }} event */
  function find(event) {
    event.preventDefault();
    replaceAddress(addressOf(String(new FormData(event.currentTarget).get("search")), 1));
  }
  return html`
    <h1>${TEXT.memory.title}</h1>
    <p class="quiet">${TEXT.memory.about}</p>
    <form class="filter" role="search" onSubmit=${find}>
      <label><span>${TEXT.memory.search}</span><input type="search" name="search" maxlength="500" defaultValue=${search} /></label>
    </form>
    <${Found} key=${`${search} ${page}`} search=${search} page=${page} />
  `;
}

/** @param {{ search: string, page: number }} props */
function Found({ search, page }) {
  const polled = usePolled(() => readMemories({ search, page }));
  /** @type {MemoryList | null} */
  const found = polled.answer.value;
  const isEmpty = found?.memories.length === 0;
  return html`
    <${Notice} polled=${polled} empty=${isEmpty ? TEXT.memory.none : ""} />
    ${
      found !== null &&
      !isEmpty &&
      html`
      <p class="quiet">${say(TEXT.memory.count, { count: found.total })}</p>
      <ul class="memories">
        ${found.memories.map((memory) => html`<${MemoryCard} key=${memory.id} memory=${memory} changed=${() => polled.read()} />`)}
      </ul>
      <${Pages} search=${search} page=${page} last=${found.total_pages} />
    `
    }
  `;
}

/** @param {{ search: string, page: number, last: number }} props */
function Pages({ search, page, last }) {
  if (last < 2) return null;
  return html`
    <nav class="parts" aria-label=${TEXT.memory.pages}>
      ${page > 1 && html`<a href=${addressOf(search, page - 1)} data-view>${TEXT.memory.newer}</a>`}
      ${page < last && html`<a href=${addressOf(search, page + 1)} data-view>${TEXT.memory.older}</a>`}
    </nav>
  `;
}

/** @param {string} search @param {number} page */
function addressOf(search, page) {
  return `/memories?${new URLSearchParams({ ...(search !== "" ? { search } : {}), page: String(page) })}`;
}
