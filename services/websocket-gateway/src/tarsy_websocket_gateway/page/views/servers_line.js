// The link in the head of every view: how many MCP servers there are, and how many warnings.

import { whileVisible } from "../net/polling.js";
import { EVERY_MILLISECONDS, askForWarnings, systemWarnings } from "../stores/warnings_store.js";
import { html, useEffect } from "../ui.js";
import { serversSummary } from "../words/server_words.js";

export function ServersLine() {
  useEffect(() => whileVisible(EVERY_MILLISECONDS, askForWarnings), []);
  const known = systemWarnings.value;
  if (known === null) return html`<a id="servers" href="/servers" data-view hidden></a>`;
  const { warnings, server_count: count } = known;
  const tone = warnings.length === 0 ? "plain" : "warning";
  return html`
    <a id="servers" href=${warnings.length === 0 ? "/servers" : "/system"} data-view data-tone=${tone}>${serversSummary(count, warnings.length)}</a>
  `;
}
