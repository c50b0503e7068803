// The chat of a session, found in what is known of the session: no DOM, no clock, no network.
//
// Each question has a stage, in which it is answered: both together are a turn, and the stage's id is the turn's.

import { hasEnded } from "../words/wording.js";

export function isReply(stage) {
  return stage?.stage_type === "chat";
}

/** The stage of the reply that is being written; null when there is none. */
export function openReply(session) {
  return [...session.stages.values()].find((stage) => isReply(stage) && !hasEnded(stage.status)) ?? null;
}

/** Whether an agent said it in a reply. */
export function isOfReply(session, item) {
  const agent = session.executions.get(item.executionId);
  return agent !== undefined && isReply(session.stages.get(agent.stage_id));
}

/** Whether the answer stands in the response that it was taken from, which is shown above it. */
export function repeatsResponse(session, item) {
  if (item.type !== "final_analysis") return false;
  const answer = item.content.trimEnd();
  const isSource = (one) => one.type === "llm_response" && one.executionId === item.executionId;
  return [...session.items.values()].some((one) => isSource(one) && one.content.trimEnd().endsWith(answer));
}

/** The turn of an item that no agent said: of a question, or of what people wanted after one. Null if there is none. */
export function turnOf(session, item) {
  if (item.type === "user_question") return item.metadata.stage_id ?? null;
  if (item.type !== "request") return null;
  const isEarlier = (one) => one.type === "user_question" && one.sequence < item.sequence;
  const questions = [...session.items.values()].filter(isEarlier);
  questions.sort((one, other) => one.sequence - other.sequence);
  return questions.at(-1)?.metadata.stage_id ?? null;
}

export function hasQuestion(session, messageId) {
  return [...session.items.values()].some((item) => item.metadata.message_id === messageId);
}

/** A sentence that says why nobody can ask now; empty when everybody can. */
export function whyClosed(session, isChatEnabled) {
  if (!isChatEnabled) return "Chat is switched off for this chain.";
  if (!hasEnded(session.status)) return "You can ask once the investigation has ended.";
  return openReply(session) === null ? "" : "A reply is being written.";
}
