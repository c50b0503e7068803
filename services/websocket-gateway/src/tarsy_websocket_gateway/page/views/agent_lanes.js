// What agents did: each on its own, and below it those that it has sent. Several have a lane each, side by side where
// there is room.

import { ofAgent } from "../state/lists_of_items.js";
import { subAgentsOf } from "../state/order_of_stages.js";
import { showsAgent, showsLane } from "../state/story_filter.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { ItemList } from "./item_list.js";
import { StatusIcon } from "./status.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../state/session_state.js").Execution} Execution */

/** Lanes that do not fit are scrolled by themselves, also by keys. `chosen`: the id of the part that is shown alone.
 *  @param {{ store: Store, label: string, agents: Execution[], chosen: string }} props */
export function Lanes({ store, label, agents, chosen }) {
  return html`
    <div class="lanes" role="group" aria-label=${label} tabindex="0">
      ${agents.map(
        (agent) => html`
        <section key=${agent.execution_id} class="lane" hidden=${!showsLane(store.session, agent, chosen)} aria-labelledby=${`lane-${agent.execution_id}`}>
          <h4 id=${`lane-${agent.execution_id}`}><span class="name" title=${agent.agent_name}>${agent.agent_name}</span> <${StatusIcon} status=${agent.status} isLimited=${Boolean(agent.partial_reason)} /></h4>
          ${agent.task && html`<p class="task quiet">${agent.task}</p>`}
          <${Agent} store=${store} agent=${agent} chosen=${chosen} />
        </section>
      `,
      )}
    </div>
  `;
}

/** The outline leads to its id.
 *  @param {{ store: Store, agent: Execution, chosen: string }} props */
export function Agent({ store, agent, chosen }) {
  const id = agent.execution_id;
  const sent = subAgentsOf(store.session, agent);
  const label = say(TEXT.stages.subAgents, { agent: agent.agent_name });
  const isShown = sent.some((one) => showsLane(store.session, one, chosen));
  return html`
    <div id=${`panel-${id}`} hidden=${!showsAgent(store.session, agent, chosen)}><${ItemList} store=${store} list=${ofAgent(id)} /></div>
    ${
      sent.length > 0 &&
      html`
      <div class="under" hidden=${!isShown}>
        <p class="quiet">${label}</p>
        <${Lanes} store=${store} label=${label} agents=${sent} chosen=${chosen} />
      </div>
    `
    }
  `;
}
