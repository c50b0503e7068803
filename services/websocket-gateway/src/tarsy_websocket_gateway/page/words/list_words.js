// How a line of the list, its sections and its search are worded.

import { dayName, number } from "./formats.js";
import { TEXT } from "./language.js";
import { say, sayOrdinal } from "./say.js";
import { costWords } from "./usage_words.js";
import { hasEnded, statusWord } from "./wording.js";

/** @typedef {import("../state/list_row.js").Row} Row */
/** @typedef {import("../state/list_sections.js").Section} Section */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LONGEST_SENTENCE = 200;
/** How bad, in the order of the alphabet of colours. @type {[RegExp, string][]} */
const SEVERITIES = [
  [/^(critical|crit|fatal|emergency|page|p1|sev1|high|error)$/i, "bad"],
  [/^(warning|warn|medium|moderate|p2|sev2)$/i, "warning"],
];

/** The class of a colour: it only repeats what the word says. @param {string | null} severity */
export function severityTone(severity) {
  return SEVERITIES.find(([pattern]) => pattern.test((severity ?? "").trim()))?.[1] ?? "plain";
}

/** How long ago, in one unit. @param {number} milliseconds */
export function age(milliseconds) {
  if (milliseconds < MINUTE) return TEXT.list.ages.now;
  if (milliseconds < HOUR) return say(TEXT.list.ages.minutes, { count: Math.floor(milliseconds / MINUTE) });
  if (milliseconds < DAY) return say(TEXT.list.ages.hours, { count: Math.floor(milliseconds / HOUR) });
  return say(TEXT.list.ages.days, { count: Math.floor(milliseconds / DAY) });
}

/** What came of it, in one sentence; empty while nothing has. @param {Row} row */
export function outcomeWords(row) {
  if (!hasEnded(row.status)) return "";
  if (row.status !== "completed" && row.failure !== "") return firstSentence(row.failure);
  return row.outcome ?? firstSentence(withoutMarks(row.summary));
}

/** @param {Row} row */
export function waitingWords({ status, queuePosition }) {
  if (status !== "pending") return "";
  return queuePosition === null ? TEXT.list.queued : sayOrdinal(TEXT.list.place, { count: queuePosition });
}

/** Tokens of input and output together, in thousands, and what they have cost. @param {Row} row */
export function usageWords({ inputTokens, outputTokens, cost, isCostPartial }) {
  const all = inputTokens + outputTokens;
  const paid = cost === null ? "" : costWords({ cost, cost_completeness: isCostPartial ? "partial" : "complete" });
  if (all === 0) return paid;
  const tokens = inThousands(all);
  if (cost === null) return say(TEXT.list.tokens, { tokens });
  return say(TEXT.list.tokensAndCost, { tokens, cost: paid });
}

/** @param {Row} row */
export function usageTitle({ inputTokens, outputTokens }) {
  if (inputTokens + outputTokens === 0) return "";
  return say(TEXT.list.tokensBothWays, { input: inputTokens, output: outputTokens });
}

/** @param {Section} section @param {Date} today */
export function sectionName({ kind, sample }, today) {
  if (kind !== "ended") return TEXT.list.sections[kind];
  if (sample === "") return TEXT.list.sections.all;
  const day = new Date(sample);
  if (day.toDateString() === today.toDateString()) return TEXT.list.sections.today;
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (day.toDateString() === yesterday.toDateString()) return TEXT.list.sections.yesterday;
  return dayName(day);
}

/** More may follow than are known. @param {Section} section @param {boolean} hasMore */
export function sectionCount({ count }, hasMore) {
  return hasMore ? say(TEXT.list.atLeast, { count }) : number(count);
}

/** @param {(number | null)[]} counts */
export function perHourWords(counts) {
  const known = counts.filter((count) => count !== null);
  const count = known.reduce((sum, one) => sum + one, 0);
  return say(TEXT.list.perHour, { count, most: Math.max(0, ...known) });
}

/** @param {import("../state/same_failures.js").Same} same */
export function sameTitle({ others, isOpen }) {
  return isOpen ? TEXT.list.sameOpenTitle : say(TEXT.list.sameTitle, { count: others });
}

/** @param {string} span  a key of the search's, empty for any */
export function timeSpanName(span) {
  const names = TEXT.timeSpan.names;
  return Object.hasOwn(names, span) ? names[/** @type {keyof typeof names} */ (span)] : names.any;
}

/** The title of a notification. @param {Row} row */
export function noticeTitle({ status, partialReason, title }) {
  return say(TEXT.list.notice, { status: partialReason === "" ? statusWord(status) : TEXT.verdict.partial, title });
}

/** What the value of a filter is called. @param {import("../state/search_query.js").FilterKey} key @param {string} value */
export function filterWords(key, value) {
  if (key !== "status") return value;
  return value.split(",").map(statusWord).join(", ");
}

/** @param {number} running */
export function titleOf(running) {
  return running === 0 ? TEXT.page.name : say(TEXT.page.titleWhileRunning, { count: running });
}

/** @param {number} count */
function inThousands(count) {
  if (count < 1000) return number(count);
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** @param {string} text */
function firstSentence(text) {
  const plain = text.replace(/\s+/g, " ").trim();
  const [sentence] = /^.*?[.!?](?=\s|$)/.exec(plain) ?? [plain];
  return sentence.slice(0, LONGEST_SENTENCE);
}

/** Without Markdown's marks. @param {string} text */
function withoutMarks(text) {
  return text.replace(/^\s*[#>]+\s*/gm, "").replace(/\*+|`+|\b_+|_+\b/g, "");
}
