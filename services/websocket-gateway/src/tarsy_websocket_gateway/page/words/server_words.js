// How the state of MCP servers and tools is said.

import { factLine } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */
/** @typedef {Pick<Schemas["McpWorker"], "healthy" | "misconfigured"> & { login_needed?: boolean, starting?: boolean, workers: { healthy: boolean }[] }} Seen */
/** @typedef {{ word: string, tone: "good" | "warning" | "bad" }} SaidState */

/** @param {number} count
 *  @param {number} warnings */
export function serversSummary(count, warnings) {
  const servers = say(TEXT.servers.count, { count });
  return warnings === 0 ? servers : say(TEXT.servers.countAndWarnings, { servers, count: warnings });
}

/** A word, and the class of its colour.
 *  @param {Seen} server
 *  @returns {SaidState} */
export function serverState({ healthy, misconfigured, login_needed: waits, starting, workers }) {
  const reaching = workers.filter((worker) => worker.healthy).length;
  if (misconfigured) return { word: TEXT.server.misconfigured, tone: "bad" };
  if (waits) return { word: TEXT.server.loginNeeded, tone: "warning" };
  if (starting) return { word: TEXT.server.starting, tone: "warning" };
  if (workers.length === 0) return { word: TEXT.server.notReported, tone: "bad" };
  if (!healthy) return { word: TEXT.server.notReachable, tone: "bad" };
  if (reaching < workers.length) {
    return { word: say(TEXT.server.reachedBySome, { reaching, count: workers.length }), tone: "warning" };
  }
  return { word: TEXT.server.healthy, tone: "good" };
}

/** @param {Pick<Schemas["McpServer"], "protocol_version" | "server_version" | "tool_count"> & { denied_count?: number }} server */
export function serverFacts(server) {
  const { protocol_version: protocol, server_version: version, tool_count: tools, denied_count: denied = 0 } = server;
  return factLine([
    say(TEXT.tools.count, { count: tools }),
    denied > 0 ? say(TEXT.server.denied, { count: denied }) : "",
    version,
    protocol === "" ? "" : say(TEXT.server.protocol, { version: protocol }),
  ]);
}

/** What an agent has of its servers, as long as they are reached.
 *  @param {Schemas["ChainAgent"]} agent
 *  @param {readonly Schemas["McpServer"][]} servers
 *  @returns {{ name: string, words: string, count: number }} */
export function agentTools({ chain_id: chain, stage, agent, mcp_servers: names }, servers) {
  const known = new Map(servers.map((server) => [server.id, server]));
  const parts = names.map((id) => {
    const { healthy = false, tool_count: all = 0, denied_count: denied = 0 } = known.get(id) ?? {};
    return { id, all, count: healthy ? all - denied : 0 };
  });
  return {
    name: factLine([chain, stage, agent]),
    words: factLine(parts.map(({ id, all, count }) => say(TEXT.server.agentTools, { id, all, count }))),
    count: parts.reduce((sum, { count }) => sum + count, 0),
  };
}

/** What we make of the tool, and what its server says of it.
 *  @param {Pick<Schemas["McpTool"], "repeatable" | "annotations"> & Partial<Schemas["McpTool"]>} tool */
export function toolFacts({ repeatable, annotations, allowed, approval }) {
  const said = annotations ?? {};
  return factLine([
    allowed === false ? TEXT.tool.denied : "",
    approval === true && allowed !== false ? TEXT.tool.approval : "",
    repeatable ? TEXT.tool.repeatable : TEXT.tool.once,
    said.read_only === true ? TEXT.tool.readOnly : "",
    said.destructive === true && said.read_only !== true ? TEXT.tool.destructive : "",
    said.idempotent === true ? TEXT.tool.idempotent : "",
    said.open_world === true ? TEXT.tool.openWorld : "",
    annotations === null ? TEXT.tool.notAnnotated : "",
  ]);
}
