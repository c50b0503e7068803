// The score of a session: what its judge said, what the record knows, and the wish for another judgement.

import { judgeSession, readScores } from "../../net/review_api.js";
import { isActionOff } from "../../stores/connection.js";
import { mayNot } from "../../stores/rights.js";
import { html, useEffect, useSignal } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { messageOf } from "../../words/problems.js";
import { deductionWords, scoreWords, tagWords } from "../../words/review_words.js";
import { Answer, useKeyedRequest } from "../keyed_request.js";

/** @typedef {import("../../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../../stores/session_store.js").Detail} Detail
 *  @typedef {import("tarsy-api").components["schemas"]["SessionScores"]} Scores */

const NOT_SCORED = "not_scored";

/** @param {{ store: Store, detail: Detail }} props */
export function Score({ store, detail }) {
  const scores = useSignal(/** @type {Scores | null} */ (null));
  const problem = useSignal("");
  const status = detail.scoring_status ?? NOT_SCORED;
  useEffect(() => {
    if (status === NOT_SCORED) return;
    readScores(store.id).then(
      (found) => {
        scores.value = found;
        problem.value = "";
      },
      (why) => {
        problem.value = messageOf(why);
      },
    );
  }, [store, status, detail.last_number]);
  if (status === NOT_SCORED && detail.status !== "completed") return null;
  return html`
    <section class="score" aria-labelledby="score">
      <h2 id="score">${TEXT.score.title}</h2>
      <p>${scoreWords(detail)}</p>
      ${problem.value !== "" && html`<p class="failure" role="status">${problem.value}</p>`}
      ${scores.value !== null && html`<${Judgement} scores=${scores.value} />`}
      ${!mayNot("responder") && html`<${JudgeAgain} store=${store} isFirst=${status === NOT_SCORED} />`}
    </section>
  `;
}

/** @param {{ scores: Scores }} props */
function Judgement({ scores }) {
  const { result, error_message: error, history } = scores;
  return html`
    ${error !== null && html`<p class="failure">${error}</p>`}
    ${result !== null && html`<${Said} result=${result} />`}
    ${
      history.length > 1 &&
      html`
      <details>
        <summary>${TEXT.score.history}</summary>
        <ul>${history.map((one) => html`<li key=${one.score_id}>${one.total_score ?? one.status} · ${one.score_triggered_by} · ${one.started_at}</li>`)}</ul>
      </details>`
    }
  `;
}

/** @param {{ result: NonNullable<Scores["result"]> }} props */
function Said({ result }) {
  return html`
    <p class="text">${result.summary}</p>
    <p>${result.tags.map((tag) => html`<span class="mark" key=${tag}>${tagWords(tag)}</span>${" "}`)}</p>
    <ul>${result.deductions.map((one, index) => html`<li key=${index}>${deductionWords(one)}</li>`)}</ul>
    <${Tools} title=${TEXT.score.missing} names=${result.tools.missing.map(({ tool, why }) => `${tool}: ${why}`)} />
    <${Tools} title=${TEXT.score.misleading} names=${result.tools.misleading.map(({ tool, why }) => `${tool}: ${why}`)} />
    <${Tools} title=${TEXT.score.neverUsed} names=${result.tools.never_used} />
  `;
}

/** @param {{ title: string, names: readonly string[] }} props */
function Tools({ title, names }) {
  if (names.length === 0) return null;
  return html`<details><summary>${title}</summary><ul>${names.map((name) => html`<li key=${name}>${name}</li>`)}</ul></details>`;
}

/** @param {{ store: Store, isFirst: boolean }} props */
function JudgeAgain({ store, isFirst }) {
  const answer = useSignal("");
  const request = useKeyedRequest(answer, TEXT.score.notJudged, async (key) => {
    await judgeSession(store.id, key);
    store.read(store.highest + 1);
    return TEXT.score.soon;
  });
  return html`
    <div class="acts">
      <button type="button" disabled=${request.isAsking || isActionOff.value} onClick=${request.send}>${isFirst ? TEXT.score.judge : TEXT.score.again}</button>
      <${Answer} answer=${answer} />
    </div>
  `;
}
