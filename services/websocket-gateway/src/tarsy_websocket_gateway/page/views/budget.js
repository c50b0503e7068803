// A budget that is nearly used up, used up, or was extended. While one waits for a person: who may extend it, by how
// much, and two buttons. It shows what the log says: a decision is there when its event has come.

import { decideBudget } from "../net/api.js";
import { isActionOff } from "../stores/connection.js";
import { html, useRef, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { Answer, useKeyedRequest } from "./keyed_request.js";

const LONGEST_COMMENT = 2000;
/** The names of amounts, by the resource of a budget. */
const FIELDS = { tokens: "tokens", money: "money", time: "seconds", calls: "calls" };

/** @typedef {import("../state/item_types.js").Item} Item
 *  @typedef {"tokens" | "money" | "seconds" | "calls"} Field */

/** @param {import("./item.js").BodyProps} props */
export function BudgetBody({ item, isOpen }) {
  return html`
    <div class="body budget">
      <p class="text">${item.content}</p>
      ${isOpen && html`<${DecisionForm} item=${item} />`}
    </div>
  `;
}

/** Proposes as much again as the limit is. @param {{ item: Item }} props */
function DecisionForm({ item }) {
  const answer = useSignal("");
  // The form stays off until the event has come.
  const isDecided = useSignal(false);
  /** @type {{ current: HTMLInputElement | null }} */
  const amount = useRef(null);
  /** @type {{ current: HTMLInputElement | null }} */
  const comment = useRef(null);
  const budget = item.metadata.budget ?? {};
  const field = fieldOf(budget.resource);
  const extension = useDecision("extend");
  const conclusion = useDecision("conclude");
  const isAsking = extension.isAsking || conclusion.isAsking || isDecided.value;
  const isOff = isAsking || isActionOff.value;

  /** @param {"extend" | "conclude"} decision */
  function useDecision(decision) {
    return useKeyedRequest(answer, TEXT.budget.notDecided, async (key) => {
      const more = decision === "extend" ? { [field]: amount.current?.valueAsNumber || 0 } : {};
      const wanted = { decision, budget_id: budget.budget_id ?? "", comment: comment.current?.value ?? "", ...more };
      return (await decideBudget(item.sessionId, wanted, key)).message;
    });
  }

  /** @param {import("./keyed_request.js").KeyedRequest} request */
  async function decide(request) {
    if (request === extension && amount.current?.reportValidity() === false) return;
    isDecided.value = await request.send();
  }

  return html`
    <div class="deciding">
      <label class="amount">${TEXT.budget.more[field]}
        <input
          ref=${amount} type="number" min="0" step="any" required disabled=${isAsking}
          defaultValue=${String(budget.limit ?? "")}
        />
      </label>
      <input
        ref=${comment} type="text" maxlength=${LONGEST_COMMENT} aria-label=${TEXT.budget.comment} placeholder=${TEXT.budget.comment}
        disabled=${isAsking}
      />
      <button type="button" disabled=${isOff} onClick=${() => decide(extension)}>${TEXT.budget.extend}</button>
      <button type="button" class="danger" disabled=${isOff} onClick=${() => decide(conclusion)}>${TEXT.budget.conclude}</button>
      <${Answer} answer=${answer} />
    </div>
  `;
}

/** @param {string | undefined} resource @returns {Field} */
function fieldOf(resource) {
  return resource === "money" || resource === "time" || resource === "calls"
    ? /** @type {Field} */ (FIELDS[resource])
    : "tokens";
}
