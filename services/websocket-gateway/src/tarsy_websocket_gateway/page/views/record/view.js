// The record of a session: each question to a model, by stage and agent, with the exact messages that it was given.

import { nestAgents } from "../../state/agent_tree.js";
import { RecordStore } from "../../stores/record_store.js";
import { html, useEffect, useMemo } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { AgentCalls } from "./agent_calls.js";

/** @typedef {import("tarsy-api").components["schemas"]["SessionTrace"]} Trace */

/** @param {{ id: string }} props */
export function RecordView({ id }) {
  const store = useMemo(() => new RecordStore(id), [id]);
  useEffect(() => {
    document.title = TEXT.record.documentTitle;
    store.read();
    return () => store.close();
  }, [store]);
  const trace = store.trace.value;
  const notice = store.notice.value;
  return html`
    <div class="record">
      <header class="row">
        <h1>${TEXT.record.title}</h1>
        <a href=${`/sessions/${encodeURIComponent(id)}`} data-view>${TEXT.record.toSession}</a>
        <button type="button" onClick=${() => store.read()}>${TEXT.record.readAgain}</button>
      </header>
      ${notice !== "" && html`<p class="notice" role="status">${notice}</p>`}
      ${trace !== null && html`<${Stages} store=${store} trace=${trace} />`}
    </div>
  `;
}

/** @param {{ store: RecordStore, trace: Trace }} props */
function Stages({ store, trace }) {
  const isEmpty = trace.stages.every(({ executions }) =>
    executions.every(({ llm_interactions: calls }) => calls.length === 0),
  );
  return html`
    ${!trace.complete && html`<p class="notice">${TEXT.record.incomplete}</p>`}
    ${isEmpty && html`<p class="notice">${TEXT.record.empty}</p>`}
    ${trace.stages.map(
      (stage) => html`
      <section key=${stage.stage_id} aria-labelledby=${`record-${stage.stage_id}`}>
        <h2 id=${`record-${stage.stage_id}`}>${stage.stage_name}</h2>
        ${nestAgents(stage.executions).map(({ agent, depth }) => html`<${AgentCalls} key=${agent.execution_id} store=${store} execution=${agent} depth=${depth} />`)}
      </section>
    `,
    )}
  `;
}
