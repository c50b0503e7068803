// Small drawings that stand for a word; the word stands beside them, seen or not.

import { html } from "../ui.js";

/** Strokes in a square of 16. */
const SHAPES = {
  check: "M3.5 8.5l3 3 6-7",
  cross: "M4.5 4.5l7 7m0-7l-7 7",
  alert: "M8 3.5v5.5m0 3v.5",
  clock: "M8 4.5v4l2.5 1.5M14 8a6 6 0 1 1-12 0a6 6 0 0 1 12 0z",
  stop: "M5 8h6",
  ring: "M12 8a4 4 0 1 1-8 0a4 4 0 0 1 8 0z",
  spin: "M8 2.5a5.5 5.5 0 1 0 5.5 5.5",
};

/** @typedef {keyof typeof SHAPES} Shape */

/** @param {{ shape: Shape }} props */
export function Icon({ shape }) {
  return html`<svg class="icon" data-shape=${shape} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d=${SHAPES[shape]} /></svg>`;
}
