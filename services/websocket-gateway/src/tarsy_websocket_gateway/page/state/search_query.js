// What a list of sessions is searched by, as text, as an address, and as the API takes it: no DOM, clock or network.

import { orderOf } from "./list_order.js";

/** The key that people type, and the API's parameter. */
const FILTERS = /** @type {const} */ ({
  status: "status",
  severity: "severity",
  cluster: "cluster",
  ns: "namespace",
  workload: "workload",
  type: "alert_type",
  chain: "chain_id",
  label: "label",
  team: "team",
  review: "review_status",
  assignee: "assignee",
  rating: "quality_rating",
  scoring: "scoring_status",
  id: "id_prefix",
});
/** @typedef {keyof typeof FILTERS} FilterKey */
/** `words` is what has no key. `span` names a length of time until now; else `from` and `until` are times, or empty.
 *  `sort`: the column that the list is sorted by, as `list_order.js` reads it.
 *  @typedef {{ words: string, filters: Partial<Record<FilterKey, string>>, span: string, from: string, until: string, sort: string }} SearchQuery */

const OTHER_NAMES = new Map([
  ["namespace", "ns"],
  ["alert_type", "type"],
  ["chain_id", "chain"],
]);
const STATUSES = new Map([
  ["running", "in_progress"],
  ["waiting", "pending"],
  ["ended", "completed,failed,cancelled,timed_out"],
]);
const HOUR = 3_600_000;
/** @type {Record<string, number>} */
export const SPANS = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR };
/** The API refuses a shorter search. */
const SHORTEST_SEARCH = 3;
const LONGEST = 500;
const PIECE = /(?:([A-Za-z_]+):)?("[^"]*"?|[^\s"]+)/g;

/** @returns {SearchQuery} */
export function emptyQuery() {
  return { words: "", filters: {}, span: "", from: "", until: "", sort: "" };
}

/** What somebody typed: words, phrases in quotes, and `key:value`. An unknown key is a word like others.
 *  @param {string} text */
export function parseSearch(text) {
  /** @type {string[]} */
  const words = [];
  /** @type {Partial<Record<FilterKey, string>>} */
  const filters = {};
  for (const [piece, name, value] of text.slice(0, LONGEST).replaceAll("\0", " ").matchAll(PIECE)) {
    const key = keyOf(name ?? "");
    const plain = (value ?? "").replaceAll('"', "");
    if (key === null) words.push(piece);
    else if (plain !== "") filters[key] = key === "status" ? statusesOf(plain) : plain;
  }
  return { words: words.join(" "), filters };
}

/** The text that `parseSearch` reads as the same.
 *  @param {Pick<SearchQuery, "words" | "filters">} query */
export function writeSearch({ words, filters }) {
  const pieces = filterKeys(filters).map((key) => `${key}:${quoted(filters[key] ?? "")}`);
  return [words, ...pieces].filter(Boolean).join(" ");
}

/** The filters that hold, always in the same order.
 *  @param {SearchQuery["filters"]} filters */
export function filterKeys(filters) {
  return /** @type {FilterKey[]} */ (Object.keys(FILTERS)).filter((key) => filters[key] !== undefined);
}

/** @param {URLSearchParams} params @returns {SearchQuery} */
export function fromAddress(params) {
  const span = params.get("span") ?? "";
  const isSpan = Object.hasOwn(SPANS, span);
  return {
    ...parseSearch(params.get("q") ?? ""),
    span: isSpan ? span : "",
    from: isSpan ? "" : timeOrNothing(params.get("from")),
    until: isSpan ? "" : timeOrNothing(params.get("until")),
    sort: orderOf(params.get("sort") ?? "") === null ? "" : (params.get("sort") ?? ""),
  };
}

/** The address of the list: nothing stands in it that does not have to.
 *  @param {SearchQuery} query */
export function toAddress(query) {
  const parts = { q: writeSearch(query), span: query.span, from: query.from, until: query.until, sort: query.sort };
  const search = new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== "")).toString();
  return search === "" ? "/" : `/?${search}`;
}

/** The parameters of `GET /api/v1/sessions`, but for those of the page of the list.
 *  @param {SearchQuery} query @param {number} now @returns {Record<string, string>} */
export function toParameters(query, now) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const key of filterKeys(query.filters)) found[FILTERS[key]] = query.filters[key] ?? "";
  if (isSearchable(query.words)) found.search = query.words;
  const since = SPANS[query.span];
  if (since !== undefined) found.start_date = new Date(now - since).toISOString();
  if (query.from !== "") found.start_date = new Date(query.from).toISOString();
  if (query.until !== "") found.end_date = new Date(query.until).toISOString();
  return found;
}

/** @param {string} words */
export function isSearchable(words) {
  return words.length >= SHORTEST_SEARCH && /[\p{L}\p{N}]/u.test(words);
}

/** @param {SearchQuery} query */
export function isEmptyQuery(query) {
  return foundBy(query) === "/";
}

/** The same for queries that find the same sessions, whatever their order.
 *  @param {SearchQuery} query */
export function foundBy(query) {
  return toAddress({ ...query, sort: "" });
}

/** @param {string} name @returns {FilterKey | null} */
function keyOf(name) {
  const known = OTHER_NAMES.get(name.toLowerCase()) ?? name.toLowerCase();
  return Object.hasOwn(FILTERS, known) ? /** @type {FilterKey} */ (known) : null;
}

/** @param {string} value */
function statusesOf(value) {
  const found = value.toLowerCase().split(",").filter(Boolean);
  return found.map((one) => STATUSES.get(one) ?? one).join(",");
}

/** @param {string} value */
function quoted(value) {
  return /\s/.test(value) ? `"${value}"` : value;
}

/** @param {string | null} given */
function timeOrNothing(given) {
  return given !== null && !Number.isNaN(Date.parse(given)) ? given : "";
}
