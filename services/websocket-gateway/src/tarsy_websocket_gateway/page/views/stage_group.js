// What happened in one stage: of each agent on its own, and then in the synthesis. Agents of a parallel stage have a lane
// each: side by side where there is room.

import { agentsOf, synthesesOf } from "../state/order_of_stages.js";
import { ofAgent } from "../state/lists_of_items.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { stageFacts, stageLabel } from "../words/wording.js";
import { ItemList } from "./item_list.js";
import { Status } from "./status.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../state/session_state.js").Stage} Stage
 *  @typedef {import("../state/session_state.js").Execution} Execution */

/** @param {{ store: Store, stage: Stage }} props */
export function StageGroup({ store, stage }) {
  store.version.value;
  const id = stage.stage_id;
  const agents = agentsOf(store.session, id);
  const isParallel = Math.max(agents.length, stage.expected_agent_count ?? 1) > 1;
  return html`
    <section class="group" aria-label=${stageLabel(stage)} data-type=${stage.stage_type ?? "investigation"}>
      <h3 id=${`stage-${id}`}>${stage.stage_name}</h3>
      <p class="quiet">${stageFacts(stage)}</p>
      ${
        isParallel
          ? html`<${Lanes} store=${store} stage=${stage} agents=${agents} />`
          : agents.map((one) => html`<${Agent} key=${one.execution_id} store=${store} agent=${one} />`)
      }
      <div class="under">
        ${synthesesOf(store.session, stage).map((one) => html`<${StageGroup} key=${one.stage_id} store=${store} stage=${one} />`)}
      </div>
    </section>
  `;
}

/** Lanes that do not fit are scrolled by themselves, also by keys.
 *  @param {{ store: Store, stage: Stage, agents: Execution[] }} props */
function Lanes({ store, stage, agents }) {
  return html`
    <div class="lanes" role="group" aria-label=${say(TEXT.stages.agents, { stage: stage.stage_name })} tabindex="0">
      ${agents.map(
        (agent) => html`
        <section key=${agent.execution_id} class="lane" aria-labelledby=${`lane-${agent.execution_id}`}>
          <h4 id=${`lane-${agent.execution_id}`}><span class="name">${agent.agent_name}</span> <${Status} status=${agent.status} /></h4>
          <${Agent} store=${store} agent=${agent} />
        </section>
      `,
      )}
    </div>
  `;
}

/** The outline leads to its id.
 *  @param {{ store: Store, agent: Execution }} props */
function Agent({ store, agent: { execution_id: id } }) {
  return html`<div id=${`panel-${id}`}><${ItemList} store=${store} list=${ofAgent(id)} /></div>`;
}
