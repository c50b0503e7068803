// What came of a session, found in what is known of it: where it stopped, what is known so far, what was changed.

import { hasEnded } from "../words/wording.js";
import { isAfterTheEnd, isRunning } from "./chat_state.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./session_state.js").Execution} Execution
 *  @typedef {import("./item_types.js").Item} Item
 *  @typedef {"model" | "budget" | "agents"} WaitsFor */

const RAN_WITHOUT = new Set(["rejected", "unavailable", "cancelled"]);

/** The names of the stages that came to nothing, and of their agents.
 *  @param {Session} session
 *  @returns {{ stages: string[], agents: string[] }} */
export function stoppedIn(session) {
  const stages = [...session.stages.values()].filter((one) => !isAfterTheEnd(one) && one.status !== "completed");
  const ids = new Set(stages.map((one) => one.stage_id));
  const agents = [...session.executions.values()].filter((one) => ids.has(one.stage_id) && one.status !== "completed");
  return { stages: stages.map((one) => one.stage_name), agents: agents.map((one) => one.agent_name) };
}

/** What agents concluded, in order; what joins the conclusions of others stands first.
 *  @param {Session} session
 *  @returns {{ id: string, name: string, text: string }[]} */
export function foundSoFar(session) {
  const [joining, others] = [[], []].map((none) => /** @type {{ id: string, name: string, text: string }[]} */ (none));
  for (const item of inOrder(session, ({ type }) => type === "final_analysis")) {
    const agent = session.executions.get(item.executionId ?? "");
    const stage = session.stages.get(agent?.stage_id ?? "");
    if (agent === undefined || isAfterTheEnd(stage)) continue;
    const list = stage?.stage_type === "synthesis" ? joining : others;
    list?.push({ id: item.id, name: agent.agent_name, text: item.content });
  }
  return [...(joining ?? []), ...(others ?? [])];
}

/** Calls that are not repeatable and ran, or may have run.
 *  @param {Session} session */
export function changedBy(session) {
  return inOrder(session, ({ type, metadata }) => {
    return type === "llm_tool_call" && metadata.repeatable === false && hasRun(metadata.outcome);
  });
}

/** @param {Session} session */
export function approvalsOf(session) {
  return inOrder(session, ({ type }) => type === "approval");
}

/** The ids of the items that say which budgets wait for a person. Nothing waits while no agent is at work.
 *  @param {Session} session */
export function waitingBudgets(session) {
  /** @type {Map<string, string>} */
  const waiting = new Map();
  if (!isRunning(session)) return [];
  for (const { id, metadata } of inOrder(session, ({ type }) => type === "budget")) {
    const { budget_id: budget = "", event, at_end: end } = metadata.budget ?? {};
    if (event === "budget.reached" && end === "ask") waiting.set(budget, id);
    else if (event === "budget.decided") waiting.delete(budget);
  }
  return [...waiting.values()];
}

/** The names of the models that answered.
 *  @param {Session} session */
export function modelsOf(session) {
  const models = new Set();
  for (const { metadata } of session.items.values()) if (typeof metadata.model === "string") models.add(metadata.model);
  return [...models].sort();
}

/** What runs now: agents, each with the last of its items that is open, and what it waits for where none is: `budget`, as
 *  no agent asks its model before a person has decided, or `agents` that it has sent.
 *  @param {Session} session
 *  @returns {{ agent: Execution, item: Item | null, waitsFor: WaitsFor }[]} */
export function runningAgents(session) {
  const running = [...session.executions.values()].filter(({ status }) => !hasEnded(status));
  /** @type {Map<string, Item>} */
  const open = new Map();
  for (const item of session.items.values()) {
    if (item.status !== "streaming" || item.executionId === null) continue;
    const other = open.get(item.executionId);
    if (other === undefined || item.sequence > other.sequence) open.set(item.executionId, item);
  }
  const senders = new Set(running.map(({ parent_execution_id: parent }) => parent));
  const isSpent = waitingBudgets(session).length > 0;
  return running.map((agent) => {
    const id = agent.execution_id;
    return { agent, item: open.get(id) ?? null, waitsFor: senders.has(id) ? "agents" : isSpent ? "budget" : "model" };
  });
}

/** @param {string | undefined} outcome */
function hasRun(outcome) {
  return outcome !== undefined && !RAN_WITHOUT.has(outcome);
}

/** @param {Session} session
 *  @param {(item: Item) => boolean} isWanted */
export function inOrder(session, isWanted) {
  return [...session.items.values()].filter(isWanted).sort((one, other) => one.sequence - other.sequence);
}
