// What the session is about and its state, in one line that stays in sight, with what can be done with it.

import { budgetMet } from "../state/budgets_met.js";
import { isOver } from "../state/session_state.js";
import { connection, liveUntil } from "../stores/connection.js";
import { html, useEffect } from "../ui.js";
import { asOf } from "../words/connection_words.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { placeWords, queueWords } from "../words/session_words.js";
import { isLimited, sessionTitle } from "../words/wording.js";
import { Cancelling } from "./cancelling.js";
import { Time, Took } from "./clock.js";
import { Rerun } from "./rerun.js";
import { ReviewButton } from "./review/button.js";
import { SeverityPill } from "./severity.js";
import { Share } from "./share.js";
import { Status } from "./status.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../stores/session_store.js").Detail} Detail */

/** @param {{ store: Store }} props */
export function SessionHead({ store }) {
  store.version.value;
  const detail = store.detail.value;
  const title = sessionTitle(detail);
  useEffect(() => {
    document.title = say(TEXT.session.documentTitle, { title });
  }, [title]);
  if (detail === null) return null;
  const { status } = store.session;
  return html`
    <header class="head">
      <div class="head-line">
        <${SeverityPill} severity=${detail.severity} />
        <h1 title=${title}>${title}</h1>
        <p class="state" role="status"><${Status} status=${status ?? ""} isLimited=${isLimited(store.session)} /></p>
      </div>
      <div class="head-about">
        <${BudgetMet} store=${store} />
        <${Times} store=${store} detail=${detail} />
        <${Place} detail=${detail} />
        <div class="head-acts">
          <${ReviewButton} detail=${detail} />
          ${isOver(store.session) && html`<${Rerun} id=${store.id} />`}
          <${Share} store=${store} />
          <${Cancelling} id=${store.id} status=${status} />
        </div>
      </div>
    </header>
  `;
}

/** How long it took and when it began, or where it waits.
 *  @param {{ store: Store, detail: Detail }} props */
function Times({ store, detail }) {
  store.version.value;
  const { session } = store;
  const place = session.status === "pending" ? (detail.queue_position ?? null) : null;
  const from = detail.started_at ?? session.startedAt;
  return html`
    ${connection.value === "lost" && html`<span class="as-of">${asOf(liveUntil.value)}</span>`}
    <span class="queue quiet" hidden=${place === null}>${place === null ? "" : queueWords(place)}</span>
    <span class="head-times quiet">
      <${Took} from=${from} until=${isOver(session) ? session.changedAt : null} />
      <span>${TEXT.session.since}${" "}<${Time} stamp=${detail.created_at} /></span>
    </span>
  `;
}

/** Leads to the item of the story that says more. @param {{ store: Store }} props */
function BudgetMet({ store }) {
  store.version.value;
  store.story.settled.value;
  const met = budgetMet(store.session);
  if (met === null) return null;
  const words = met.isUsedUp ? TEXT.budget.usedUp : say(TEXT.budget.nearly, { percent: met.percent });
  return html`<a class="head-budget" data-used-up=${met.isUsedUp} href=${`#event-${met.itemId}`} title=${met.text}>${words}</a>`;
}

/** @param {{ detail: Detail }} props */
function Place({ detail }) {
  const words = placeWords(detail);
  return words === "" ? null : html`<span class="head-place quiet" title=${words}>${words}</span>`;
}
