// The sessions that are set aside until an operator acts, and the acts for whom may.

import { bringBack, failSession, readHeldSessions } from "../../net/system_api.js";
import { usePolled } from "../../stores/polled.js";
import { may } from "../../stores/rights.js";
import { html, useSignal } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { sayParts } from "../../words/say.js";
import { heldFacts, heldSummary, wayBack } from "../../words/system_words.js";
import { Time } from "../clock.js";
import { Confirmed } from "../confirmed.js";
import { Notice } from "../notice.js";
import { Outcome, useOutcome } from "../outcome.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */
/** @typedef {{ session: Schemas["HeldSession"], done: (answer: string) => void }} RowProps */

const LONGEST_REASON = 1000;

export function HeldPart() {
  const polled = usePolled(readHeldSessions);
  const said = useOutcome();
  /** @type {Schemas["HeldSessionList"] | null} */
  const found = polled.answer.value;
  /** @param {string} answer */
  function done(answer) {
    said.value = { text: answer };
    polled.read();
  }
  return html`
    <${Outcome} said=${said} />
    <${Notice} polled=${polled} empty=${found?.total_items === 0 ? TEXT.held.none : ""} />
    ${found !== null && found.total_items > 0 && html`<${HeldList} list=${found} done=${done} />`}
  `;
}

/** @param {{ list: Schemas["HeldSessionList"], done: (answer: string) => void }} props */
function HeldList({ list, done }) {
  return html`
    <p class="quiet">${heldSummary(list)}</p>
    <ul class="records">
      ${list.sessions.map((session) => html`<${HeldRow} key=${session.session_id} session=${session} done=${done} />`)}
    </ul>
  `;
}

/** @param {RowProps} props */
function HeldRow({ session, done }) {
  const { session_id: id, why, created_at: since } = session;
  const waiting = heldFacts(session);
  return html`
    <li>
      <div class="row">
        <a href=${`/sessions/${encodeURIComponent(id)}`} data-view><code>${id}</code></a>
        <span class="quiet">${since === null ? waiting : sayParts(TEXT.held.since, { waiting, time: html`<${Time} stamp=${since} />` })}</span>
      </div>
      <p class="text">${why}</p>
      ${may("operator") && html`<${HeldActions} session=${session} done=${done} />`}
    </li>
  `;
}

/** @param {RowProps} props */
function HeldActions({ session, done }) {
  const reason = useSignal("");
  const { act, label, question, yes } = wayBack(session);
  const id = session.session_id;
  /** @param {string} key */
  const back = async (key) => (await bringBack(id, act, key)).message;
  /** @param {string} key */
  const fail = async (key) => (await failSession(id, reason.value, key)).message;
  /** @param {{ currentTarget: HTMLInputElement }} event */
  const type = ({ currentTarget }) => {
    reason.value = currentTarget.value;
  };
  return html`
    <div class="row">
      <${Confirmed} label=${label} question=${question} yes=${yes} act=${back} done=${done} />
      <${Confirmed} label=${TEXT.held.fail} question=${TEXT.held.failQuestion} yes=${TEXT.held.failYes} danger act=${fail} done=${done}>
        <input type="text" required maxlength=${LONGEST_REASON} aria-label=${TEXT.held.failReason} placeholder=${TEXT.held.failReason} value=${reason.value} onInput=${type} />
      <//>
    </div>
  `;
}
