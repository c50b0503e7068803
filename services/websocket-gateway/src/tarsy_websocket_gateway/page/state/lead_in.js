// A short response that only leads to the call behind it: both are one line of the story.

/** @typedef {import("./item_types.js").Item} Item */

const LONGEST = 120;

/** @param {Item | undefined} item
 *  @param {Item | undefined} next  the item behind it in its list */
export function isLeadIn(item, next) {
  if (item?.type !== "llm_response" || next?.type !== "llm_tool_call") return false;
  const { status, content, metadata, executionId } = item;
  if (status !== "completed" || executionId === null || executionId !== next.executionId) return false;
  const text = content.trim();
  const isShort = text !== "" && text.length <= LONGEST && !text.includes("\n");
  return isShort && metadata.reminder == null && metadata.display_cut !== true;
}
