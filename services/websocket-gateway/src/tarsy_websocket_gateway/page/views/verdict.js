// What came of the investigation, before all else: one card with the outcome, how sure it is, what to do now and what was
// changed; or where it stopped, and what is known so far. The whole analysis stands below.

import { confidenceOf } from "../state/confidence.js";
import { sourcesCitedIn } from "../state/citations.js";
import { changedBy } from "../state/outcome.js";
import { verdictTone } from "../state/verdict_tone.js";
import { shownMoment } from "../stores/connection.js";
import { html, useLayoutEffect, useRef } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { Changed } from "./changed.js";
import { ConfidenceLine } from "./confidence.js";
import { DoNow } from "./do_now.js";
import { Markdown } from "./markdown.js";
import { Sources } from "./sources.js";
import { Stopped } from "./stopped.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../state/session_state.js").Session} Session */

const STOPPED = new Set(["failed", "timed_out", "cancelled"]);

/** @param {{ store: Store }} props */
export function Verdict({ store }) {
  store.version.value;
  const { session } = store;
  const place = useKeptHeight(shownMoment.value !== null);
  const isStopped = session.status !== null && STOPPED.has(session.status);
  const isNone =
    !isStopped && [session.finalAnalysis, session.executiveSummary, session.executiveSummaryError].every(isEmpty);
  store.story.settled.value;
  const hasChanged = changedBy(session).length > 0;
  if (isNone && !hasChanged && shownMoment.value === null) return null;
  const confidence = confidenceOf(session.finalAnalysis);
  const tone = verdictTone(session, confidence);
  const shown = confidence?.rest ?? session.finalAnalysis;
  return html`
    <div class="verdict" data-limited=${session.evidenceLimits.length > 0 || undefined} ref=${place}>
      ${isNone && shownMoment.value !== null && html`<p class="quiet">${TEXT.verdict.none}</p>`}
      ${
        (!isNone || hasChanged) &&
        html`
        <div class="verdict-card card" data-tone=${tone}>
          ${isStopped && html`<${Stopped} store=${store} />`}
          <${Summary} session=${session} />
          ${session.finalAnalysis !== "" && html`<${ConfidenceLine} confidence=${confidence} tone=${tone} isLimited=${session.evidenceLimits.length > 0} />`}
          <${Limits} limits=${session.evidenceLimits} />
          <${Unmatched} detail=${store.detail.value} />
          ${session.partialReason !== "" && html`<${Partial} why=${session.partialReason} />`}
          <${DoNow} analysis=${shown} />
          <${Changed} store=${store} />
        </div>
      `
      }
      ${session.finalAnalysis !== "" && html`<${Analysis} store=${store} shown=${shown} tone=${tone} />`}
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

/** @param {{ store: Store, shown: string, tone: string }} props  `shown`: what of it does not stand elsewhere */
function Analysis({ store, shown, tone }) {
  return html`
    <section class="analysis card" data-tone=${tone} aria-labelledby="analysis">
      <h2 id="analysis">${TEXT.verdict.analysis}</h2>
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
