// A link from a step of the story to the question that it came of, in the record.

import { html } from "../ui.js";
import { TEXT } from "../words/language.js";

/** @param {{ item: import("../state/item_types.js").Item }} props */
export function RecordLink({ item: { sessionId, executionId, id } }) {
  if (executionId === null || sessionId === "") return null;
  return html`<a class="to-record" href=${`/sessions/${encodeURIComponent(sessionId)}/record#event-${id}`} data-view>${TEXT.story.toRecord}</a>`;
}
