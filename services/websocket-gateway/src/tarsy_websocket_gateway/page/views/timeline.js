// What happened, in order. Only what has changed is drawn, a few items a frame.

import { element, show } from "../elements.js";
import { drawSome, perFrame } from "../frames.js";
import { placeOf } from "../ordering.js";
import { isFinalAnalysis } from "../session_state.js";
import { hasEnded } from "../wording.js";
import { itemView } from "./item.js";

const NEAR_THE_END = 120;

export function timeline(session) {
  const list = element("ol", { class: "items" });
  const node = element("section", { class: "timeline", "aria-labelledby": "timeline" });
  node.append(element("h2", { id: "timeline" }, "Timeline"), list);
  show(node, false);

  const waiting = new Set();
  const views = new Map();
  let order = [];
  let analysis = "";

  const redraw = perFrame(() => {
    const follows = !hasEnded(session.status) && isAtTheEnd();
    if (drawSome(waiting, drawOne)) redraw();
    show(node, order.length > 0);
    if (follows) scrollTo({ top: document.documentElement.scrollHeight });
  });

  function changed(ids) {
    for (const id of ids) waiting.add(id);
    if (waiting.size > 0) redraw();
  }

  /** What is the final analysis is known only when it is there; who says something only when there are several. */
  function update() {
    list.classList.toggle("ended", hasEnded(session.status));
    list.classList.toggle("several", session.executions.size > 1);
    if (session.finalAnalysis === analysis) return;
    analysis = session.finalAnalysis;
    changed([...session.items.values()].filter((item) => isFinalAnalysis(session, item)).map((item) => item.id));
  }

  function drawOne(id) {
    const item = session.items.get(id);
    const before = views.get(id);
    if (before !== undefined && (item === undefined || before.sequence !== item.sequence)) {
      order = order.filter((one) => one.id !== id);
      before.view.node.remove();
    }
    if (item === undefined) {
      views.delete(id);
      return;
    }
    const view = before?.view ?? itemView(item);
    const agent = session.executions.get(item.executionId)?.agent_name ?? "";
    view.update(item, agent, isFinalAnalysis(session, item));
    if (before?.sequence !== item.sequence) insert(id, item.sequence, view);
  }

  function insert(id, sequence, view) {
    const entry = { id, sequence, view };
    const place = placeOf(order, entry);
    list.insertBefore(view.node, order[place]?.view.node ?? null);
    order.splice(place, 0, entry);
    views.set(id, entry);
  }

  return { node, update, changed };
}

function isAtTheEnd() {
  const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
  return scrollTop > 0 && scrollHeight - clientHeight - scrollTop < NEAR_THE_END;
}
