// Which stages are in the story while a stage or an agent is chosen in the outline: those that have something of it.

import { agentsOf, synthesesOf } from "./order_of_stages.js";

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {import("./session_state.js").Stage} Stage */

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
