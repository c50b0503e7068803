// The span of days that is looked at, and the rows of its usage: no DOM, no network. Days are those of UTC.

/** @typedef {import("tarsy-api").components["schemas"]["UsageReport"]} UsageReport */
/** @typedef {import("tarsy-api").components["schemas"]["UsageGroup"]} UsageGroup */
/** `overview`: charts of days. @typedef {"overview" | UsageReport["by"]} By */
/** @typedef {{ by: By, from: string, to: string }} Wanted */

/** @type {By[]} */
export const WAYS = ["overview", "day", "chain", "model", "alert_type", "team", "tool_server"];
export const SPANS = [7, 30, 90];
const USUAL_DAYS = 30;
const MOST_DAYS = 366;
const DAY_MILLISECONDS = 86_400_000;

/** Charts of thirty days until today where the address does not say or says what cannot be.
 *  @param {URLSearchParams} given
 *  @param {number} now
 *  @returns {Wanted} */
export function wantedBy(given, now) {
  const by = WAYS.find((one) => one === given.get("by")) ?? "overview";
  const [from, to] = [given.get("from") ?? "", given.get("to") ?? ""];
  const days = isDay(from) && isDay(to) ? daysOf(from, to) : 0;
  if (days < 1 || days > MOST_DAYS) return { by, ...spanOf(USUAL_DAYS, now) };
  return { by, from, to };
}

/** So many days, today included.
 *  @param {number} days
 *  @param {number} now */
export function spanOf(days, now) {
  return { from: dayOf(now - (days - 1) * DAY_MILLISECONDS), to: dayOf(now) };
}

/** The latest day first, also those without usage; chains and models in their order.
 *  @param {UsageReport} report
 *  @param {{ from: string, to: string }} span
 *  @returns {UsageGroup[]} */
export function rowsOf(report, span) {
  if (report.by !== "day") return [...report.groups];
  const known = new Map(report.groups.map((group) => [group.key, group]));
  return daysBetween(span)
    .reverse()
    .map((key) => known.get(key) ?? unused(key));
}

/** The first day first. @param {{ from: string, to: string }} span */
export function daysBetween({ from, to }) {
  const first = Date.parse(from);
  return Array.from({ length: daysOf(from, to) }, (_, place) => dayOf(first + place * DAY_MILLISECONDS));
}

/** @param {string} key
 *  @returns {UsageGroup} */
function unused(key) {
  return {
    key,
    sessions: 0,
    calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    total_tokens: 0,
    thinking_tokens: 0,
    cached_input_tokens: 0,
    cache_written_tokens: 0,
    web_searches: 0,
    cost: 0,
    cost_completeness: "complete",
  };
}

/** @param {string} text */
function isDay(text) {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** @param {string} from
 *  @param {string} to */
function daysOf(from, to) {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS) + 1;
}

/** @param {number} milliseconds */
function dayOf(milliseconds) {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
