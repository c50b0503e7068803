// How the system is now: what needs attention, the queue, how far the lists are behind, and the processes.

import { readOverview } from "../../net/system_api.js";
import { usePolled } from "../../stores/polled.js";
import { systemWarnings } from "../../stores/warnings_store.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { sayParts } from "../../words/say.js";
import { Time } from "../clock.js";
import { Notice } from "../notice.js";
import { Pipeline } from "./pipeline.js";
import { WarningList } from "./warnings.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

export function OverviewPart() {
  const polled = usePolled(readOverview);
  const warnings = systemWarnings.value?.warnings;
  /** @type {Schemas["SystemOverview"] | null} */
  const overview = polled.answer.value;
  return html`
    <${Notice} polled=${polled} empty=${warnings?.length === 0 ? TEXT.system.noWarnings : ""} />
    <${WarningList} warnings=${warnings ?? []} />
    ${overview !== null && html`<${Pipeline} overview=${overview} /><${Waiting} queue=${overview.queue} /><${Processes} workers=${overview.workers} />`}
  `;
}

/** @param {{ queue: Schemas["QueueState"] }} props */
function Waiting({ queue: { waiting_since: since } }) {
  if (since === null) return null;
  const time = html`<${Time} stamp=${since} />`;
  return html`<p class="quiet">${sayParts(TEXT.system.waitingSince, { time })}</p>`;
}

/** @param {{ workers: Schemas["SystemOverview"]["workers"] }} props */
function Processes({ workers }) {
  return html`
    <div class="scrolled" tabindex="0" role="region" aria-label=${TEXT.system.processes}>
      <table>
        <thead>
          <tr>${Object.values(TEXT.system.process).map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr>
        </thead>
        <tbody>
          ${workers.map(
            ({ worker_id: id, service, name, waiting, last_heard: heard }) => html`
              <tr key=${`${service} ${id}`}>
                <th scope="row">${service}</th>
                <td><code>${name || id}</code></td>
                <td>${waiting ?? ""}</td>
                <td><${Time} stamp=${heard} /></td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}
