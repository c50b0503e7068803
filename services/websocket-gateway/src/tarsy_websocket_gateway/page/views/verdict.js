// What came of the investigation, before all else: in short and whole; or where it stopped, and what is known so far.

import { confidenceOf } from "../state/confidence.js";
import { foundSoFar, stoppedIn } from "../state/outcome.js";
import { shownMoment } from "../stores/connection.js";
import { html, useLayoutEffect, useRef } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { cancelledWords, stoppedWords } from "../words/session_words.js";
import { Sources } from "./sources.js";
import { sourcesCitedIn } from "../state/citations.js";
import { citedVerdictText } from "../words/verdict_text.js";
import { isLimited } from "../words/wording.js";
import { CopyButton } from "./copy.js";
import { Fold } from "./fold.js";
import { Markdown } from "./markdown.js";
import { Retry } from "./retry.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../state/session_state.js").Session} Session
 *  @typedef {import("../state/confidence.js").Confidence} Confidence */

const STOPPED = new Set(["failed", "timed_out", "cancelled"]);
const TONES = { high: "good", medium: "warning", low: "bad" };

/** @param {{ store: Store }} props */
export function Verdict({ store }) {
  store.version.value;
  const { session } = store;
  const place = useKeptHeight(shownMoment.value !== null);
  const isStopped = session.status !== null && STOPPED.has(session.status);
  const isNone =
    !isStopped && [session.finalAnalysis, session.executiveSummary, session.executiveSummaryError].every(isEmpty);
  if (isNone && shownMoment.value === null) return null;
  const confidence = confidenceOf(session.finalAnalysis);
  return html`
    <div class="verdict" data-limited=${session.evidenceLimits.length > 0 || undefined} ref=${place}>
      ${isNone && html`<p class="quiet">${TEXT.verdict.none}</p>`}
      ${isStopped && html`<${Stopped} store=${store} />`}
      <${Limits} limits=${session.evidenceLimits} />
      <${Unmatched} detail=${store.detail.value} />
      <${Summary} session=${session} />
      ${session.partialReason !== "" && html`<${Partial} why=${session.partialReason} />`}
      ${session.finalAnalysis !== "" && html`<${ConfidenceLine} confidence=${confidence} session=${session} />`}
      ${session.finalAnalysis !== "" && html`<${Analysis} store=${store} shown=${confidence?.rest ?? session.finalAnalysis} />`}
    </div>
  `;
}

/** What stands below does not move under the hand that drags the waterfall.
 *  @param {boolean} isPast */
function useKeptHeight(isPast) {
  /** @type {{ current: HTMLElement | null }} */
  const place = useRef(null);
  const height = useRef(0);
  const wasPast = useRef(false);
  if (isPast && !wasPast.current) height.current = place.current?.offsetHeight ?? 0;
  wasPast.current = isPast;
  useLayoutEffect(() => {
    if (place.current !== null) place.current.style.minHeight = isPast ? `${height.current}px` : "";
  });
  return place;
}

/** @param {string} text */
function isEmpty(text) {
  return text === "";
}

/** What stands below rests on less than the plan wanted.
 *  @param {{ limits: readonly string[] }} props */
function Limits({ limits }) {
  if (limits.length === 0) return null;
  return html`
    <section class="limits" aria-labelledby="limits">
      <h2 id="limits">${TEXT.verdict.limited}</h2>
      <ul>${limits.map((limit) => html`<li key=${limit} class="text">${limit}</li>`)}</ul>
    </section>
  `;
}

/** @param {{ detail: import("../stores/session_store.js").Detail | null }} props */
function Unmatched({ detail }) {
  if (detail === null || !detail.chain_unmatched) return null;
  return html`<p class="unmatched" role="note">${say(TEXT.verdict.unmatched, { chain: detail.chain_id })}</p>`;
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
          <h2 id="executive">${TEXT.verdict.summary}</h2>
          <${Markdown} text=${summary} />
        </section>
      `
      }
      ${error !== "" && html`<p class="quiet">${say(TEXT.verdict.noSummary, { why: error })}</p>`}
    </div>
  `;
}

/** @param {{ why: string }} props */
function Partial({ why }) {
  return html`
    <section class="partial" data-tone="warning" aria-labelledby="partial">
      <h2 id="partial">${TEXT.verdict.partial}</h2>
      <p class="text">${why}</p>
    </section>
  `;
}

/** How sure it is of what is only a part, or rests on less than it should, is never good news.
 *  @param {{ confidence: Confidence | null, session: Session }} props */
function ConfidenceLine({ confidence, session }) {
  if (confidence === null) return html`<p class="quiet">${TEXT.verdict.noConfidence}</p>`;
  const { level, why } = confidence;
  const tone = isLimited(session) && level === "high" ? "warning" : TONES[level];
  return html`
    <section class="confidence" data-tone=${tone} aria-labelledby="confidence">
      <h2 id="confidence">${TEXT.verdict.confidence[level]}</h2>
      ${session.evidenceLimits.length > 0 && html`<p class="limited">${TEXT.verdict.limitedConfidence}</p>`}
      ${why !== "" && html`<${Markdown} text=${why} />`}
    </section>
  `;
}

/** @param {{ store: Store, shown: string }} props  `shown`: what of it does not stand elsewhere */
function Analysis({ store, shown }) {
  const text = () => citedVerdictText(store.session, store.detail.value);
  return html`
    <section class="analysis" data-tone=${store.session.partialReason === "" ? "good" : "warning"} aria-labelledby="analysis">
      <div class="analysis-head"><h2 id="analysis">${TEXT.verdict.analysis}</h2><${CopyButton} text=${text} label=${TEXT.verdict.copy} /></div>
      <${Markdown} text=${shown} />
      <${CitedSources} store=${store} />
    </section>
  `;
}

/** @param {{ store: Store }} props */
function CitedSources({ store }) {
  store.story.count.value;
  const { session } = store;
  const sources = sourcesCitedIn(session, `${session.executiveSummary}\n${session.finalAnalysis}`);
  if (sources.length === 0) return null;
  return html`<h3>${TEXT.verdict.sources}</h3><${Sources} sources=${sources} />`;
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
      ${found.length > 0 && html`<h3>${TEXT.verdict.knownSoFar}</h3>`}
      ${found.map(({ id, name, text }) => html`<${Fold} key=${id} title=${name}><${Markdown} text=${text} /><//>`)}
      <${Retry} id=${store.id} />
    </section>
  `;
}
