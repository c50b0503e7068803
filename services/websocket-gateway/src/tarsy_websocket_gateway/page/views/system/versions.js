// The versions of what is running, as far as the page can find out.

import { readServers } from "../../net/api.js";
import { readConfiguration, readOverview } from "../../net/system_api.js";
import { usePolled } from "../../stores/polled.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { say } from "../../words/say.js";
import { Notice } from "../notice.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

const PAGE_VERSION = /\/assets\/([0-9a-f]+)\//.exec(import.meta.url)?.[1] ?? "";

export function VersionsPart() {
  const polled = usePolled(readVersions);
  return html`
    <${Notice} polled=${polled} />
    <div class="scrolled" tabindex="0" role="region" aria-label=${TEXT.versions.label}>
      <table>
        <thead><tr><th scope="col">${TEXT.versions.part}</th><th scope="col">${TEXT.versions.version}</th><th scope="col">${TEXT.versions.protocol}</th></tr></thead>
        <tbody>
          <${VersionRow} name=${TEXT.versions.page} version=${PAGE_VERSION} />
          ${polled.answer.value?.map((row) => html`<${VersionRow} key=${row.name} ...${row} />`)}
        </tbody>
      </table>
    </div>
  `;
}

/** @param {{ name: string, version: string, protocol?: string }} props */
function VersionRow({ name, version, protocol = "" }) {
  return html`
    <tr>
      <th scope="row">${name}</th>
      <td><code>${version || TEXT.versions.notReported}</code></td>
      <td>${protocol}</td>
    </tr>
  `;
}

async function readVersions() {
  const [overview, configuration, found] = await Promise.all([readOverview(), readConfiguration(), readServers()]);
  return [
    { name: TEXT.page.name, version: overview.version },
    { name: TEXT.versions.configuration, version: configuration.version },
    ...found.servers.map(serverVersion),
  ];
}

/** @param {Schemas["McpServer"]} server */
function serverVersion({ id, server_version: version, protocol_version: protocol }) {
  return { name: say(TEXT.versions.server, { id }), version, protocol };
}
