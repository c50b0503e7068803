// The stages that have begun, each with its agents; a synthesis under the stage whose analyses it joins.

import { element, show } from "../elements.js";
import { inOrder, synthesesOf } from "../state/order_of_stages.js";
import { agentFacts, stageFacts } from "../words/wording.js";
import { statusChip } from "./old_status.js";

export function stages() {
  const list = element("ol");
  const node = element("section", { class: "stages", "aria-labelledby": "stages" });
  node.append(element("h2", { id: "stages" }, "Stages"), list);
  show(node, false);

  function update(session) {
    list.replaceChildren(...inOrder(session).map((stage) => stageLine(session, stage)));
    show(node, session.stages.size > 0);
  }

  return { node, update };
}

function stageLine(session, stage) {
  const agents = [...session.executions.values()].filter((one) => one.stage_id === stage.stage_id);
  agents.sort((one, other) => one.agent_index - other.agent_index);
  const lines = agents.map((agent) => step(agent.agent_name, agent, agentFacts(agent)));
  lines.push(...synthesesOf(session, stage).map((one) => stageLine(session, one)));
  return step(stage.stage_name, stage, stageFacts(stage), element("ul", {}, ...lines));
}

function step(name, row, facts, ...inner) {
  const error = row.error_message ? element("p", { class: "failure" }, row.error_message) : null;
  const about = facts === "" ? null : element("span", { class: "about quiet" }, facts);
  return element("li", {}, element("span", { class: "name" }, name), statusChip(row.status), about, error, ...inner);
}
