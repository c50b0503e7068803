// How the state of MCP servers and tools is said.

import { TEXT } from "./language.js";
import { say } from "./say.js";
import { counted } from "./wording.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */
/** @typedef {Pick<Schemas["McpWorker"], "healthy" | "misconfigured"> & { login_needed?: boolean, workers: { healthy: boolean }[] }} Seen */
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
export function serverState({ healthy, misconfigured, login_needed: waits, workers }) {
  const reaching = workers.filter((worker) => worker.healthy).length;
  if (misconfigured) return { word: "Misconfigured", tone: "bad" };
  if (waits) return { word: "Needs a login", tone: "warning" };
  if (workers.length === 0) return { word: "Not reported", tone: "bad" };
  if (!healthy) return { word: "Not reachable", tone: "bad" };
  if (reaching < workers.length) return { word: `Reached by ${reaching} of ${workers.length}`, tone: "warning" };
  return { word: "Healthy", tone: "good" };
}

/** @param {Pick<Schemas["McpServer"], "protocol_version" | "server_version" | "tool_count"> & { denied_count?: number }} server */
export function serverFacts(server) {
  const { protocol_version: protocol, server_version: version, tool_count: tools, denied_count: denied = 0 } = server;
  const kept = denied > 0 ? `${denied} not given to agents` : "";
  return [counted(tools, "tool"), kept, version, protocol === "" ? "" : `protocol ${protocol}`]
    .filter(Boolean)
    .join(" · ");
}

/** What we make of the tool, and what its server says of it.
 *  @param {Pick<Schemas["McpTool"], "repeatable" | "annotations"> & Partial<Schemas["McpTool"]>} tool */
export function toolFacts({ repeatable, annotations, allowed, approval }) {
  const said = annotations ?? {};
  return [
    allowed === false ? "not given to agents" : "",
    approval === true && allowed !== false ? "each call waits for a person" : "",
    repeatable ? "may be run twice" : "runs at most once",
    said.read_only === true ? "read-only" : "",
    said.destructive === true && said.read_only !== true ? "destructive" : "",
    said.idempotent === true ? "idempotent" : "",
    said.open_world === true ? "reaches outside" : "",
    annotations === null ? "the server says nothing of it" : "",
  ]
    .filter(Boolean)
    .join(" · ");
}
