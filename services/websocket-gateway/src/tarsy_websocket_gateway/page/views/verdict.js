// What came of the investigation, before all else: in short and whole; or where it stopped, and what is known so far.

import { foundSoFar, stoppedIn } from "../state/outcome.js";
import { html } from "../ui.js";
import { cancelledWords, stoppedWords } from "../words/session_words.js";
import { citedVerdictText } from "../words/verdict_text.js";
import { CopyButton } from "./copy.js";
import { Fold } from "./fold.js";
import { Markdown } from "./markdown.js";
import { Retry } from "./retry.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../state/session_state.js").Session} Session */

const STOPPED = new Set(["failed", "timed_out", "cancelled"]);

/** @param {{ store: Store }} props */
export function Verdict({ store }) {
  store.version.value;
  const { session } = store;
  const isStopped = session.status !== null && STOPPED.has(session.status);
  if (!isStopped && session.finalAnalysis === "" && session.executiveSummary === "") {
    return session.executiveSummaryError === ""
      ? null
      : html`<div class="verdict"><${Summary} session=${session} /></div>`;
  }
  return html`
    <div class="verdict">
      ${isStopped && html`<${Stopped} store=${store} />`}
      <${Summary} session=${session} />
      ${session.finalAnalysis !== "" && html`<${Analysis} store=${store} />`}
    </div>
  `;
}

/** @param {{ session: Session }} props */
function Summary({ session: { executiveSummary: summary, executiveSummaryError: error } }) {
  if (summary === "" && error === "") return null;
  return html`
    <div class="short">
      ${
        summary !== "" &&
        html`
        <section class="executive" aria-labelledby="executive">
          <h2 id="executive">Executive summary</h2>
          <${Markdown} text=${summary} />
        </section>
      `
      }
      ${error !== "" && html`<p class="quiet">There is no executive summary: ${error}</p>`}
    </div>
  `;
}

/** @param {{ store: Store }} props */
function Analysis({ store }) {
  const text = () => citedVerdictText(store.session, store.detail.value);
  return html`
    <section class="analysis" aria-labelledby="analysis">
      <div class="analysis-head"><h2 id="analysis">Final analysis</h2><${CopyButton} text=${text} label="Copy as Markdown" /></div>
      <${Markdown} text=${store.session.finalAnalysis} />
    </section>
  `;
}

/** @param {{ store: Store }} props */
function Stopped({ store }) {
  const { session } = store;
  const { stages, agents } = stoppedIn(session);
  const found = session.finalAnalysis === "" ? foundSoFar(session) : [];
  const isCancelled = session.status === "cancelled";
  return html`
    <section class="stopped" data-tone=${isCancelled ? "plain" : "bad"} aria-labelledby="stopped">
      <h2 id="stopped">${isCancelled ? cancelledWords(session) : stoppedWords(stages, agents)}</h2>
      ${!isCancelled && session.error !== "" && html`<p class="failure text">${session.error}</p>`}
      ${found.length > 0 && html`<h3>Known so far</h3>`}
      ${found.map(({ id, name, text }) => html`<${Fold} key=${id} title=${name}><${Markdown} text=${text} /><//>`)}
      <${Retry} id=${store.id} />
    </section>
  `;
}
