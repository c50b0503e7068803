// What happened in one stage: of each agent on its own, and then in the synthesis.

import { agentsOf, synthesesOf } from "../state/order_of_stages.js";
import { ofAgent } from "../state/lists_of_items.js";
import { html } from "../ui.js";
import { stageFacts, stageLabel } from "../words/wording.js";
import { ItemList } from "./item_list.js";
import { Status } from "./status.js";
import { Tabs } from "./tabs.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../state/session_state.js").Stage} Stage */

/** @param {{ store: Store, stage: Stage }} props */
export function StageGroup({ store, stage }) {
  store.version.value;
  const id = stage.stage_id;
  const agents = agentsOf(store.session, id);
  const tabs = agents.map((agent) => ({
    id: agent.execution_id,
    title: html`<span class="name">${agent.agent_name}</span><${Status} status=${agent.status} />`,
    content: html`<${ItemList} store=${store} list=${ofAgent(agent.execution_id)} />`,
  }));
  return html`
    <section class="group" aria-label=${stageLabel(stage)} data-type=${stage.stage_type ?? "investigation"}>
      <h3 id=${`stage-${id}`}>${stage.stage_name}</h3>
      <p class="quiet">${stageFacts(stage)}</p>
      <${Tabs}
        label=${`Agents of ${stage.stage_name}`} tabs=${tabs} chosen=${store.choice.agentOf(id)}
        choose=${(/** @type {string} */ agent) => store.choice.chooseAgent(id, agent)}
      />
      <div class="under">
        ${synthesesOf(store.session, stage).map((one) => html`<${StageGroup} key=${one.stage_id} store=${store} stage=${one} />`)}
      </div>
    </section>
  `;
}
