// Commands and configuration to be copied: they are the same in each language. `origin` is the address of this page.

/** What the demo alert says: data, whatever the language of its reader. */
export const DEMO_ALERT = "Pod checkout in namespace shop restarts every minute.";

export function demoCommand() {
  return "make demo";
}

/** @param {string} origin */
export function curlCommand(origin) {
  return [
    `curl -X POST ${origin}/api/v1/alerts \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify({ data: DEMO_ALERT })}'`,
  ].join("\n");
}

/** @param {string} origin */
export function alertmanagerReceiver(origin) {
  return [
    "receivers:",
    "  - name: tarsy",
    "    webhook_configs:",
    `      - url: ${origin}/api/v1/alerts/alertmanager`,
    "        send_resolved: true",
  ].join("\n");
}

/** @param {string} sessionId
 *  @param {string} callId */
export function resultCommand(sessionId, callId) {
  return `tarsy result ${sessionId} ${callId.slice(0, 8)}`;
}
