// Each agent that uses MCP servers, and how many of their tools it has now.

import { readConfiguration } from "../../net/system_api.js";
import { usePolled } from "../../stores/polled.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { agentTools } from "../../words/server_words.js";
import { Fold } from "../fold.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

/** @param {{ servers: readonly Schemas["McpServer"][] }} props */
export function AgentTools({ servers }) {
  const polled = usePolled(readConfiguration);
  /** @type {Schemas["EffectiveConfiguration"] | null} */
  const found = polled.answer.value;
  const agents = (found?.chain_agents ?? []).map((agent) => agentTools(agent, servers));
  if (agents.length === 0) return null;
  return html`
    <${Fold} title=${TEXT.server.agents} isOpen=${agents.some(({ count }) => count === 0)}>
      <ul class="agent-tools">
        ${agents.map(
          ({ name, words, count }) => html`
          <li key=${name} data-without=${count === 0}><strong>${name}</strong> <span class="quiet">${words}</span></li>
        `,
        )}
      </ul>
    <//>
  `;
}
