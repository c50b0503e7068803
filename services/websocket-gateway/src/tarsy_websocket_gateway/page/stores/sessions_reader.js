// What the list asks of the API: what runs, what waits, and what has ended by pages, the latest first.

import { readActive, readSessions } from "../net/api.js";
import { toParameters } from "../state/search_query.js";

/** @typedef {import("../state/search_query.js").SearchQuery} SearchQuery */
/** @typedef {import("../state/list_merge.js").Answer} Answer */

const PAGE_SIZE = 100;
/** So many sessions are asked for each by itself. */
export const MOST_ALONE = 20;
const STATUSES = {
  running: ["in_progress", "cancelling"],
  waiting: ["pending"],
  ended: ["completed", "failed", "cancelled", "timed_out"],
};
/** @type {Answer} */
const NONE = { rows: [], isWhole: true, count: 0 };

/** What runs, what waits, the latest that ended, and how the queue stands whatever the search is.
 *  @param {SearchQuery} query */
export async function readTop(query) {
  const [running, waiting, ended, queue] = await Promise.all([
    readSome(query, "running", {}),
    readSome(query, "waiting", { sort_order: "asc" }),
    readEnded(query, null, 1),
    readQueue(),
  ]);
  return { running, waiting, ended, queue };
}

/** `before`: the last of the page before. Its end is given by time, so that nothing is skipped when newer ones come;
 *  the last of that page is in the answer once more.
 *  @param {SearchQuery} query @param {string | null} before @param {number} page of those at exactly that time */
export function readEnded(query, before, page) {
  return readSome(query, "ended", before === null ? {} : { end_date: justAfter(before), page: String(page) });
}

/** Each by itself, where it fits the search. @param {SearchQuery} query @param {string[]} ids */
export async function readEach(query, ids) {
  const about = toParameters(query, Date.now());
  const asked = ids.map((id) => readSessions({ ...about, id_prefix: id, page_size: "1" }));
  return (await Promise.all(asked)).flatMap((answer) => answer.sessions);
}

/** What runs with its last event, and where each stands that waits. */
async function readQueue() {
  const { active, queued } = await readActive();
  return {
    running: new Map(active.map((one) => [one.id, one.last_number])),
    positions: new Map(queued.map((one) => [one.id, one.queue_position])),
  };
}

/** @param {SearchQuery} query @param {keyof typeof STATUSES} kind @param {Record<string, string>} more
 *  @returns {Promise<Answer>} */
async function readSome(query, kind, more) {
  const wanted = query.filters.status?.split(",") ?? STATUSES[kind];
  const statuses = STATUSES[kind].filter((status) => wanted.includes(status));
  if (statuses.length === 0 && !hasUnknown(wanted)) return NONE;
  const { sessions, pagination } = await readSessions({
    ...toParameters(query, Date.now()),
    sort_by: "created_at",
    page_size: String(PAGE_SIZE),
    ...more,
    status: (statuses.length === 0 ? wanted : statuses).join(","),
  });
  return { rows: sessions, isWhole: pagination.page >= pagination.total_pages, count: pagination.total_items };
}

/** The API says what is wrong with it. @param {string[]} wanted */
function hasUnknown(wanted) {
  const known = Object.values(STATUSES).flat();
  return wanted.some((status) => !known.includes(status));
}

/** The API's times are finer than the browser's. @param {string} stamp */
function justAfter(stamp) {
  return new Date(Date.parse(stamp) + 1).toISOString();
}
