// How a line of the list, its sections and its search are worded.

import { counted, duration, hasEnded, statusWord } from "./wording.js";

/** @typedef {import("../state/list_row.js").Row} Row */
/** @typedef {import("../state/list_row.js").Activity} Activity */
/** @typedef {import("../state/sessions_state.js").Section} Section */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
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
  return row.outcome ?? firstSentence(row.summary);
}

/** What it does now. `now` is a time in milliseconds. @param {Activity} activity @param {number} now */
export function activityWords(activity, now) {
  const since = duration(Math.max(0, Math.floor((now - Date.parse(activity.since)) / 1000) * 1000));
  const stage = activity.stages > 1 ? `stage ${activity.stage} of ${activity.stages}` : "";
  return [stepWords(activity), doingWords(activity), since, stage].filter(Boolean).join(" · ");
}

/** @param {Row} row */
export function waitingWords({ status, queuePosition }) {
  if (status !== "pending") return "";
  return queuePosition === null ? "in the queue" : `${ordinal(queuePosition)} in queue`;
}

/** What is worth knowing of it besides; heavy is what changes something. @param {Row} row */
export function marksOf(row) {
  const marks = [];
  if (row.approvalsWaiting > 0)
    marks.push({ word: "waits for a yes", title: counted(row.approvalsWaiting, "call"), heavy: true });
  if (row.changed > 0)
    marks.push({ word: "changed", title: `${counted(row.changed, "call")} may have changed something`, heavy: true });
  if (row.fallbacks > 0)
    marks.push({ word: "other model", title: "Another model answered than the first one", heavy: false });
  if (row.repeats > 0)
    marks.push({
      word: `×${row.repeats + 1}`,
      title: `The alert came ${counted(row.repeats + 1, "time")}`,
      heavy: false,
    });
  if (row.parentId !== null) marks.push({ word: "again", title: "An earlier investigation, run again", heavy: false });
  if (row.scripted) marks.push({ word: "scripted", title: "Its model is a script", heavy: false });
  return marks;
}

/** Input and output together, in thousands. @param {Row} row */
export function tokensWords({ inputTokens, outputTokens }) {
  const all = inputTokens + outputTokens;
  if (all === 0) return "";
  if (all < 1000) return `${all} tok`;
  return all < 999_500 ? `${Math.round(all / 1000)}k tok` : `${(all / 1_000_000).toFixed(1)}M tok`;
}

/** @param {Row} row */
export function tokensTitle({ inputTokens, outputTokens }) {
  return `${inputTokens.toLocaleString("en")} tokens in, ${outputTokens.toLocaleString("en")} out`;
}

/** @param {number | null} cost */
export function costWords(cost) {
  if (cost === null) return "";
  return cost < 0.01 ? "< $0.01" : `$${cost.toFixed(2)}`;
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
    dateStyle: undefined,
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

/** @param {Activity} activity */
function stepWords({ iteration, iteration_limit: limit }) {
  if (iteration === null) return "";
  return limit === null ? `step ${iteration}` : `step ${iteration} of ${limit}`;
}

/** @param {Activity} activity */
function doingWords({ agent, server, tool }) {
  if (tool !== null) return server === null ? tool : `${server}.${tool}`;
  return agent === null ? "getting ready" : "thinking";
}

/** Markdown's marks do not belong to the sentence. @param {string} text */
export function firstSentence(text) {
  const plain = text
    .replace(/[*_`#>]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
  const [sentence] = /^.*?[.!?](?=\s|$)/.exec(plain) ?? [plain];
  return sentence.slice(0, 200);
}

/** @param {number} number */
function ordinal(number) {
  const tens = number % 100;
  const ending = tens >= 11 && tens <= 13 ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${ending}`;
}
