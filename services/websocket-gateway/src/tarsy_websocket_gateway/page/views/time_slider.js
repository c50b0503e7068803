// A slider over the waterfall: dragged by time, and moved by keys from event to event.

import { numberAt } from "../state/event_times.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { sliderWords } from "../words/travel_words.js";

/** @typedef {{ part: number, down: number }} Place  parts of the width and of the height */

const PAGE = 10;
/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -PAGE, PageUp: PAGE };

/** `timeAtPart`: the time at a part of the width. `point` gets what is under the pointer.
 *  @param {{ travel: import("../stores/travel_store.js").TravelStore, newest: number, time: number,
 *    moments: import("../state/event_times.js").Moment[], timeAtPart: (part: number) => number,
 *    point: (at: Place | null) => void, children?: import("preact").ComponentChildren }} props */
export function TimeSlider({ travel, newest, time, moments, timeAtPart, point, children }) {
  const number = travel.wanted.value;

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = STEPS[event.key];
    if (step !== undefined) travel.goBy(step);
    else if (event.key === "Home") travel.goTo(1);
    else if (event.key === "End") travel.goTo(newest);
    else return;
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  function grip(event) {
    if (event.button !== 0 || !(event.currentTarget instanceof Element)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag(event);
  }

  /** @param {PointerEvent} event */
  function move(event) {
    point(placeOf(event));
    if (event.currentTarget instanceof Element && event.currentTarget.hasPointerCapture(event.pointerId)) drag(event);
  }

  /** @param {PointerEvent} event */
  function drag(event) {
    travel.goTo(numberAt(moments, timeAtPart(placeOf(event).part)));
  }

  return html`
    <div
      class="time-slider" role="slider" tabindex="0" aria-label=${TEXT.travel.slider} aria-orientation="horizontal"
      aria-valuemin="1" aria-valuemax=${newest} aria-valuenow=${number ?? newest}
      aria-valuetext=${sliderWords(number, newest, time)} onKeyDown=${press} onPointerDown=${grip} onPointerMove=${move}
      onPointerLeave=${() => point(null)}
    >${children}</div>
  `;
}

/** @param {PointerEvent} event
 *  @returns {Place} */
function placeOf(event) {
  if (!(event.currentTarget instanceof Element)) return { part: 0, down: 0 };
  const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
  return { part: (event.clientX - left) / width, down: (event.clientY - top) / height };
}
