// How the messages of a question differ from those of the question before it.

/** @typedef {import("tarsy-api").components["schemas"]["TracedMessage"]} Message */

/** `place` counts from 0. `before`: what stood there in the question before, where that is something else.
 *  @typedef {{ place: number, message: Message, before: Message | null }} Placed
 *  @typedef {"same" | "changed" | "new"} Kind
 *  @typedef {{ kind: Kind, messages: Placed[] }} Run  messages that follow one another */

/** @param {readonly Message[]} before  none where there is no question before
 *  @param {readonly Message[]} now
 *  @returns {Run[]} */
export function differenceOf(before, now) {
  /** @type {Run[]} */
  const runs = [];
  now.forEach((message, place) => {
    const earlier = before[place];
    const kind = kindOf(earlier, message);
    const placed = { place, message, before: kind === "changed" ? (earlier ?? null) : null };
    const last = runs.at(-1);
    if (last?.kind === kind) last.messages.push(placed);
    else runs.push({ kind, messages: [placed] });
  });
  return runs;
}

/** How many messages at the end of the question before are not there any more.
 *  @param {readonly Message[]} before
 *  @param {readonly Message[]} now */
export function removedCount(before, now) {
  return Math.max(0, before.length - now.length);
}

/** @param {Message | undefined} before
 *  @param {Message} now
 *  @returns {Kind} */
function kindOf(before, now) {
  if (before === undefined) return "new";
  return isSame(before, now) ? "same" : "changed";
}

/** @param {Message} one
 *  @param {Message} other */
function isSame(one, other) {
  if (one.role !== other.role || one.content !== other.content || one.is_error !== other.is_error) return false;
  if (one.tool_call_id !== other.tool_call_id || one.tool_name !== other.tool_name) return false;
  return JSON.stringify([one.tool_calls, one.opaque]) === JSON.stringify([other.tool_calls, other.opaque]);
}
