// One item of the story, by its type.

import { isNoWorry, labelOf, levelOf } from "../words/item_words.js";
import { isOfReply, isRunning } from "../state/chat_state.js";
import { html } from "../ui.js";
import { isLeadIn } from "../state/lead_in.js";
import { waitingBudgets } from "../state/outcome.js";
import { standingOf } from "../state/repetition.js";
import { TEXT } from "../words/language.js";
import { ApprovalBody } from "./approval.js";
import { BudgetBody } from "./budget.js";
import { CallBody } from "./call.js";
import { ClockTime } from "./clock.js";
import { QuestionBody } from "./question.js";
import { RecordLink } from "./record_link.js";
import { RunbookBody } from "./runbook.js";
import { SkillsBody } from "./skills.js";
import { NativeCallBody } from "./sources.js";
import { SpokenBody } from "./spoken.js";
import { ThoughtBody } from "./thought.js";

/** @typedef {import("../state/item_types.js").Item} Item
 *  @typedef {{ item: Item, standing: import("../state/repetition.js").Standing, isLast: boolean, trial?: Item, isOpen?: boolean, lead?: string }} BodyProps */

/** @type {Record<string, import("preact").FunctionComponent<BodyProps>>} */
const BODIES = {
  llm_thinking: ThoughtBody,
  llm_response: SpokenBody,
  llm_tool_call: CallBody,
  mcp_tool_summary: SpokenBody,
  final_analysis: SpokenBody,
  executive_summary: SpokenBody,
  approval: ApprovalBody,
  budget: BudgetBody,
  runbook: RunbookBody,
  skill_loaded: SkillsBody,
  user_question: QuestionBody,
  google_search_result: NativeCallBody,
  url_context_result: NativeCallBody,
  code_execution: NativeCallBody,
  native_tool: NativeCallBody,
};
/** Those say by themselves what they are, and when. */
const UNLABELLED = new Set(["llm_thinking", "llm_tool_call", "user_question"]);
/** What a question to a model made; thoughts and calls have their link where they unfold. */
const RECORDED = new Set(["llm_response", "mcp_tool_summary", "error"]);

/** @param {{ store: import("../stores/session_store.js").SessionStore, id: string }} props */
export function ItemView({ store, id }) {
  store.story.versionOf(id)?.value;
  const item = store.session.items.get(id);
  if (item === undefined) return null;
  const standing = standingOf(store.session, item);
  const trial = trialOf(store, item);
  const isOpen = item.type === "budget" && isWaiting(store, item);
  const lead = leadOf(store, item);
  const Body = Object.hasOwn(BODIES, item.type) ? BODIES[item.type] : PlainBody;
  return html`
    <li
      class="item" id=${`event-${id}`} data-type=${item.type} data-status=${item.status} hidden=${standing.isHidden || isLeadIn(item, beside(store, id, 1))}
      data-level=${levelOf(item, standing)} data-changes=${item.metadata.repeatable === false ? "" : undefined}
      data-quiet=${isNoWorry(item) ? "" : undefined} data-waits=${isOpen ? "" : undefined}
    >
      <${Moment} item=${item} />
      <div class="said">
        ${!UNLABELLED.has(item.type) && html`<div class="line"><span class="label">${labelAt(store, item, standing, isOpen)}</span>${RECORDED.has(item.type) && html`<${RecordLink} item=${item} />`}</div>`}
        ${!standing.isHidden && html`<${Body} item=${item} standing=${standing} isLast=${isRunning(store.session) && store.story.isLastThought(id)} trial=${trial} isOpen=${isOpen} lead=${lead} />`}
      </div>
    </li>
  `;
}

/** Whether it is a budget that waits for a person: another item ends the wait.
 *  @param {import("../stores/session_store.js").SessionStore} store
 *  @param {Item} item */
function isWaiting(store, item) {
  store.story.settled.value;
  store.version.value;
  return waitingBudgets(store.session).includes(item.id);
}

/** @param {import("../stores/session_store.js").SessionStore} store
 *  @param {Item} item
 *  @param {import("../state/repetition.js").Standing} standing
 *  @param {boolean} isOpen */
function labelAt(store, item, standing, isOpen) {
  if (isOpen) return TEXT.items.openBudget;
  if (standing.isConclusion && isOfReply(store.session, item)) return TEXT.items.answer;
  return labelOf(item, standing);
}

/** The dry run of the call that waits: it began before the wait.
 *  @param {import("../stores/session_store.js").SessionStore} store
 *  @param {Item} item */
function trialOf(store, item) {
  const id = item.metadata.dry_run_event_id;
  if (id === undefined) return undefined;
  store.story.versionOf(id)?.value;
  return store.session.items.get(id);
}

/** What was said before the call, where it stands in the line of the call.
 *  @param {import("../stores/session_store.js").SessionStore} store
 *  @param {Item} item */
function leadOf(store, item) {
  const before = item.type === "llm_tool_call" ? beside(store, item.id, -1) : undefined;
  return before !== undefined && isLeadIn(before, item) ? before.content.trim() : "";
}

/** @param {import("../stores/session_store.js").SessionStore} store
 *  @param {string} id
 *  @param {number} steps */
function beside(store, id, steps) {
  return store.session.items.get(store.story.beside(id, steps) ?? "");
}

/** When it was, as a link to the item.
 *  @param {{ item: Item }} props */
function Moment({ item }) {
  if (item.time === null || item.type === "user_question") return null;
  return html`<a class="moment" href=${`#event-${item.id}`}><${ClockTime} stamp=${item.time} /></a>`;
}

/** @param {BodyProps} props */
function PlainBody({ item }) {
  return html`<div class="body text">${item.content}</div>`;
}
