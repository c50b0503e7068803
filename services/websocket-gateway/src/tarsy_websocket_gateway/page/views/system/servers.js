// All MCP servers, as the tool gateways see them, below the warnings about them.

import { readServers } from "../../net/api.js";
import { usePolled } from "../../stores/polled.js";
import { systemWarnings } from "../../stores/warnings_store.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { Notice } from "../notice.js";
import { AgentTools } from "./agent_tools.js";
import { ServerCard } from "./server_card.js";
import { WarningList } from "./warnings.js";

export function ServersPart() {
  const polled = usePolled(readServers);
  /** @type {import("tarsy-api").components["schemas"]["McpServers"] | null} */
  const found = polled.answer.value;
  const warnings = systemWarnings.value?.warnings.filter(({ server_id: id }) => id !== null) ?? [];
  return html`
    <${Notice} polled=${polled} empty=${found?.servers.length === 0 ? TEXT.server.none : ""} />
    <${WarningList} warnings=${warnings} />
    <${AgentTools} servers=${found?.servers ?? []} />
    <div class="servers">
      ${found?.servers.map((server) => html`<${ServerCard} key=${server.id} server=${server} />`)}
    </div>
  `;
}
