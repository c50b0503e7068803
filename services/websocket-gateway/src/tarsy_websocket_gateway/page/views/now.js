// What a session does now.

import { isOver } from "../state/session_state.js";
import { runningAgents } from "../state/outcome.js";
import { shownNow } from "../stores/connection.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { doing } from "../words/session_words.js";
import { Took } from "./clock.js";

/** @param {{ store: import("../stores/session_store.js").SessionStore }} props */
export function Now({ store }) {
  store.version.value;
  store.story.count.value;
  if (isOver(store.session) || store.session.status === null) return null;
  // Items begin and end without a new one: it is looked at each second.
  shownNow.value;
  const running = runningAgents(store.session);
  if (running.length === 0) return null;
  return html`
    <section class="now" aria-labelledby="now">
      <h2 id="now">${TEXT.now.title}</h2>
      <ul>
        ${running.map(
          ({ agent, item, waitsFor }) => html`
          <li key=${agent.execution_id}>
            <span class="name">${agent.agent_name}</span>${" "}
            <span class="quiet">${doing(item, waitsFor)}</span>${" "}
            ${item?.time && html`<span class="quiet"><${Took} from=${item.time} until=${null} /></span>`}
          </li>
        `,
        )}
      </ul>
    </section>
  `;
}
