// The questions of one agent, in their order, drawn a few a frame.

import { callBefore } from "../../state/record_calls.js";
import { html } from "../../ui.js";
import { agentCost } from "../../words/usage_words.js";
import { Gradually } from "../gradually.js";
import { CallRow } from "./call_row.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

/** `depth`: how many agents stand above it.
 *  @param {{ store: import("../../stores/record_store.js").RecordStore, execution: Schemas["TracedExecution"], depth: number }} props */
export function AgentCalls({ store, execution, depth }) {
  const { agent_name: name, task, llm_interactions: calls } = execution;
  /** @param {Schemas["ListedLlmInteraction"]} call */
  const draw = (call) =>
    html`<${CallRow} key=${call.id} store=${store} call=${call} before=${callBefore(calls, call)} />`;
  return html`
    <div class="record-agent" data-depth=${depth || undefined}>
      <h3>${name} <span class="quiet">${agentCost(execution)}</span></h3>
      ${task && html`<p class="task quiet">${task}</p>`}
      <ol class="record-calls"><${Gradually} key=${JSON.stringify(calls)} items=${calls} draw=${draw} /></ol>
    </div>
  `;
}
