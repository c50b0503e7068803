// Beside a session: what it began with, what it has taught, and investigations like it.

import { readLessons } from "../../net/memory_api.js";
import { html, useEffect, useSignal } from "../../ui.js";
import { factLine } from "../../words/formats.js";
import { TEXT } from "../../words/language.js";
import { reasonWords } from "../../words/memory_words.js";
import { duration } from "../../words/wording.js";
import { Time } from "../clock.js";
import { MemoryCard } from "./card.js";

/** @typedef {import("tarsy-api").components["schemas"]["SimilarSession"]} SimilarSession
 *  @typedef {import("../../net/memory_api.js").Given} Given
 *  @typedef {import("../../net/memory_api.js").Memory} Memory */

/** Nothing where there is nothing.
 *  @param {{ store: import("../../stores/session_store.js").SessionStore }} props */
export function Lessons({ store }) {
  store.version.value;
  const { id, session } = store;
  const answer = useSignal(/** @type {import("../../net/memory_api.js").Lessons | null} */ (null));
  async function read() {
    try {
      answer.value = await readLessons(id);
    } catch {
      // They are beside the point: what is shown stays.
    }
  }
  const changed = () => void read();
  // They change where a stage begins or ends, such as the reflection.
  const stages = [...session.stages.values()].map(({ status }) => status).join(" ");
  useEffect(changed, [id, stages]);
  const lessons = answer.value;
  if (lessons === null) return null;
  return html`
    <${Memories} id="given" title=${TEXT.memory.given} memories=${lessons.given} changed=${changed} />
    <${Memories} id="taught" title=${TEXT.memory.taught} memories=${lessons.taught} changed=${changed} />
    <${Similar} sessions=${lessons.similar} />
  `;
}

/** @param {{ id: string, title: string, memories: (Memory | Given)[], changed: () => void }} props */
function Memories({ id, title, memories, changed }) {
  if (memories.length === 0) return null;
  return html`
    <section class="memories" aria-labelledby=${id}>
      <h2 id=${id}>${title}</h2>
      <ul>
        ${memories.map((memory) => html`<${MemoryCard} key=${memory.id} memory=${memory} changed=${changed} />`)}
      </ul>
    </section>
  `;
}

/** @param {{ sessions: SimilarSession[] }} props */
function Similar({ sessions }) {
  if (sessions.length === 0) return null;
  return html`
    <section class="similar" aria-labelledby="similar">
      <h2 id="similar">${TEXT.memory.similar}</h2>
      <ul>
        ${sessions.map(
          (one) => html`
          <li key=${one.session_id}>
            <a href=${`/sessions/${encodeURIComponent(one.session_id)}`} data-view>${one.title || one.alert_type}</a>
            ${one.executive_summary && html`<p>${one.executive_summary}</p>`}
            <p class="quiet">${factLine([TEXT.status[one.status], one.duration_ms === null ? "" : duration(one.duration_ms), reasonWords(one.reasons)])}${" "}<${Time} stamp=${one.created_at} /></p>
          </li>
        `,
        )}
      </ul>
    </section>
  `;
}
