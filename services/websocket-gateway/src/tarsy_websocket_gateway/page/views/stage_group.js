// What happened in one stage: of each agent on its own, and then in the synthesis. Agents of a parallel stage have a lane
// each: side by side where there is room.

import { agentsOf, synthesesOf } from "../state/order_of_stages.js";
import { ofAgent } from "../state/lists_of_items.js";
import { showsStage } from "../state/story_filter.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { stageFacts, stageLabel } from "../words/wording.js";
import { ItemList } from "./item_list.js";
import { Status } from "./status.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../state/session_state.js").Stage} Stage
 *  @typedef {import("../state/session_state.js").Execution} Execution */

/** `chosen`: the id of the part of the story that is shown alone; empty: all of it.
 *  @param {{ store: Store, stage: Stage, chosen?: string }} props */
export function StageGroup({ store, stage, chosen = "" }) {
  store.version.value;
  const id = stage.stage_id;
  const agents = agentsOf(store.session, id);
  const within = chosen === id ? "" : chosen;
  const isParallel = Math.max(agents.length, stage.expected_agent_count ?? 1) > 1;
  return html`
    <section class="group" hidden=${!showsStage(store.session, stage, chosen)} aria-label=${stageLabel(stage)} data-type=${stage.stage_type ?? "investigation"}>
      <h3 id=${`stage-${id}`}>${stage.stage_name}</h3>
      <p class="quiet">${stageFacts(stage)}</p>
      ${
        isParallel
          ? html`<${Lanes} store=${store} stage=${stage} agents=${agents} chosen=${within} />`
          : agents.map((one) => html`<${Agent} key=${one.execution_id} store=${store} agent=${one} chosen=${within} />`)
      }
      <div class="under">
        ${synthesesOf(store.session, stage).map((one) => html`<${StageGroup} key=${one.stage_id} store=${store} stage=${one} chosen=${within} />`)}
      </div>
    </section>
  `;
}

/** Lanes that do not fit are scrolled by themselves, also by keys.
 *  @param {{ store: Store, stage: Stage, agents: Execution[], chosen: string }} props */
function Lanes({ store, stage, agents, chosen }) {
  return html`
    <div class="lanes" role="group" aria-label=${say(TEXT.stages.agents, { stage: stage.stage_name })} tabindex="0">
      ${agents.map(
        (agent) => html`
        <section key=${agent.execution_id} class="lane" hidden=${!shows(agent, chosen)} aria-labelledby=${`lane-${agent.execution_id}`}>
          <h4 id=${`lane-${agent.execution_id}`}><span class="name">${agent.agent_name}</span> <${Status} status=${agent.status} isLimited=${Boolean(agent.partial_reason)} /></h4>
          ${agent.task && html`<p class="quiet">${agent.task}</p>`}
          <${Agent} store=${store} agent=${agent} chosen=${chosen} />
        </section>
      `,
      )}
    </div>
  `;
}

/** The outline leads to its id.
 *  @param {{ store: Store, agent: Execution, chosen: string }} props */
function Agent({ store, agent, chosen }) {
  const id = agent.execution_id;
  return html`<div id=${`panel-${id}`} hidden=${!shows(agent, chosen)}><${ItemList} store=${store} list=${ofAgent(id)} /></div>`;
}

/** @param {Execution} agent
 *  @param {string} chosen */
function shows(agent, chosen) {
  return chosen === "" || chosen === agent.execution_id;
}
