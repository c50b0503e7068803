// One session as it happens: how its stages go, what came of it, its story, what else is known of it, and the result of
// a call beside it.

import { query } from "../router.js";
import { SessionStore } from "../stores/session_store.js";
import { html, useEffect, useMemo } from "../ui.js";
import { AskSelection } from "./ask_selection.js";
import { CitedSession } from "./citation.js";
import { SessionHead } from "./head.js";
import { useMark } from "./mark.js";
import { Outline } from "./outline.js";
import { Rail } from "./rail.js";
import { ResultPlace } from "./result/place.js";
import { Timeline } from "./timeline.js";
import { TravelBar } from "./travel_bar.js";
import { Verdict } from "./verdict.js";
import { Waterfall } from "./waterfall.js";

/** @param {{ id: string }} props */
export function SessionView({ id }) {
  const store = useMemo(() => new SessionStore(id), [id]);
  const at = query.value.get("at");
  // By the time of the effect the address may be another one.
  useEffect(() => store.travel.follow(query.peek().get("at")), [store, at]);
  useEffect(() => store.open(), [store]);
  return html`<${SessionPage} store=${store} />`;
}

/** @param {{ store: SessionStore }} props */
export function SessionPage({ store }) {
  const notice = store.notice.value;
  useMark(store);
  return html`
    <${CitedSession.Provider} value=${store}>
    <div class="session">
      ${notice !== "" && html`<p class="notice" role="status">${notice}</p>`}
      <${TravelBar} travel=${store.travel} />
      <${SessionHead} store=${store} />
      <div class="columns">
        <${Outline} store=${store} />
        <div class="middle">
          <${Verdict} store=${store} />
          <${Waterfall} store=${store} />
          <${Timeline} store=${store} />
        </div>
        <${Rail} store=${store} />
      </div>
      <${ResultPlace} store=${store} />
      <${AskSelection} store=${store} />
    </div>
    <//>
  `;
}
