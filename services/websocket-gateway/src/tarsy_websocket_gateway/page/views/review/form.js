// The review of a session: how it stands, and what somebody may do about it.

import { reviewSession } from "../../net/review_api.js";
import { isActionOff } from "../../stores/connection.js";
import { mayNot } from "../../stores/rights.js";
import { html, useRef, useSignal } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { isRating, RATINGS, reviewWords } from "../../words/review_words.js";
import { Answer, useKeyedRequest } from "../keyed_request.js";

const LONGEST_TEXT = 10_000;

/** @typedef {import("../../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../../stores/session_store.js").Detail} Detail
 *  @typedef {import("../../net/review_api.js").ReviewAction} ReviewAction */

/** @param {{ store: Store, detail: Detail }} props */
export function Review({ store, detail }) {
  if (!detail.review_status) return null;
  return html`
    <section class="review" aria-labelledby="review">
      <h2 id="review">${TEXT.review.title}</h2>
      <p>${reviewWords(detail)}</p>
      ${detail.review_cause && html`<p class="text">${TEXT.review.cause}: ${detail.review_cause}</p>`}
      ${detail.investigation_feedback && html`<p class="text">${detail.investigation_feedback}</p>`}
      ${!mayNot("responder") && html`<${ReviewForm} key=${detail.review_status} store=${store} detail=${detail} />`}
    </section>
  `;
}

/** What was seen is sent along: whoever was slower is told. @param {{ store: Store, detail: Detail }} props */
function ReviewForm({ store, detail }) {
  const status = detail.review_status ?? "";
  const answer = useSignal("");
  const rating = useSignal(detail.quality_rating ?? "");
  const wanted = useRef(/** @type {ReviewAction} */ ("claim"));
  /** @type {{ current: HTMLTextAreaElement | null }} */
  const cause = useRef(null);
  /** @type {{ current: HTMLTextAreaElement | null }} */
  const note = useRef(null);
  const request = useKeyedRequest(answer, TEXT.review.notDone, async (key) => {
    const action = wanted.current;
    const said = isRating(action)
      ? { rating: rating.value, cause: cause.current?.value, note: note.current?.value }
      : {};
    const { message } = await reviewSession(store.id, { action, expected_status: status, ...said }, key);
    store.read(store.highest + 1);
    return message;
  });
  const isOff = request.isAsking || isActionOff.value;
  /** @param {ReviewAction} action @param {string} name @param {boolean} [isPrimary] */
  const button = (action, name, isPrimary = false) => html`
    <button
      type="button" class=${isPrimary ? "primary" : ""} disabled=${isOff || (isRating(action) && rating.value === "")}
      onClick=${() => {
        wanted.current = action;
        request.send();
      }}
    >${name}</button>
  `;
  const isReviewed = status === "reviewed";
  return html`
    <div class="reviewing">
      ${status === "needs_review" && button("claim", TEXT.review.claim)}
      ${status === "in_progress" && html`${button("reassign", TEXT.review.takeOver)}${button("unclaim", TEXT.review.unclaim)}`}
      <fieldset>
        <legend>${TEXT.review.rating}</legend>
        ${RATINGS.map(
          (one) => html`
          <label key=${one}><input type="radio" name="rating" value=${one} checked=${rating.value === one} onChange=${() => {
            rating.value = one;
          }} />${TEXT.review.ratings[one]}</label>
        `,
        )}
      </fieldset>
      <textarea ref=${cause} rows="2" maxlength=${LONGEST_TEXT} aria-label=${TEXT.review.cause} placeholder=${TEXT.review.cause} defaultValue=${detail.review_cause ?? ""}></textarea>
      <textarea ref=${note} rows="2" maxlength=${LONGEST_TEXT} aria-label=${TEXT.review.note} placeholder=${TEXT.review.note} defaultValue=${detail.investigation_feedback ?? ""}></textarea>
      <div class="acts">
        ${isReviewed && detail.quality_rating ? button("feedback", TEXT.review.amend) : button("complete", TEXT.review.complete, true)}
        ${isReviewed ? button("reopen", TEXT.review.reopen) : button("acknowledge", TEXT.review.acknowledge)}
      </div>
      <${Answer} answer=${answer} />
    </div>
  `;
}
