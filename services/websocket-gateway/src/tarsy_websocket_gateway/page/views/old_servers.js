// All MCP servers, as the tool gateways see them.

import { readServers, readWarnings } from "../net/api.js";
import { element, show, write } from "../elements.js";
import { whileVisible } from "../net/polling.js";
import { timeOf } from "./old_clock.js";
import { serverCard } from "./server_card.js";
import { EVERY_MILLISECONDS as EVERY } from "../stores/servers_store.js";

export function serversView(content, connection, line) {
  const cards = new Map();
  const notice = element("p", { class: "notice", role: "status" }, "Loading …");
  const warnings = element("ul", { class: "warnings" });
  const list = element("div", { class: "servers" });
  document.title = "MCP servers · TARSy";
  content.replaceChildren(element("h1", {}, "MCP servers"), notice, warnings, list);
  let told = "";

  async function read() {
    try {
      const [{ servers }, found] = await Promise.all([readServers(), readWarnings()]);
      connection.live();
      line.update(found);
      drawWarnings(found.warnings);
      draw(servers);
      write(notice, "No tool gateway has told of an MCP server yet.");
      show(notice, servers.length === 0);
    } catch (problem) {
      connection.lost();
      line.hide();
      write(notice, problem.message);
      show(notice, true);
    }
  }

  /** Only what differs is drawn again, so that a selection stays. */
  function drawWarnings(found) {
    const now = JSON.stringify(found);
    if (now === told) return;
    told = now;
    warnings.replaceChildren(...found.map(warningRow));
  }

  function draw(servers) {
    const drawn = servers.map((server) => {
      if (!cards.has(server.id)) cards.set(server.id, serverCard(server.id));
      cards.get(server.id).update(server);
      return cards.get(server.id).node;
    });
    if (drawn.length !== list.children.length || drawn.some((node, place) => list.children[place] !== node)) {
      list.replaceChildren(...drawn);
    }
    const ids = new Set(servers.map((server) => server.id));
    for (const id of cards.keys()) if (!ids.has(id)) cards.delete(id);
  }

  whileVisible(EVERY, read);
}

function warningRow(warning) {
  return element(
    "li",
    {},
    element("strong", {}, warning.message),
    element("span", { class: "quiet" }, "since ", timeOf(warning.created_at)),
    element("p", { class: "text" }, warning.details),
  );
}
