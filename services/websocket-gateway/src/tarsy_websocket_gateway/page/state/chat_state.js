// The chat of a session, found in what is known of the session: no DOM, no clock, no network.
//
// Each question has a stage, in which it is answered: both together are a turn, and the stage's id is the turn's.

import { hasEnded } from "../words/wording.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./session_state.js").Stage} Stage
 *  @typedef {import("./item_types.js").Item} Item */

const SEQUENCES_PER_EVENT = 10;
const STAGES_AFTER_THE_END = new Set(["chat", "scoring", "reflection"]);

/** @param {Stage | undefined} stage */
export function isReply(stage) {
  return stage?.stage_type === "chat";
}

/** Whether it does not belong to the investigation: a reply, or another phase after the end.
 *  @param {Stage | undefined} stage */
export function isAfterTheEnd(stage) {
  return stage?.stage_type !== undefined && STAGES_AFTER_THE_END.has(stage.stage_type);
}

/** The stage of the reply that is being written; null when there is none.
 *  @param {Session} session */
export function openReply(session) {
  return [...session.stages.values()].find((stage) => isReply(stage) && !hasEnded(stage.status)) ?? null;
}

/** Whether agents are at work.
 *  @param {Session} session */
export function isRunning(session) {
  return !hasEnded(session.status) || openReply(session) !== null;
}

/** Whether an agent said it in a reply.
 *  @param {Session} session
 *  @param {Item} item */
export function isOfReply(session, item) {
  const agent = session.executions.get(item.executionId ?? "");
  return agent !== undefined && isReply(session.stages.get(agent.stage_id));
}

/** The turn of an item that no agent said: of a question, or of what people wanted after one. Null if there is none.
 *  @param {Session} session
 *  @param {Item} item
 *  @returns {string | null} */
export function turnOf(session, item) {
  if (item.type === "user_question") return item.metadata.stage_id ?? null;
  if (item.type !== "request") return null;
  /** @type {Item | null} */
  let last = null;
  for (const one of session.items.values()) {
    if (one.type !== "user_question" || one.sequence >= item.sequence) continue;
    if (last === null || one.sequence > last.sequence) last = one;
  }
  return last?.metadata.stage_id ?? null;
}

/** The ids of all turns, in order. Turns do not overlap: any place within one tells which is the earlier.
 *  @param {Session} session
 *  @returns {string[]} */
export function turnsOf(session) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const item of session.items.values()) {
    const turn = item.type === "user_question" ? item.metadata.stage_id : undefined;
    if (turn !== undefined) found.set(turn, item.sequence);
  }
  for (const stage of session.stages.values()) {
    if (isReply(stage) && !found.has(stage.stage_id)) found.set(stage.stage_id, stage.number * SEQUENCES_PER_EVENT);
  }
  return [...found].sort((one, other) => one[1] - other[1]).map(([id]) => id);
}

/** @param {Session} session
 *  @param {string} messageId */
export function hasQuestion(session, messageId) {
  return [...session.items.values()].some((item) => item.metadata.message_id === messageId);
}

/** Why nobody can ask now; empty when everybody can.
 *  @param {Session} session
 *  @param {boolean} isChatEnabled
 *  @returns {"" | "disabled" | "running" | "replying"} */
export function whyClosed(session, isChatEnabled) {
  if (!isChatEnabled) return "disabled";
  if (!hasEnded(session.status)) return "running";
  return openReply(session) === null ? "" : "replying";
}
