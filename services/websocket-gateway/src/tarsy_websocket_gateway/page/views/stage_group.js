// What happened in one stage: of each agent on its own, and then in the synthesis.

import { element, write } from "../elements.js";
import { stageFacts } from "../words/wording.js";
import { itemList } from "./item_list.js";
import { setStatus, statusChip } from "./old_status.js";
import { tabs } from "./tabs.js";

export function stageGroup(stage) {
  const name = element("h3", { id: `stage-${stage.stage_id}` });
  const about = element("p", { class: "quiet" });
  const agents = tabs(`Agents of ${stage.stage_name}`);
  const under = element("div", { class: "under" });
  const node = element("section", { class: "group", "aria-labelledby": name.id }, name, about, agents.node, under);
  const chips = new Map();

  function update(now) {
    node.dataset.type = now.stage_type ?? "investigation";
    write(name, now.stage_name);
    write(about, stageFacts(now));
  }

  /** The list that this agent's items go to. */
  function addAgent(agent) {
    const list = itemList();
    const chip = statusChip(agent.status);
    chips.set(agent.execution_id, chip);
    agents.add(agent.execution_id, [element("span", { class: "name" }, agent.agent_name), chip], list.node);
    return list;
  }

  function updateAgent(agent) {
    setStatus(chips.get(agent.execution_id), agent.status);
  }

  return { node, under, update, addAgent, updateAgent };
}
