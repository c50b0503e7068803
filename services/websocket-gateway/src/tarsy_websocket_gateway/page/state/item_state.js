// The items of a session's timeline, by id: how messages change them. Each function returns the ids of what changed.

const NUMBERS_PER_EVENT = 10;

/** @typedef {import("tarsy-live").components["schemas"]} Live
 *  @typedef {import("./item_types.js").Item} Item
 *  @typedef {import("./item_types.js").Metadata} Metadata
 *  @typedef {Map<string, Item>} Items */

/** @param {Items} items */
export function beginItemsAgain(items) {
  const changed = [];
  for (const item of items.values()) {
    if (item.status !== "streaming") continue;
    changed.push(item.id);
    if (item.number === null) items.delete(item.id);
    else item.isToldAgain = true;
  }
  return changed;
}

/** @param {Items} items
 *  @param {Live["TimelineEventCreated"] | Live["TimelineEventCompleted"]} message */
export function takeCreated(items, message) {
  const before = items.get(message.event_id);
  if (before === undefined) {
    items.set(message.event_id, fromMessage(message));
  } else if (isNews(before, message)) {
    before.executionId = message.execution_id ?? before.executionId;
    before.sequence = message.sequence_number ?? before.sequence;
    before.number = message.number ?? before.number;
    if (message.status !== "streaming") end(before, message);
  } else {
    return [];
  }
  return [message.event_id];
}

/** @param {Items} items
 *  @param {Live["TimelineEventCompleted"]} message */
export function takeCompleted(items, message) {
  if (message.metadata?.discarded !== true) return takeCreated(items, message);
  if (items.get(message.event_id)?.status !== "streaming") return [];
  items.delete(message.event_id);
  return [message.event_id];
}

/** @param {Items} items
 *  @param {Live["StreamedText"]} message */
export function takeChunk(items, message) {
  const item = streaming(items, message.event_id);
  if (item === null) return [];
  item.content = item.isToldAgain ? message.delta : item.content + message.delta;
  item.isToldAgain = false;
  return [item.id];
}

/** @param {Items} items
 *  @param {Live["StreamBegunAgain"]} message */
export function takeReset(items, message) {
  const item = streaming(items, message.event_id);
  if (item === null) return [];
  item.content = "";
  item.isToldAgain = false;
  return [item.id];
}

/** The latest word of a running call. Of two runs of one call, the newer counts.
 *  @param {Items} items
 *  @param {Live["StreamedProgress"]} message */
export function takeProgress(items, message) {
  const item = streaming(items, message.event_id);
  if (item === null) return [];
  const { run, index, text } = message;
  const before = item.progress;
  if (before !== null && (run < before.run || (run === before.run && index <= before.index))) return [];
  item.progress = { run, index, text };
  return [item.id];
}

/** @param {Items} items
 *  @param {string} id */
function streaming(items, id) {
  const item = items.get(id);
  return item?.status === "streaming" ? item : null;
}

/** @param {Live["TimelineEventCreated"] | Live["TimelineEventCompleted"]} message
 *  @returns {Item} */
function fromMessage(message) {
  return {
    id: message.event_id,
    sessionId: message.session_id ?? "",
    executionId: message.execution_id ?? null,
    type: message.event_type,
    status: message.status,
    content: message.content ?? "",
    metadata: /** @type {Metadata} */ (message.metadata ?? {}),
    sequence: message.sequence_number ?? (message.number ?? 0) * NUMBERS_PER_EVENT,
    number: message.number ?? null,
    time: message.timestamp ?? null,
    isToldAgain: false,
    progress: null,
  };
}

/** What has ended is changed by nothing but a later word of the log.
 *  @param {Item} item
 *  @param {Live["TimelineEventCreated"] | Live["TimelineEventCompleted"]} message */
function isNews(item, message) {
  if (item.status === "streaming") return true;
  return message.status !== "streaming" && message.number !== null && message.number > (item.number ?? 0);
}

/** @param {Item} item
 *  @param {Live["TimelineEventCreated"] | Live["TimelineEventCompleted"]} message */
function end(item, message) {
  item.status = message.status;
  item.content = message.content ?? "";
  item.metadata = { ...item.metadata, ...message.metadata };
  item.time = message.timestamp ?? item.time;
  item.progress = null;
  item.isToldAgain = false;
}
