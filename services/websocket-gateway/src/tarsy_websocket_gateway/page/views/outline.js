// The stages with their agents, each with its state and those that it has sent; a synthesis under the stage whose
// analyses it joins; and how many stages are to come. Each leads to its part of the story, and shows it alone.

import { timesOf } from "../state/detail.js";
import { inOrder, ownAgentsOf, subAgentsOf, synthesesOf } from "../state/order_of_stages.js";
import { isOver } from "../state/session_state.js";
import { isWide } from "../stores/width.js";
import { html, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { outlineSummary, stagesToCome } from "../words/outline_words.js";
import { say } from "../words/say.js";
import { agentFacts, stageFacts } from "../words/wording.js";
import { Took } from "./clock.js";
import { follow } from "./fold.js";
import { StatusIcon } from "./status.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../state/session_state.js").Stage} Stage
 *  @typedef {import("../state/session_state.js").Execution} Execution */

/** @param {{ store: Store }} props */
export function Outline({ store }) {
  store.version.value;
  const isOpen = useSignal(false);
  const { session } = store;
  const stages = inOrder(session);
  if (stages.length === 0) return null;
  const toCome = isOver(session) ? 0 : stagesToCome(session, store.detail.value);

  const list = html`
    <ol>
      ${stages.map((stage) => html`<${StageLine} key=${stage.stage_id} store=${store} stage=${stage} />`)}
      ${toCome > 0 && html`<li class="to-come quiet">${say(TEXT.stages.toCome, { count: toCome })}</li>`}
    </ol>
  `;
  const title = html`<h2 id="stages">${TEXT.stages.title}</h2>`;
  if (isWide.value) return html`<nav class="stages" aria-labelledby="stages">${title}${list}</nav>`;
  return html`
    <nav class="stages" aria-labelledby="stages">
      <details open=${isOpen.value} onToggle=${follow(isOpen)}>
        <summary>${title} <span class="quiet">${outlineSummary(stages)}</span></summary>
        ${list}
      </details>
    </nav>
  `;
}

/** @param {{ store: Store, stage: Stage }} props */
function StageLine({ store, stage }) {
  const agents = ownAgentsOf(store.session, stage.stage_id);
  const syntheses = synthesesOf(store.session, stage);
  return html`
    <li>
      <${PartLink} store=${store} id=${stage.stage_id} href=${`#stage-${stage.stage_id}`} name=${stage.stage_name} />
      <${StatusIcon} status=${stage.status} />
      <span class="more quiet"><span class="about">${stageFacts(stage)}</span></span>
      <${Failure} store=${store} step=${stage} />
      <ul>
        ${agents.map((agent) => html`<${AgentLine} key=${agent.execution_id} store=${store} agent=${agent} />`)}
        ${syntheses.map((one) => html`<${StageLine} key=${one.stage_id} store=${store} stage=${one} />`)}
      </ul>
    </li>
  `;
}

/** @param {{ store: Store, agent: Execution }} props */
function AgentLine({ store, agent }) {
  store.version.value;
  const { execution_id: id } = agent;
  const sent = subAgentsOf(store.session, agent);
  return html`
    <li>
      <${PartLink} store=${store} id=${id} href=${`#panel-${id}`} name=${agent.agent_name} />
      <${StatusIcon} status=${agent.status} isLimited=${Boolean(agent.partial_reason)} />
      <span class="more quiet"><${Took} ...${timesOf(store.detail.value, agent)} /><span class="about">${agentFacts(agent)}</span></span>
      ${agent.task && html`<p class="task quiet">${agent.task}</p>`}
      <${Failure} store=${store} step=${agent} />
      ${sent.length > 0 && html`<ul>${sent.map((one) => html`<${AgentLine} key=${one.execution_id} store=${store} agent=${one} />`)}</ul>`}
    </li>
  `;
}

/** Leads to its part of the story, which is shown alone then.
 *  @param {{ store: Store, id: string, href: string, name: string }} props */
function PartLink({ store, id, href, name }) {
  const isChosen = store.chosenPart.value === id;
  return html`<a
    class="name" href=${href} title=${name} aria-current=${isChosen ? "true" : undefined} onClick=${() => store.choosePart(id)}
  >${name}</a>`;
}

/** Why a session came to nothing stands above, once.
 *  @param {{ store: Store, step: Stage | Execution }} props */
function Failure({ store, step: { error_message: error } }) {
  if (!error || isSaid(store.session.error, error)) return null;
  return html`<p class="failure">${error}</p>`;
}

/** @param {string} whole
 *  @param {string} part */
function isSaid(whole, part) {
  return whole.includes(part);
}
