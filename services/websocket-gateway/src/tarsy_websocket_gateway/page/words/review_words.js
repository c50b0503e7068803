// How reviews, scores and their calibration are worded, and what the board asks for.

import { number } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas
 *  @typedef {"needs_review" | "in_progress" | "reviewed"} ReviewStatus
 *  @typedef {Pick<Schemas["ListedSession"], "review_status" | "assignee" | "quality_rating">} Reviewed */

/** @type {readonly ReviewStatus[]} */
export const STATUSES = ["needs_review", "in_progress", "reviewed"];
/** @type {readonly (keyof typeof TEXT.review.ratings)[]} */
export const RATINGS = ["accurate", "partly", "wrong"];

/** Whether the act says something of the analysis. @param {string} action */
export function isRating(action) {
  return action === "complete" || action === "feedback";
}

/** @param {Reviewed} row */
export function reviewWords({ review_status: status, assignee, quality_rating: rating }) {
  if (!status) return "";
  const who = assignee ? say(TEXT.review.by, { who: assignee }) : "";
  return [TEXT.review.statuses[status], who, rating ? TEXT.review.ratings[rating] : ""].filter(Boolean).join(" · ");
}

/** @param {{ latest_score?: number | null, scoring_status?: string }} row */
export function scoreWords({ latest_score: score, scoring_status: status = "" }) {
  /** @type {Record<string, string>} */
  const statuses = TEXT.score.statuses;
  if (score !== null && score !== undefined && status === "scored") return say(TEXT.score.of, { score });
  return statuses[status] ?? status;
}

/** @param {string} tag */
export function tagWords(tag) {
  return tag.replaceAll("_", " ");
}

/** @param {Schemas["Deduction"]} deduction */
export function deductionWords({ points, dimension, reason, calls }) {
  const cited = calls.length > 0 ? calls.map((call) => `call ${call}`).join(", ") : TEXT.score.noCall;
  return `-${points} ${dimension}: ${reason} [${cited}]`;
}

/** @param {{ isMine: boolean, team: string }} wanted */
export function boardAddress({ isMine, team }) {
  const parts = new URLSearchParams();
  if (isMine) parts.set("mine", "1");
  if (team !== "") parts.set("team", team);
  return parts.size === 0 ? "/review" : `/review?${parts}`;
}

/** The parameters of the list of sessions. @param {ReviewStatus} status @param {{ isMine: boolean, team: string }} wanted
 *  @param {string} name the caller's @returns {Record<string, string>} */
export function boardFilters(status, { isMine, team }, name) {
  return { review_status: status, ...(isMine ? { assignee: name } : {}), ...(team === "" ? {} : { team }) };
}

/** A row for each judge, and for each word of analyses.
 *  @param {Schemas["CalibrationReport"]} report @returns {{ name: string, cells: string[] }[]} */
export function calibrationRows({ judges, confidences }) {
  return [
    ...judges.map((one) => ({ name: say(TEXT.calibration.judge, { judge: one.judge }), cells: cells(one) })),
    ...confidences.map((one) => ({ name: say(TEXT.calibration.confidence, one), cells: cells(one) })),
  ];
}

/** @param {Schemas["Calibration"]} one */
function cells({ rated, accurate, partly, wrong, brier, over_confidence: over }) {
  return [
    ...[rated, accurate, partly, wrong].map((count) => number(count)),
    ...[brier, over].map((it) => it?.toFixed(2) ?? ""),
  ];
}
