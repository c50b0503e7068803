// How a line of the list, its sections and its search are worded.

import { hasEnded, ordinal, statusWord } from "./wording.js";

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

/** @type {Record<import("../state/search_query.js").FilterKey, string>} */
export const FILTER_NAMES = {
  status: "Status",
  severity: "Severity",
  cluster: "Cluster",
  ns: "Namespace",
  workload: "Workload",
  type: "Alert type",
  chain: "Chain",
  id: "Id",
};
/** @type {Record<string, string>} */
export const SPAN_NAMES = {
  "": "Any time",
  hour: "Last hour",
  day: "Last day",
  week: "Last week",
  own: "From … until",
};

/** @param {string | null} severity */
export function severityLetter(severity) {
  return (severity ?? "").trim().charAt(0).toUpperCase();
}

/** The class of a colour: it only repeats what the letter says. @param {string | null} severity */
export function severityTone(severity) {
  return SEVERITIES.find(([pattern]) => pattern.test((severity ?? "").trim()))?.[1] ?? "plain";
}

/** How long ago, in one unit. @param {number} milliseconds */
export function age(milliseconds) {
  if (milliseconds < MINUTE) return "now";
  if (milliseconds < HOUR) return `${Math.floor(milliseconds / MINUTE)} min`;
  if (milliseconds < DAY) return `${Math.floor(milliseconds / HOUR)} h`;
  return `${Math.floor(milliseconds / DAY)} d`;
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
  return queuePosition === null ? "in the queue" : `${ordinal(queuePosition)} in queue`;
}

/** Tokens of input and output together, in thousands, and what they have cost. @param {Row} row */
export function usageWords({ inputTokens, outputTokens, cost }) {
  const all = inputTokens + outputTokens;
  if (all === 0) return costWords(cost);
  return cost === null ? `${inThousands(all)} tok` : `${inThousands(all)} · ${costWords(cost)}`;
}

/** @param {Row} row */
export function usageTitle({ inputTokens, outputTokens }) {
  if (inputTokens + outputTokens === 0) return "";
  return `${inputTokens.toLocaleString("en")} tokens in, ${outputTokens.toLocaleString("en")} out`;
}

/** @param {Section} section @param {Date} today */
export function sectionName({ kind, sample }, today) {
  if (kind !== "ended") return kind === "running" ? "Running" : "Waiting";
  const day = new Date(sample);
  if (day.toDateString() === today.toDateString()) return "Today";
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (day.toDateString() === yesterday.toDateString()) return "Yesterday";
  return new Intl.DateTimeFormat(undefined, {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
  }).format(day);
}

/** What a filter is called on its chip. @param {import("../state/search_query.js").FilterKey} key @param {string} value */
export function filterWords(key, value) {
  if (key !== "status") return value;
  return value.split(",").map(statusWord).join(", ");
}

/** @param {number} running */
export function titleOf(running) {
  return running === 0 ? "TARSy" : `(${running}) TARSy`;
}

/** @param {number} count */
function inThousands(count) {
  if (count < 1000) return String(count);
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** @param {number | null} cost */
function costWords(cost) {
  if (cost === null) return "";
  return cost < 0.01 ? "< $0.01" : `$${cost.toFixed(2)}`;
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
