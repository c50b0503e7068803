// Which moment of the past is shown, or why it is not, and the way back to now.

import { addKeys } from "../keys.js";
import { html, useEffect } from "../ui.js";
import { TEXT } from "../words/language.js";
import { asOfEvent } from "../words/travel_words.js";

/** @param {{ travel: import("../stores/travel_store.js").TravelStore }} props */
export function TravelBar({ travel }) {
  const { wanted, shown, problem } = travel;
  useEffect(() => {
    const forget = addKeys([
      { key: "[", name: TEXT.keys.eventBefore, act: () => travel.goBy(-1) },
      { key: "]", name: TEXT.keys.eventAfter, act: () => travel.goBy(1) },
    ]);
    return () => {
      forget();
      travel.close();
    };
  }, [travel]);
  const isAway = wanted.value !== null;
  const text = shown.value === null ? "" : asOfEvent(shown.value);
  const isWaiting = isAway && shown.value === null && problem.value === "";
  return html`
    <div class="travel-bar" data-away=${isAway ? "" : undefined}>
      <p role="status">
        ${text !== "" && html`<strong>${text}</strong>${" "}`}
        ${isWaiting && TEXT.travel.loading}
        ${problem.value}
      </p>
      ${isAway && problem.value !== "" && html`<button type="button" onClick=${() => travel.tryAgain()}>${TEXT.travel.again}</button>`}
      ${isAway && html`<button type="button" onClick=${() => travel.backToNow()}>${TEXT.travel.back}</button>`}
    </div>
  `;
}
