// What a session spent its time on: the queue, and the calls and waits of each agent, made of the record of its calls and
// of what is known of the session.

import { nestAgents } from "./agent_tree.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("tarsy-api").components["schemas"]["SessionTrace"]} Trace
 *  @typedef {import("tarsy-api").components["schemas"]["SessionDetail"]} Detail
 *  @typedef {Trace["stages"][number]["executions"][number]} Agent
 *  @typedef {Agent["llm_interactions"][number]} LlmCall
 *  @typedef {Agent["mcp_interactions"][number]} ToolCall */

/** `change`: a call that may change something. `person`, `turn`: a call waits for approval, or for its turn at a gateway.
 *  `pause`: a question waits before it is asked again.
 *  @typedef {"queue" | "llm" | "tool" | "change" | "person" | "turn" | "pause"} Kind */
/** Times in milliseconds; `until` is null while it runs.
 *  @typedef {{ kind: Kind, from: number, until: number | null, name: string, hasFailed: boolean }} Bar
 *  @typedef {{ id: string, stage: string, name: string, depth: number, bars: Bar[] }} Row */

/** What items say of calls: the ends of approvals (null: it is open) and changes by the call's id, pauses by agent and time.
 *  @typedef {{ approvals: Map<string, number | null>, changes: Set<string>, pauses: Map<string, number> }} Known */

/** The name of a bar whose call summarised a result. */
export const SUMMARY = "summary";

/** The queue first, then the session's own calls, then agent by agent, each before those that it has sent.
 *  @param {Trace} trace
 *  @param {Session} session
 *  @param {Detail | null} detail
 *  @returns {Row[]} */
export function waterfallRows(trace, session, detail) {
  const known = knownOf(session);
  const own = trace.session_mcp_interactions.flatMap((call) => toolBars(call, known));
  const agents = trace.stages.flatMap(({ stage_name: stage, executions }) =>
    nestAgents(executions).map(({ agent, depth }) => ({ ...agentRow(agent, stage, session, known), depth })),
  );
  const rows = [...queueRow(detail), { id: "session", stage: "", name: "", depth: 0, bars: own }, ...agents];
  return rows.filter(({ bars }) => bars.length > 0);
}

/** @param {Detail | null} detail
 *  @returns {Row[]} */
function queueRow(detail) {
  if (detail === null) return [];
  const until = timeOf(detail.started_at ?? detail.completed_at);
  const bar = { from: Date.parse(detail.created_at), until, name: "", hasFailed: false };
  return [{ id: "queue", stage: "", name: "", depth: 0, bars: [{ ...bar, kind: "queue" }] }];
}

/** Nothing of an agent goes on after its end.
 *  @param {Agent} agent
 *  @param {string} stage
 *  @param {Session} session
 *  @param {Known} known
 *  @returns {Omit<Row, "depth">} */
function agentRow(agent, stage, session, known) {
  const id = agent.execution_id;
  const end = timeOf(session.executions.get(id)?.endedAt ?? null);
  const bars = [
    ...agent.llm_interactions.flatMap((call) => llmBars(call, id, known)),
    ...agent.mcp_interactions.flatMap((call) => toolBars(call, known)),
  ].map((bar) => ({ ...bar, until: bar.until ?? (end === null ? null : Math.max(end, bar.from)) }));
  return { id, stage, name: agent.agent_name, bars: bars.sort((one, other) => one.from - other.from) };
}

/** @param {LlmCall} call
 *  @param {string} agent
 *  @param {Known} known
 *  @returns {Bar[]} */
function llmBars(call, agent, known) {
  const asked = Date.parse(call.created_at);
  const from = asked + (known.pauses.get(`${agent} ${asked}`) ?? 0);
  const measured = call.duration_ms === null ? null : from + call.duration_ms;
  const until = timeOf(call.ended_at) ?? measured;
  const name = call.interaction_type === "summarization" ? SUMMARY : call.model_name || call.llm_provider;
  const hasFailed = call.error_message !== null;
  /** @type {Bar} */
  const bar = { kind: "llm", from: from, until: until === null ? null : Math.max(until, from), name, hasFailed };
  return from > asked ? [{ kind: "pause", from: asked, until: from, name, hasFailed: false }, bar] : [bar];
}

/** What it waited for, and then what it ran.
 *  @param {ToolCall} call
 *  @param {Known} known
 *  @returns {Bar[]} */
function toolBars(call, known) {
  if (call.interaction_type !== "tool_call") return [];
  const asked = Date.parse(call.created_at);
  const name = `${call.server_name}.${call.tool_name}`;
  const approved = known.approvals.has(call.id) ? (known.approvals.get(call.id) ?? null) : asked;
  /** @param {Kind} kind @param {number} from @param {number | null} until @returns {Bar[]} */
  const waited = (kind, from, until) =>
    until === null || until > from ? [{ kind, from, until, name, hasFailed: false }] : [];
  const ended = timeOf(call.ended_at);
  if (approved === null) return waited("person", asked, ended);
  const from = runFrom(call, approved, ended);
  const kind = known.changes.has(call.id) ? "change" : "tool";
  const hasFailed = call.outcome !== null && call.outcome !== "ok";
  return [
    ...waited("person", asked, approved),
    ...waited("turn", approved, from),
    { kind, from, until: ended === null ? null : Math.max(ended, from), name, hasFailed },
  ];
}

/** While it runs nobody knows how long it waited for its turn.
 *  @param {ToolCall} call
 *  @param {number} earliest
 *  @param {number | null} ended */
function runFrom({ duration_ms: took }, earliest, ended) {
  return ended === null || took === null ? earliest : Math.max(earliest, ended - took);
}

/** @param {Session} session
 *  @returns {Known} */
function knownOf(session) {
  /** @type {Known} */
  const known = { approvals: new Map(), changes: new Set(), pauses: new Map() };
  for (const { type, status, time, executionId, metadata } of session.items.values()) {
    const id = metadata.call_id ?? "";
    if (type === "approval") known.approvals.set(id, status === "streaming" ? null : timeOf(time));
    if (type === "llm_tool_call" && metadata.repeatable === false) known.changes.add(id);
    const seconds = metadata.wait_seconds;
    if (type === "llm_wait" && typeof seconds === "number") {
      known.pauses.set(`${executionId} ${timeOf(time)}`, seconds * 1000);
    }
  }
  return known;
}

/** @param {string | null | undefined} stamp */
function timeOf(stamp) {
  const time = Date.parse(stamp ?? "");
  return Number.isNaN(time) ? null : time;
}
