// The questions of one agent, in their order, drawn a few a frame.

import { callBefore } from "../../state/record_calls.js";
import { html } from "../../ui.js";
import { Gradually } from "../gradually.js";
import { CallRow } from "./call_row.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

/** @param {{ store: import("../../stores/record_store.js").RecordStore, execution: Schemas["TracedExecution"] }} props */
export function AgentCalls({ store, execution: { agent_name: name, llm_interactions: calls } }) {
  /** @param {Schemas["ListedLlmInteraction"]} call */
  const draw = (call) =>
    html`<${CallRow} key=${call.id} store=${store} call=${call} before=${callBefore(calls, call)} />`;
  return html`
    <h3>${name}</h3>
    <ol class="record-calls"><${Gradually} key=${JSON.stringify(calls)} items=${calls} draw=${draw} /></ol>
  `;
}
