// A list of items, in order.

import { element } from "../elements.js";
import { placeOf } from "../state/ordering.js";

export function itemList() {
  const node = element("ol", { class: "items" });
  let order = [];

  function insert(entry) {
    const place = placeOf(order, entry);
    node.insertBefore(entry.view.node, order[place]?.view.node ?? null);
    order.splice(place, 0, entry);
  }

  function remove(entry) {
    order = order.filter((one) => one !== entry);
    entry.view.node.remove();
  }

  return { node, insert, remove };
}
