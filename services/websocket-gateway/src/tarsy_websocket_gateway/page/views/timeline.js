// What happened, stage by stage and agent by agent, in order. What belongs to no agent stands before the stages, and
// what belongs to a question in its turn of the chat.
// Only what has changed is drawn, a few items a frame.

import { openReply } from "../state/chat_state.js";
import { element, show } from "../elements.js";
import { drawSome, perFrame } from "../frames.js";
import { inOrder, repliesOf, synthesesOf } from "../state/order_of_stages.js";
import { saidAbove } from "../state/session_state.js";
import { hasEnded } from "../words/wording.js";
import { itemView } from "./item.js";
import { itemList } from "./item_list.js";
import { stageGroup } from "./stage_group.js";

const NEAR_THE_END = 120;

/** `turns` are the views of the chat, which stand elsewhere. */
export function timeline(session, turns) {
  const ofTheSession = itemList();
  const stages = element("div", { class: "groups" });
  const node = element("section", { class: "timeline", "aria-labelledby": "timeline" });
  node.append(element("h2", { id: "timeline" }, "Timeline"), ofTheSession.node, stages);
  show(node, false);

  const waiting = new Set();
  const views = new Map();
  const groups = new Map();
  const lists = new Map();
  let above = "";

  const redraw = perFrame(() => {
    const follows = isRunning(session) && isAtTheEnd();
    if (session.executions.size !== lists.size) arrange();
    if (drawSome(waiting, drawOne)) redraw();
    show(node, views.size > 0 || groups.size > 0);
    if (follows) scrollTo({ top: document.documentElement.scrollHeight });
  });

  function changed(ids) {
    for (const id of ids) waiting.add(id);
    if (waiting.size > 0) redraw();
  }

  /** What stands above as well is known only when it is there. */
  function update() {
    node.classList.toggle("ended", hasEnded(session.status));
    arrange();
    show(node, views.size > 0 || groups.size > 0);
    const said = `${session.finalAnalysis}\n${session.executiveSummary}`;
    if (said === above) return;
    above = said;
    changed([...session.items.values()].filter((item) => saidAbove(session, item) !== "").map((item) => item.id));
  }

  function arrange() {
    place(stages, inOrder(session));
    for (const stage of repliesOf(session)) answer(stage);
    const known = lists.size;
    const agents = [...session.executions.values()].filter((one) => groups.has(one.stage_id));
    for (const agent of agents.sort((one, other) => one.agent_index - other.agent_index)) {
      const group = groups.get(agent.stage_id);
      if (!lists.has(agent.execution_id)) lists.set(agent.execution_id, group.addAgent(agent));
      group.updateAgent(agent);
    }
    if (lists.size !== known) changed([...views.values()].filter(isElsewhere).map((entry) => entry.id));
  }

  function place(parent, inside) {
    const nodes = inside.map((stage) => {
      if (!groups.has(stage.stage_id)) groups.set(stage.stage_id, stageGroup(stage));
      const group = groups.get(stage.stage_id);
      group.update(stage);
      place(group.under, synthesesOf(session, stage));
      return group.node;
    });
    if (nodes.some((one, at) => parent.children[at] !== one)) parent.replaceChildren(...nodes);
  }

  function answer(stage) {
    if (!groups.has(stage.stage_id)) groups.set(stage.stage_id, turns.ofStage(stage));
    groups.get(stage.stage_id).update(stage);
  }

  function listOf(item) {
    return lists.get(item.executionId) ?? turns.listOf(item) ?? ofTheSession;
  }

  /** It came before its agent was known. */
  function isElsewhere(entry) {
    const item = session.items.get(entry.id);
    return item !== undefined && entry.list !== listOf(item);
  }

  function drawOne(id) {
    const item = session.items.get(id);
    const before = views.get(id);
    const moves = before !== undefined && (before.sequence !== item?.sequence || isElsewhere(before));
    if (moves) before.list.remove(before);
    if (item === undefined) {
      views.delete(id);
      return;
    }
    const view = before?.view ?? itemView(item);
    view.update(item, saidAbove(session, item));
    if (before !== undefined && !moves) return;
    const entry = { id, sequence: item.sequence, view, list: listOf(item) };
    entry.list.insert(entry);
    views.set(id, entry);
  }

  return { node, update, changed };
}

function isRunning(session) {
  return !hasEnded(session.status) || openReply(session) !== null;
}

function isAtTheEnd() {
  const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
  return scrollTop > 0 && scrollHeight - clientHeight - scrollTop < NEAR_THE_END;
}
