// Where an item stands among others: by the log's order, then by id, so that everybody sees the same order.

/** @typedef {{ id: string, sequence: number }} Entry */

/** @param {Entry} one
 *  @param {Entry} other */
function isBefore(one, other) {
  return one.sequence === other.sequence ? one.id < other.id : one.sequence < other.sequence;
}

/** The place of `item` in a list that is in order. Most come at the end.
 *  @param {Entry[]} list
 *  @param {Entry} item */
export function placeOf(list, item) {
  const last = list.at(-1);
  if (last === undefined || isBefore(last, item)) return list.length;
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = list[middle];
    if (found !== undefined && isBefore(found, item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
