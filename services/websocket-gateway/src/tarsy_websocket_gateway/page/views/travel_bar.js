// Which moment of the past is shown, or why it is not, and the way back to now.

import { addKeys } from "../keys.js";
import { html, useEffect } from "../ui.js";
import { asOfEvent, LOADING } from "../words/travel_words.js";

/** @param {{ travel: import("../stores/travel_store.js").TravelStore }} props */
export function TravelBar({ travel }) {
  const { wanted, shown, problem } = travel;
  useEffect(() => {
    const forget = addKeys([
      { key: "[", name: "The session one event before", act: () => travel.goBy(-1) },
      { key: "]", name: "The session one event later", act: () => travel.goBy(1) },
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
        ${isWaiting && LOADING}
        ${problem.value}
      </p>
      ${isAway && problem.value !== "" && html`<button type="button" onClick=${() => travel.tryAgain()}>Try again</button>`}
      ${isAway && html`<button type="button" onClick=${() => travel.backToNow()}>Back to now</button>`}
    </div>
  `;
}
