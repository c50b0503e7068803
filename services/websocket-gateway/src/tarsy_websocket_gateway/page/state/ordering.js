// Where an item stands among others: by the log's order, then by id, so that everybody sees the same order.

export function isBefore(one, other) {
  return one.sequence === other.sequence ? one.id < other.id : one.sequence < other.sequence;
}

/** The place of `item` in a list that is in order. Most come at the end. */
export function placeOf(list, item) {
  if (list.length === 0 || isBefore(list.at(-1), item)) return list.length;
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(list[middle], item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
