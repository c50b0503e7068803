// The stages that have begun, each with its agents.

import { element, show } from "../elements.js";
import { statusChip } from "./status.js";

export function stages() {
  const list = element("ol");
  const node = element("section", { class: "stages", "aria-labelledby": "stages" });
  node.append(element("h2", { id: "stages" }, "Stages"), list);
  show(node, false);

  function update(session) {
    const inOrder = [...session.stages.values()].sort((one, other) => one.stage_index - other.stage_index);
    list.replaceChildren(...inOrder.map((stage) => stageLine(stage, agentsOf(session, stage))));
    show(node, inOrder.length > 0);
  }

  return { node, update };
}

function agentsOf(session, stage) {
  const agents = [...session.executions.values()].filter((one) => one.stage_id === stage.stage_id);
  return agents.sort((one, other) => one.agent_index - other.agent_index);
}

function stageLine(stage, agents) {
  const inner = element("ul", {}, ...agents.map((agent) => step(agent.agent_name, agent)));
  return step(stage.stage_name, stage, inner);
}

function step(name, row, ...inner) {
  const error = row.error_message ? element("p", { class: "failure" }, row.error_message) : null;
  return element("li", {}, element("span", { class: "name" }, name), statusChip(row.status), error, ...inner);
}
