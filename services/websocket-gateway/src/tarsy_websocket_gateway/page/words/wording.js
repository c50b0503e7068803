// How times, sizes and states are said.

import { factLine } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { agentCost } from "./usage_words.js";

/** @type {Record<string, string>} */
const STATUS_WORDS = TEXT.status;
/** @type {Record<string, string>} */
const TONES = {
  in_progress: "running",
  started: "running",
  active: "running",
  streaming: "running",
  cancelling: "warning",
  completed: "good",
  failed: "bad",
  timed_out: "bad",
};
const ENDED = new Set(["completed", "failed", "cancelled", "timed_out"]);

/** @param {string} status */
export function statusWord(status) {
  return Object.hasOwn(STATUS_WORDS, status) ? String(STATUS_WORDS[status]) : status;
}

/** Whether an analysis is less than whole, or rests on less than it should.
 *  @param {{ partialReason: string, evidenceLimits: readonly string[] }} said */
export function isLimited({ partialReason, evidenceLimits }) {
  return partialReason !== "" || evidenceLimits.length > 0;
}

/** The class of a colour. It only repeats what the word says.
 *  @param {string} status */
export function tone(status) {
  return Object.hasOwn(TONES, status) ? String(TONES[status]) : "plain";
}

/** @param {string} status */
export function isWell(status) {
  return status === "completed";
}

/** @param {string | null} status */
export function hasEnded(status) {
  return status !== null && ENDED.has(status);
}

/** @param {number} milliseconds */
export function duration(milliseconds) {
  if (milliseconds < 950) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 9.95 && !Number.isInteger(seconds)) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const SHORT_CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** The time of day; with the date when it is not today's.
 *  @param {Date} time
 *  @param {Date} now */
export function moment(time, now) {
  return (time.toDateString() === now.toDateString() ? CLOCK : WHOLE).format(time);
}

/** The time of day alone, in as little room as it takes.
 *  @param {Date} time */
export function clockTime(time) {
  return SHORT_CLOCK.format(time);
}

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** What an agent is asked through, how far it came, and what that cost.
 *  @param {import("../state/session_state.js").Execution} agent */
export function agentFacts(agent) {
  const { llm_provider: provider, original_llm_provider: first, iterations, forced_conclusion: forced } = agent;
  const why = agent.partial_reason ?? "";
  return factLine([
    first && provider && first !== provider ? say(TEXT.stages.fallback, { provider, first }) : provider,
    iterations > 0 ? say(TEXT.stages.iterations, { count: iterations }) : "",
    agentCost(agent),
    forced === true ? TEXT.stages.forced : "",
    why === "" ? "" : say(TEXT.stages.partial, { why }),
  ]);
}

/** A stage may have the name of something else on the page.
 *  @param {{ stage_index: number, stage_name: string }} stage */
export function stageLabel({ stage_index: index, stage_name: name }) {
  return say(TEXT.stages.label, { index, name });
}

/** Nothing of a stage of one agent.
 *  @param {import("../state/session_state.js").Stage} stage */
export function stageFacts(stage) {
  const count = stage.expected_agent_count ?? 1;
  if (count < 2) return "";
  const policy = stage.success_policy === "all" ? TEXT.stages.eachMustComplete : TEXT.stages.oneMustComplete;
  if (stage.parallel_type === "replica") return say(TEXT.stages.replicasInParallel, { count, policy });
  return say(TEXT.stages.agentsInParallel, { count, policy });
}

/** What a session is called.
 *  @param {{ title?: string | null, alert_type?: string | null } | null} detail */
export function sessionTitle(detail) {
  return detail?.title || detail?.alert_type || TEXT.session.unnamed;
}

/** The beginning of a text that is longer than `most`.
 *  @param {string} text
 *  @param {number} most */
export function shortened(text, most) {
  return text.length > most ? say(TEXT.page.cut, { beginning: text.slice(0, most) }) : text;
}
