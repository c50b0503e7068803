// The turns of a chat, in order.

import { turnOf } from "../state/chat_state.js";
import { itemList } from "./item_list.js";
import { turn } from "./turn.js";

export function turns(session) {
  const list = itemList();
  const all = new Map();

  /** Turns do not overlap: any place within one is good enough to tell which is the earlier. */
  function turnAt(id, sequence) {
    if (!all.has(id)) {
      const view = turn();
      all.set(id, view);
      list.insert({ id, sequence, view });
    }
    return all.get(id);
  }

  /** The turn of a reply. */
  function ofStage(stage) {
    return turnAt(stage.stage_id, stage.number * 10);
  }

  /** Where an item goes that no agent said; null if it belongs to no turn. */
  function listOf(item) {
    const id = turnOf(session, item);
    if (id === null) return null;
    const { asked, requests } = turnAt(id, item.sequence);
    return item.type === "user_question" ? asked : requests;
  }

  return { node: list.node, ofStage, listOf };
}
