// What is known of one session, folded from the gateway's messages: no DOM, no clock, no network.
//
// History and live messages are of the same types, and a lost connection brings the history again. So everything is
// kept by id, and what the log said is replaced only by what the log said later (`number`).

import { isOfReply, repeatsResponse } from "./chat_state.js";

const PLACES = 10;

export function newSession() {
  return {
    number: 0,
    status: null,
    finalAnalysis: "",
    executiveSummary: "",
    executiveSummaryError: "",
    error: "",
    changedAt: null,
    stages: new Map(),
    executions: new Map(),
    items: new Map(),
  };
}

/** Changes `session`; returns what has changed. An item that is named and no longer there was removed. */
export function take(session, message) {
  switch (message.type) {
    case "session.status":
      return takeStatus(session, message);
    case "stage.status":
      return takeStep(session.stages, message.stage_id, message);
    case "execution.status":
      return takeStep(session.executions, message.execution_id, message);
    case "timeline_event.created":
      return takeCreated(session, message);
    case "timeline_event.completed":
      return takeCompleted(session, message);
    case "stream.chunk":
      return takeChunk(session, message);
    case "stream.reset":
      return takeReset(session, message);
    case "stream.progress":
      return takeProgress(session, message);
    default:
      return NOTHING;
  }
}

/** The history follows: it tells again what streams now, and no longer what came to nothing meanwhile. */
export function beginAgain(session) {
  const changed = [];
  for (const item of session.items.values()) {
    if (item.status !== "streaming") continue;
    changed.push(item.id);
    if (item.number === null) session.items.delete(item.id);
    else item.isToldAgain = true;
  }
  return changes({ items: changed });
}

/** What stands above the timeline, or in the same reply: is this the same text? It may have been cut for display.
    Empty when it is not. A reply may say what the investigation said: it is a reply all the same. */
export function saidAbove(session, item) {
  if (isOfReply(session, item)) return repeatsResponse(session, item) ? "response" : "";
  if (isSame(session.finalAnalysis, item)) return "final analysis";
  return isSame(session.executiveSummary, item) ? "executive summary" : "";
}

function isSame(above, item) {
  const whole = above.trim();
  const text = item.content.trim();
  if (whole === "" || text === "" || item.status === "streaming") return false;
  return item.metadata.display_cut === true ? whole.startsWith(text) : whole === text;
}

const NOTHING = changes({});

function changes({ session = false, items = [] }) {
  return { session, items };
}

function takeStatus(session, message) {
  if (message.number < session.number) return NOTHING;
  session.number = message.number;
  session.status = message.status;
  session.finalAnalysis = message.final_analysis ?? "";
  session.executiveSummary = message.executive_summary ?? "";
  session.executiveSummaryError = message.executive_summary_error ?? "";
  session.error = message.error_message ?? "";
  session.changedAt = message.timestamp;
  return changes({ session: true });
}

/** What a step is, is told once, when it begins; how it ended, when it has. */
function takeStep(steps, id, message) {
  const before = steps.get(id);
  if (before !== undefined && message.number < before.number) return NOTHING;
  steps.set(id, { ...before, ...message });
  return changes({ session: true });
}

/** An agent that fell back asks another provider from here on. */
function fellBack(session, message) {
  const agent = session.executions.get(message.execution_id);
  if (message.event_type !== "provider_fallback" || agent === undefined) return false;
  const { from, to } = message.metadata ?? {};
  agent.original_llm_provider = agent.original_llm_provider ?? from;
  agent.llm_provider = to;
  return true;
}

function takeCreated(session, message) {
  const before = session.items.get(message.event_id);
  if (before === undefined) {
    session.items.set(message.event_id, {
      id: message.event_id,
      sessionId: message.session_id ?? "",
      executionId: message.execution_id ?? null,
      type: message.event_type,
      status: message.status,
      content: message.content ?? "",
      metadata: message.metadata ?? {},
      sequence: message.sequence_number ?? (message.number ?? 0) * PLACES,
      number: message.number ?? null,
      time: message.timestamp ?? null,
      isToldAgain: false,
      progress: null,
    });
  } else if (isNews(before, message)) {
    before.executionId = message.execution_id ?? before.executionId;
    before.sequence = message.sequence_number ?? before.sequence;
    before.number = message.number ?? before.number;
    if (message.status !== "streaming") end(before, message);
  } else {
    return NOTHING;
  }
  return changes({ session: before === undefined && fellBack(session, message), items: [message.event_id] });
}

function takeCompleted(session, message) {
  const before = session.items.get(message.event_id);
  if (message.metadata?.discarded === true) {
    if (before?.status !== "streaming") return NOTHING;
    session.items.delete(message.event_id);
    return changes({ items: [message.event_id] });
  }
  return takeCreated(session, message);
}

/** What has ended is changed by nothing but a later word of the log. */
function isNews(item, message) {
  if (item.status === "streaming") return true;
  return message.status !== "streaming" && message.number !== null && message.number > item.number;
}

function end(item, message) {
  item.status = message.status;
  item.content = message.content ?? "";
  item.metadata = { ...item.metadata, ...message.metadata };
  item.progress = null;
  item.isToldAgain = false;
}

function takeChunk(session, message) {
  const item = session.items.get(message.event_id);
  if (item === undefined || item.status !== "streaming") return NOTHING;
  item.content = item.isToldAgain ? message.delta : item.content + message.delta;
  item.isToldAgain = false;
  return changes({ items: [item.id] });
}

function takeReset(session, message) {
  const item = session.items.get(message.event_id);
  if (item === undefined || item.status !== "streaming") return NOTHING;
  item.content = "";
  item.isToldAgain = false;
  return changes({ items: [item.id] });
}

/** The latest word of a running call. Of two runs of one call, the newer counts. */
function takeProgress(session, message) {
  const item = session.items.get(message.event_id);
  if (item === undefined || item.status !== "streaming") return NOTHING;
  const { run, index, text } = message;
  const before = item.progress;
  if (before !== null && (run < before.run || (run === before.run && index <= before.index))) return NOTHING;
  item.progress = { run, index, text };
  return changes({ items: [item.id] });
}
