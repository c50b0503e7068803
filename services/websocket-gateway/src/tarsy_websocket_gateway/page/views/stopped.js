// Where an investigation stopped and why, and what is known so far.

import { foundSoFar, stoppedIn } from "../state/outcome.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { cancelledWords, stoppedWords } from "../words/session_words.js";
import { Fold } from "./fold.js";
import { Markdown } from "./markdown.js";

/** @param {{ store: import("../stores/session_store.js").SessionStore }} props */
export function Stopped({ store }) {
  store.version.value;
  const { session } = store;
  const { stages, agents } = stoppedIn(session);
  const found = session.finalAnalysis === "" ? foundSoFar(session) : [];
  const isCancelled = session.status === "cancelled";
  return html`
    <section class="stopped" data-tone=${isCancelled ? "plain" : "bad"} aria-labelledby="stopped">
      <h2 id="stopped">${isCancelled ? cancelledWords(session) : stoppedWords(session.status ?? "", stages, agents)}</h2>
      ${!isCancelled && session.error !== "" && html`<p class="failure text">${session.error}</p>`}
      ${found.length > 0 && html`<h3>${TEXT.verdict.knownSoFar}</h3>`}
      ${found.map(({ id, name, text }) => html`<${Fold} key=${id} title=${name} isOpen><${Markdown} text=${text} /><//>`)}
    </section>
  `;
}
