// The line in the head of every page: how many MCP servers there are, and whether something is wrong with them.

import { readWarnings } from "../api.js";
import { show, write } from "../elements.js";
import { whileVisible } from "../polling.js";
import { serversSummary } from "../server_words.js";

export const EVERY = 10_000;

export function serversLine(node) {
  function update({ warnings, server_count: count }) {
    write(node, serversSummary(count, warnings.length));
    node.dataset.tone = warnings.length === 0 ? "plain" : "warning";
    show(node, true);
  }

  /** What is not known is not shown. */
  function hide() {
    show(node, false);
  }

  function follow() {
    whileVisible(EVERY, async () => {
      try {
        update(await readWarnings());
      } catch {
        hide();
      }
    });
  }

  return { update, hide, follow };
}
