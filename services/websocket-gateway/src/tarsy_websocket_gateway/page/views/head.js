// What the session is about, and its state.

import { connection, liveUntil } from "../stores/connection.js";
import { html, useEffect } from "../ui.js";
import { asOf } from "../words/connection_words.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { queueWords } from "../words/session_words.js";
import { isLimited, sessionTitle } from "../words/wording.js";
import { Cancelling } from "./cancelling.js";
import { Status } from "./status.js";

/** @param {{ store: import("../stores/session_store.js").SessionStore }} props */
export function SessionHead({ store }) {
  store.version.value;
  const detail = store.detail.value;
  const title = sessionTitle(detail);
  useEffect(() => {
    document.title = say(TEXT.session.documentTitle, { title });
  }, [title]);
  if (detail === null) return null;
  const { status } = store.session;
  const place = status === "pending" ? (detail.queue_position ?? null) : null;
  return html`
    <header class="head">
      <h1>${title}</h1>
      <div class="row">
        <p class="state" role="status"><${Status} status=${status ?? ""} isLimited=${isLimited(store.session)} /></p>
        ${connection.value === "lost" && html`<p class="as-of">${asOf(liveUntil.value)}</p>`}
        <p class="queue quiet" hidden=${place === null}>${place === null ? "" : queueWords(place)}</p>
        <${Cancelling} id=${store.id} status=${status} />
      </div>
    </header>
  `;
}
