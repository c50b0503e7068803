// What is known of one session, folded from the gateway's messages: no DOM, no clock, no network.
//
// History and live messages are of the same types, and a lost connection brings the history again. So everything is
// kept by id, and what the log said is replaced only by what the log said later (`number`).

import { hasEnded } from "../words/wording.js";
import { noteCall, noteSources } from "./citations.js";
import { beginItemsAgain, takeChunk, takeCompleted, takeCreated, takeProgress, takeReset } from "./item_state.js";
import { noteLastWord } from "./last_words.js";

/** @typedef {import("tarsy-live").components["schemas"]} Live
 *  @typedef {{ beganAt: string | null, endedAt: string | null }} Times
 *  @typedef {Omit<Live["StageStatusChanged"], "type"> & Times} Stage
 *  @typedef {Omit<Live["ExecutionStatusChanged"], "type"> & Times} Execution
 *  @typedef {import("./item_types.js").Item} Item */

/** @typedef {object} Session
 *  @property {number} number
 *  @property {string | null} status  null until something is known
 *  @property {string} finalAnalysis
 *  @property {string} executiveSummary
 *  @property {string} executiveSummaryError
 *  @property {string} partialReason  why the analysis is less than whole; empty where each agent concluded itself
 *  @property {readonly string[]} evidenceLimits  what its evidence lacks, a sentence each
 *  @property {string} error
 *  @property {string | null} startedAt
 *  @property {string | null} changedAt  when the status changed last
 *  @property {Map<string, Stage>} stages
 *  @property {Map<string, Execution>} executions
 *  @property {Map<string, Item>} items
 *  @property {import("./citations.js").Calls} calls
 *  @property {Map<number, import("./citations.js").Source>} sources
 *  @property {import("./last_words.js").LastWords} lastWords */

/** What a message has changed: something of the session, its stages or agents; and these items.
 *  @typedef {{ session: boolean, items: string[] }} Changes */

/** The types of messages that belong to a session.
 *  @typedef {Live["SessionStatusChanged"] | Live["StageStatusChanged"] | Live["ExecutionStatusChanged"]
 *    | Live["TimelineEventCreated"] | Live["TimelineEventCompleted"] | Live["StreamedText"] | Live["StreamBegunAgain"]
 *    | Live["StreamedProgress"] | Live["SessionGone"]} Message */

/** @returns {Session} */
export function newSession() {
  return {
    number: 0,
    status: null,
    finalAnalysis: "",
    executiveSummary: "",
    executiveSummaryError: "",
    partialReason: "",
    evidenceLimits: [],
    error: "",
    startedAt: null,
    changedAt: null,
    stages: new Map(),
    executions: new Map(),
    items: new Map(),
    calls: new Map(),
    sources: new Map(),
    lastWords: new Map(),
  };
}

/** Changes `session`; returns what has changed. An item that is named and no longer there was removed.
 *  @param {Session} session
 *  @param {Message} message
 *  @returns {Changes} */
export function take(session, message) {
  switch (message.type) {
    case "session.status":
      return { session: takeStatus(session, message), items: [] };
    case "stage.status":
      return { session: takeStep(session.stages, message.stage_id, message), items: [] };
    case "execution.status":
      return { session: takeStep(session.executions, message.execution_id, message), items: [] };
    case "timeline_event.created":
    case "timeline_event.completed":
      return takeItem(session, message);
    case "stream.chunk":
      return { session: false, items: takeChunk(session.items, message) };
    case "stream.reset":
      return { session: false, items: takeReset(session.items, message) };
    case "stream.progress":
      return { session: false, items: takeProgress(session.items, message) };
    default:
      return { session: false, items: [] };
  }
}

/** The history follows: it tells again what streams now, and no longer what came to nothing meanwhile.
 *  @param {Session} session
 *  @returns {Changes} */
export function beginAgain(session) {
  return { session: false, items: beginItemsAgain(session.items) };
}

/** Whether an investigation has a result, or will have none.
 *  @param {Session} session */
export function isOver(session) {
  return hasEnded(session.status);
}

/** @param {Session} session
 *  @param {Live["TimelineEventCreated"] | Live["TimelineEventCompleted"]} message
 *  @returns {Changes} */
function takeItem(session, message) {
  const isNew = !session.items.has(message.event_id);
  const isCreated = message.type === "timeline_event.created";
  const items = isCreated ? takeCreated(session.items, message) : takeCompleted(session.items, message);
  noteCall(session.calls, session.items.get(message.event_id));
  noteSources(session.sources, session.items.get(message.event_id));
  noteLastWord(session.lastWords, session.items.get(message.event_id));
  return { session: isNew && fellBack(session, message), items };
}

/** @param {Session} session
 *  @param {Live["SessionStatusChanged"]} message */
function takeStatus(session, message) {
  if (message.number < session.number) return false;
  session.number = message.number;
  session.status = message.status;
  session.finalAnalysis = message.final_analysis ?? "";
  session.executiveSummary = message.executive_summary ?? "";
  session.executiveSummaryError = message.executive_summary_error ?? "";
  session.partialReason = message.partial_reason ?? "";
  session.evidenceLimits = message.evidence_limits ?? [];
  session.error = message.error_message ?? "";
  session.changedAt = message.timestamp;
  if (message.status === "in_progress") session.startedAt ??= message.timestamp;
  return true;
}

/** What a step is, is told once, when it begins; how it ended, when it has.
 *  @template {Live["StageStatusChanged"] | Live["ExecutionStatusChanged"]} M
 *  @param {Map<string, Omit<M, "type"> & Times>} steps
 *  @param {string} id
 *  @param {M} message */
function takeStep(steps, id, message) {
  const before = steps.get(id);
  if (before !== undefined && message.number < before.number) return false;
  const isEnd = hasEnded(message.status);
  const beganAt = before?.beganAt ?? (isEnd ? null : (message.timestamp ?? null));
  steps.set(id, { ...before, ...message, beganAt, endedAt: isEnd ? (message.timestamp ?? null) : null });
  return true;
}

/** An agent that fell back asks another provider from here on.
 *  @param {Session} session
 *  @param {Live["TimelineEventCreated"] | Live["TimelineEventCompleted"]} message */
function fellBack(session, message) {
  const agent = session.executions.get(message.execution_id ?? "");
  if (message.event_type !== "provider_fallback" || agent === undefined) return false;
  const { from, to } = message.metadata ?? {};
  session.executions.set(agent.execution_id, {
    ...agent,
    original_llm_provider: agent.original_llm_provider ?? (typeof from === "string" ? from : null),
    llm_provider: typeof to === "string" ? to : agent.llm_provider,
  });
  return true;
}
