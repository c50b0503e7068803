// Which stages and agents are in the story while one is chosen in the outline: those that have something of it.

import { agentsOf, subAgentsOf, synthesesOf } from "./order_of_stages.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./session_state.js").Stage} Stage
 *  @typedef {import("./session_state.js").Execution} Execution */

/** The stage or agent that is chosen; null: all are shown, also where nobody knows the id.
 *  @param {Session} session
 *  @param {string} id  of a stage or an execution
 *  @returns {{ id: string, name: string } | null} */
export function chosenPart(session, id) {
  const name = session.stages.get(id)?.stage_name ?? session.executions.get(id)?.agent_name;
  return name === undefined ? null : { id, name };
}

/** `chosen`: the id of a part; empty: all are shown.
 *  @param {Session} session
 *  @param {Stage} stage
 *  @param {string} chosen
 *  @returns {boolean} */
export function showsStage(session, stage, chosen) {
  const id = stage.stage_id;
  return (
    chosen === "" ||
    chosen === id ||
    agentsOf(session, id).some((agent) => agent.execution_id === chosen) ||
    synthesesOf(session, stage).some((one) => showsStage(session, one, chosen))
  );
}

/** Whether what the agent did is shown: while nothing is chosen, or it, or one that it was sent by.
 *  @param {Session} session
 *  @param {Execution} agent
 *  @param {string} chosen
 *  @returns {boolean} */
export function showsAgent(session, agent, chosen) {
  if (chosen === "" || chosen === agent.execution_id) return true;
  const parent = session.executions.get(agent.parent_execution_id ?? "");
  return parent !== undefined && showsAgent(session, parent, chosen);
}

/** Whether its lane is shown: also for one of those that it has sent.
 *  @param {Session} session
 *  @param {Execution} agent
 *  @param {string} chosen
 *  @returns {boolean} */
export function showsLane(session, agent, chosen) {
  const isBelow = () => subAgentsOf(session, agent).some((one) => showsLane(session, one, chosen));
  return showsAgent(session, agent, chosen) || isBelow();
}
