// What else is known of a session: its alert, what it cost, and who approved what.

import { alertFacts } from "../state/alert_facts.js";
import { approvalsOf, modelsOf } from "../state/outcome.js";
import { sessionLinks } from "../state/session_links.js";
import { isOver } from "../state/session_state.js";
import { knownNow } from "../stores/connection.js";
import { useLinkTemplates } from "../stores/link_templates.js";
import { mayNot } from "../stores/rights.js";
import { html, useMemo } from "../ui.js";
import { factLine } from "../words/formats.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { sessionCost, tokenWords } from "../words/session_words.js";
import { AlertData, Labels, Links } from "./alert.js";
import { Time, Took } from "./clock.js";
import { CopyButton } from "./copy.js";
import { Review } from "./review/form.js";
import { Score } from "./review/score.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../state/item_types.js").Item} Item
 *  @typedef {import("../stores/session_store.js").Detail} Detail */

const NAMES = TEXT.facts.names;

/** @param {{ store: Store }} props */
export function Facts({ store }) {
  store.version.value;
  store.story.settled.value;
  const templates = useLinkTemplates();
  const detail = store.detail.value;
  const data = detail?.alert_data ?? "";
  const alert = useMemo(() => alertFacts(data), [data]);
  if (detail === null) return null;
  const { session } = store;
  const labels = new Map(alert.labels.map(({ name, value }) => [name, value]));
  for (const [name, value] of Object.entries(detail.labels ?? {})) labels.set(name, value);
  const links = sessionLinks(templates, detail, labels, knownNow.peek());
  return html`
    <${Approvals} items=${approvalsOf(session)} />
    <${Review} store=${store} detail=${detail} />
    <${Score} store=${store} detail=${detail} />
    <section aria-labelledby="about">
      <h2 id="about">${TEXT.facts.title}</h2>
      <dl class="facts">
        <${Fact} name=${NAMES.alert}>${factLine([detail.severity, detail.alert_type])}<//>
        <${Fact} name=${NAMES.where}>${factLine([detail.cluster, detail.namespace, detail.workload])}<//>
        <${Fact} name=${NAMES.from}>${factLine([...new Set([detail.source, detail.author])])}<//>
        <${Fact} name=${NAMES.began}><${Time} stamp=${detail.created_at} /><//>
        <${Fact} name=${NAMES.took}><${Took} from=${startOf(store)} until=${isOver(session) ? session.changedAt : null} /><//>
        <${Fact} name=${NAMES.chain}>${chainWords(detail)}<//>
        <${Fact} name=${NAMES.labels}>${factLine(detail.session_labels ?? [])}<//>
        <${Fact} name=${NAMES.model}>${detail.scripted ? TEXT.facts.scripted : modelsOf(session).join(", ")}<//>
        <${Fact} name=${NAMES.tokens}>${detail.total_tokens > 0 ? tokenWords(detail) : ""}<//>
        <${Fact} name=${NAMES.cost}>${sessionCost(detail)}<//>
        <${Fact} name=${NAMES.parent}>${detail.parent_id && html`<${SessionLink} id=${detail.parent_id} />`}<//>
        <${Fact} name=${NAMES.reruns}>${detail.reruns?.length > 0 && detail.reruns.map((id) => html`<${SessionLink} key=${id} id=${id} />`)}<//>
        <${Fact} name=${NAMES.record}><a href=${`/sessions/${encodeURIComponent(store.id)}/record`} data-view>${TEXT.facts.toRecord}</a><//>
        <${Fact} name=${NAMES.session}><code>${store.id}</code>${" "}<${CopyButton} text=${() => store.id} title=${TEXT.facts.copyId} /><//>
      </dl>
      ${!mayNot("responder") && html`<p><a href=${`/submit?from=${encodeURIComponent(store.id)}`} data-view>${TEXT.facts.submitAgain}</a></p>`}
    </section>
    <${Links} links=${alert.links} runbook=${detail.runbook_url} own=${links} />
    <${Labels} labels=${alert.labels} own=${links} />
    <${AlertData} text=${data} />
  `;
}

/** Nothing of what is not known.
 *  @param {{ name: string, children?: import("preact").ComponentChildren }} props */
function Fact({ name, children }) {
  if (children === "" || children === null || children === undefined || children === false) return null;
  return html`<div><dt>${name}</dt><dd>${children}</dd></div>`;
}

/** @param {{ id: string }} props */
function SessionLink({ id }) {
  return html`<a href=${`/sessions/${encodeURIComponent(id)}`} data-view>${id.slice(0, 8)}</a>${" "}`;
}

/** @param {{ items: Item[] }} props */
function Approvals({ items }) {
  if (items.length === 0) return null;
  return html`
    <section class="approvals" aria-labelledby="approvals">
      <h2 id="approvals">${TEXT.facts.approvals}</h2>
      <ul>
        ${items.map(
          ({ id, status, content, metadata }) => html`
          <li key=${id}><a href=${`#event-${id}`}><code>${metadata.server_name}.${metadata.tool_name}</code></a>${" "}<span class="quiet">${status === "streaming" ? TEXT.facts.waitsForPerson : content}</span></li>
        `,
        )}
      </ul>
    </section>
  `;
}

/** @param {Detail} detail */
function chainWords({ chain_id: chain = "", chain_chosen_by: rule = "", chain_unmatched: isUnmatched = false }) {
  if (rule === "") return chain;
  return isUnmatched ? factLine([chain, rule]) : say(TEXT.facts.chosenChain, { chain, rule });
}

/** @param {Store} store */
function startOf({ detail, session }) {
  return detail.value?.started_at ?? session.startedAt;
}
