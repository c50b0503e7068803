// What happened in one stage: of each agent on its own, and then in the synthesis. Agents of a parallel stage have a lane
// each.

import { ownAgentsOf, synthesesOf } from "../state/order_of_stages.js";
import { showsStage } from "../state/story_filter.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { stageFacts, stageLabel } from "../words/wording.js";
import { ActionBadge } from "./action_outcome.js";
import { Agent, Lanes } from "./agent_lanes.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../state/session_state.js").Stage} Stage */

/** `chosen`: the id of the part of the story that is shown alone; empty: all of it.
 *  @param {{ store: Store, stage: Stage, chosen?: string }} props */
export function StageGroup({ store, stage, chosen = "" }) {
  store.version.value;
  const id = stage.stage_id;
  const agents = ownAgentsOf(store.session, id);
  const within = chosen === id ? "" : chosen;
  const isParallel = Math.max(agents.length, stage.expected_agent_count ?? 1) > 1;
  return html`
    <section class="group" hidden=${!showsStage(store.session, stage, chosen)} aria-label=${stageLabel(stage)} data-type=${stage.stage_type ?? "investigation"}>
      <h3 id=${`stage-${id}`}>${stage.stage_name}</h3>
      <p class="quiet">${stageFacts(stage)}</p>
      ${stage.action && html`<${ActionBadge} action=${stage.action} />`}
      ${
        isParallel
          ? html`<${Lanes} store=${store} label=${say(TEXT.stages.agents, { stage: stage.stage_name })} agents=${agents} chosen=${within} />`
          : agents.map((one) => html`<${Agent} key=${one.execution_id} store=${store} agent=${one} chosen=${within} />`)
      }
      <div class="under">
        ${synthesesOf(store.session, stage).map((one) => html`<${StageGroup} key=${one.stage_id} store=${store} stage=${one} chosen=${within} />`)}
      </div>
    </section>
  `;
}
