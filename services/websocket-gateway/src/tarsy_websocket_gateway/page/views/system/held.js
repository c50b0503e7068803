// The sessions that are set aside until an operator acts, and the acts for whom may.

import { bringBack, failSession, readHeldSessions } from "../../net/system_api.js";
import { usePolled } from "../../stores/polled.js";
import { may } from "../../stores/rights.js";
import { html, useSignal } from "../../ui.js";
import { ABOUT_HELD, NO_HELD_SESSIONS, heldFacts, wayBack } from "../../words/system_words.js";
import { counted } from "../../words/wording.js";
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
    <${Notice} polled=${polled} empty=${found?.total_items === 0 ? NO_HELD_SESSIONS : ""} />
    ${found !== null && found.total_items > 0 && html`<${HeldList} list=${found} done=${done} />`}
  `;
}

/** @param {{ list: Schemas["HeldSessionList"], done: (answer: string) => void }} props */
function HeldList({ list, done }) {
  const { sessions, total_items: total } = list;
  const rest = total > sessions.length ? ` ${sessions.length} of ${total} are shown.` : "";
  return html`
    <p class="quiet">${counted(total, "session")} set aside. ${ABOUT_HELD}${rest}</p>
    <ul class="records">
      ${sessions.map((session) => html`<${HeldRow} key=${session.session_id} session=${session} done=${done} />`)}
    </ul>
  `;
}

/** @param {RowProps} props */
function HeldRow({ session, done }) {
  const { session_id: id, why, created_at: since } = session;
  return html`
    <li>
      <div class="row">
        <a href=${`/sessions/${encodeURIComponent(id)}`} data-view><code>${id}</code></a>
        <span class="quiet">${heldFacts(session)}${since !== null && html`, since <${Time} stamp=${since} />`}</span>
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
      <${Confirmed} label="Fail" question="End this session? What waits for it goes to the dead letters." yes="Yes, end it" danger act=${fail} done=${done}>
        <input type="text" required maxlength=${LONGEST_REASON} aria-label="Why it is ended" placeholder="Why it is ended" value=${reason.value} onInput=${type} />
      <//>
    </div>
  `;
}
