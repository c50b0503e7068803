// The link in the head of every view: how many MCP servers there are, and whether something is wrong with them.

import { whileVisible } from "../net/polling.js";
import { path } from "../router.js";
import { EVERY_MILLISECONDS, askForWarnings, servers } from "../stores/servers_store.js";
import { html, useEffect } from "../ui.js";
import { serversSummary } from "../words/server_words.js";

export function ServersLine() {
  // The view of the servers asks for the same, and more.
  const isElsewhere = !path.value.startsWith("/servers");
  useEffect(() => (isElsewhere ? whileVisible(EVERY_MILLISECONDS, askForWarnings) : undefined), [isElsewhere]);
  const known = servers.value;
  if (known === null) return html`<a id="servers" href="/servers" data-view hidden></a>`;
  const tone = known.warnings === 0 ? "plain" : "warning";
  return html`
    <a id="servers" href="/servers" data-view data-tone=${tone}>${serversSummary(known.count, known.warnings)}</a>
  `;
}
