// How the state of the system is said.

import { counted, duration, size } from "./wording.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

export const PART_NAMES = {
  overview: "Overview",
  servers: "MCP servers",
  held: "Held sessions",
  "dead-letters": "Dead letters",
  configuration: "Configuration",
  versions: "Versions",
};

export const NO_WARNINGS = "Nothing needs attention.";
export const NO_SERVERS = "No tool gateway has told of an MCP server yet.";
export const NO_HELD_SESSIONS = "No session is set aside.";
export const NO_LETTERS = "No dead letter fits.";
export const ONLY_OPERATORS = "Dead letters hold what strangers sent: they are for operators.";

export const ABOUT_HELD =
  "Nothing is decided for these sessions until an operator brings them back or ends them. What came for them waits.";
export const ABOUT_LETTERS =
  "Records that a service could not read. A re-drive writes one back to where it came from; the same alert meets its session.";
export const ABOUT_CONFIGURATION = "What holds now, built-in entries included. Secrets are not in it.";
export const RAW_QUESTION = "Show the exact bytes? Nothing in them is masked, and the log names you as their reader.";

/** A session that newer code left is brought back; one that failed is tried again. It is the same act.
 *  @param {Schemas["HeldSession"]} session
 *  @returns {{ act: "release" | "retry", label: string, question: string, yes: string }} */
export function wayBack({ reason }) {
  if (reason.startsWith("newer_")) {
    return { act: "release", label: "Bring back", question: "Bring this session back?", yes: "Yes, bring it back" };
  }
  return { act: "retry", label: "Try again", question: "Decide what waits once more?", yes: "Yes, try again" };
}

/** @param {Schemas["HeldSession"]} session */
export function heldFacts({ inputs }) {
  return inputs === 0
    ? "nothing waits for it"
    : `${counted(inputs, "input")} ${inputs === 1 ? "waits" : "wait"} for it`;
}

/** @param {Schemas["DeadLetterRow"]} letter */
export function letterFacts({ service, topic, partition, offset, size_bytes: bytes, attempts, cut }) {
  return [
    `buried by ${service}`,
    `${topic}, partition ${partition}, offset ${offset}`,
    size(bytes),
    attempts > 1 ? `buried ${attempts} times` : "",
    cut ? "its end is lost" : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** @param {Schemas["DeadLetterRow"]} letter
 *  @returns {{ word: string, tone: "plain" | "good" | "warning" }} */
export function letterState({ status, refusal }) {
  if (status === "redriven") return { word: "Re-driven", tone: "good" };
  return refusal === null ? { word: "Waiting", tone: "warning" } : { word: "Cannot be re-driven", tone: "plain" };
}

/** @param {Schemas["DeadLetterList"]} list */
export function lettersCount({ letters, total_items: total, forgotten }) {
  const shown = letters.length < total ? `${letters.length} of ${counted(total, "letter")}` : counted(total, "letter");
  return forgotten === 0 ? shown : `${shown} · ${counted(forgotten, "older one")} not listed`;
}

/** @param {number} fitting
 *  @param {number} refused */
export function redriveQuestion(fitting, refused) {
  const rest = refused === 0 ? "" : ` ${counted(refused, "other")} cannot be.`;
  return `Re-drive ${counted(fitting, "letter")}?${rest}`;
}

/** @param {Schemas["Redriven"][]} letters */
export function redriveSummary(letters) {
  const done = letters.filter(({ outcome }) => outcome === "redriven").length;
  const first = letters.find(({ outcome }) => outcome !== "redriven");
  const said = `${counted(done, "letter")} re-driven.`;
  return first === undefined ? said : `${said} ${counted(letters.length - done, "other")} not: ${first.message}`;
}

/** @param {Schemas["SystemOverview"]} overview
 *  @returns {[string, string, string][]} name, value, what is to be known of it */
export function overviewFacts({ queue, projection, workers }) {
  const { lag_records: lag, lag_seconds: seconds, unprojected } = projection;
  return [
    ["Running", queue.running.toLocaleString("en"), ""],
    ["In the queue", queue.waiting.toLocaleString("en"), ""],
    ["Lists are behind by", lag === 0 ? "nothing" : duration(seconds * 1000), lag === 0 ? "" : counted(lag, "record")],
    ["Not in the lists", unprojected.toLocaleString("en"), unprojected === 0 ? "" : "records, or a part of them"],
    ["Processes", workers.length.toLocaleString("en"), ""],
  ];
}
