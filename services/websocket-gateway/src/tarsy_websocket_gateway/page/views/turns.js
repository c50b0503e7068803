// The turns of a chat, in order: a question, its reply, and what people wanted of it.

import { turnsOf } from "../state/chat_state.js";
import { ofQuestion, ofRequests } from "../state/lists_of_items.js";
import { ownAgentsOf } from "../state/order_of_stages.js";
import { html } from "../ui.js";
import { hasEnded } from "../words/wording.js";
import { Agent } from "./agent_lanes.js";
import { ItemList } from "./item_list.js";
import { Status } from "./status.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store */

/** @param {{ store: Store }} props */
export function Turns({ store }) {
  store.version.value;
  store.story.count.value;
  return html`
    <ol class="items">
      ${turnsOf(store.session).map((id) => html`<${Turn} key=${id} store=${store} id=${id} />`)}
    </ol>
  `;
}

/** A reply that ended well needs no word.
 *  @param {{ store: Store, id: string }} props */
function Turn({ store, id }) {
  const stage = store.session.stages.get(id);
  const isRunning = stage !== undefined && !hasEnded(stage.status);
  return html`
    <li class=${isRunning ? "turn running" : "turn"}>
      <${ItemList} store=${store} list=${ofQuestion(id)} />
      <div class="reply">
        ${ownAgentsOf(store.session, id).map((agent) => html`<${Agent} key=${agent.execution_id} store=${store} agent=${agent} chosen="" />`)}
      </div>
      <${ItemList} store=${store} list=${ofRequests(id)} />
      <p class="row end" hidden=${stage === undefined || stage.status === "completed"}>
        <${Status} status=${stage?.status ?? ""} />
        <span class="failure">${stage?.error_message ?? ""}</span>
      </p>
    </li>
  `;
}
