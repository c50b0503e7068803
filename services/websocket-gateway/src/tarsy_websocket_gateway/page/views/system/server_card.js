// One MCP server: its state, and folded what each gateway sees of it, and its tools.

import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { say, sayParts } from "../../words/say.js";
import { serverFacts, serverState } from "../../words/server_words.js";
import { Time } from "../clock.js";
import { Fold } from "../fold.js";
import { ToolList } from "./tool_list.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

/** @param {{ server: Schemas["McpServer"] }} props */
export function ServerCard({ server }) {
  const { id, workers, error, tool_count: tools } = server;
  return html`
    <section class="server">
      <header class="row"><h2>${id}</h2><${State} of=${server} /></header>
      <p class="quiet">${serverFacts(server)}</p>
      ${error !== null && html`<p class="failure text">${error}</p>`}
      <${Fold} title=${say(TEXT.server.seenBy, { count: workers.length })}>
        ${() => html`
          <ul class="workers">
            ${workers.map((worker) => html`<${WorkerRow} key=${worker.worker_id} worker=${worker} />`)}
          </ul>
        `}
      <//>
      <${Fold} title=${say(TEXT.tools.count, { count: tools })}>${() => html`<${ToolList} key=${tools} id=${id} />`}<//>
    </section>
  `;
}

/** @param {{ of: import("../../words/server_words.js").Seen }} props */
function State({ of }) {
  const { word, tone } = serverState(of);
  return html`<span class="status" data-tone=${tone}>${word}</span>`;
}

/** @param {{ worker: Schemas["McpWorker"] }} props */
function WorkerRow({ worker }) {
  const since = html`<${Time} stamp=${worker.since} />`;
  const asked = html`<${Time} stamp=${worker.checked_at} />`;
  return html`
    <li>
      <div class="row">
        <code>${worker.worker_id}</code>
        <${State} of=${{ ...worker, workers: [worker] }} />
        <span class="quiet">${sayParts(TEXT.server.seenSince, { since, asked })}</span>
      </div>
      <p class="quiet">${serverFacts(worker)}</p>
      ${worker.error !== null && html`<p class="failure text">${worker.error}</p>`}
    </li>
  `;
}
