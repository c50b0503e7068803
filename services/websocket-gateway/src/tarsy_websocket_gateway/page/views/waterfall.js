// The waterfall of a session: what it spent its time on, agent by agent. It is also the slider of time travel.

import { isOver } from "../state/session_state.js";
import { barAt, barPaths, KINDS, ROW_HEIGHT, shapeOf } from "../state/bar_shapes.js";
import { momentsOf, timeAt } from "../state/event_times.js";
import { placeAt, timeAtPlace, timeScale, WIDTH } from "../state/time_scale.js";
import { timeTicks } from "../state/time_ticks.js";
import { waterfallRows } from "../state/waterfall.js";
import { knownNow } from "../stores/connection.js";
import { isWide } from "../stores/width.js";
import { html, useEffect, useMemo, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { barWords, kindWords, rowName, tickWords } from "../words/waterfall_words.js";
import { ContextUse } from "./context_use.js";
import { follow } from "./fold.js";
import { TimeSlider } from "./time_slider.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../state/waterfall.js").Kind} Kind
 *  @typedef {import("../state/waterfall.js").Row} Row
 *  @typedef {import("../state/time_ticks.js").Tick} Tick
 *  @typedef {import("../stores/trace_store.js").Trace} Trace */

const SLACK_PLACES = 4;
const EDGE = 0.05;

/** @param {{ store: Store }} props */
export function Waterfall({ store }) {
  const isOpen = useSignal(isWide.value);
  if (store.newest.value === 0) return null;
  return html`
    <section class="waterfall" aria-labelledby="waterfall">
      <details open=${isOpen.value} onToggle=${follow(isOpen)}>
        <summary><h2 id="waterfall">${TEXT.waterfall.title}</h2></summary>
        ${isOpen.value && html`<${Traced} store=${store} />`}
      </details>
    </section>
  `;
}

/** @param {{ store: Store }} props */
function Traced({ store }) {
  useEffect(() => store.record.watch(), [store]);
  const trace = store.record.trace.value;
  const problem = store.record.problem.value;
  return html`
    ${problem !== "" && html`<p class="quiet" role="status">${say(TEXT.waterfall.unread, { why: problem })}</p>`}
    ${trace === null && problem === "" && html`<p class="quiet">${TEXT.page.loading}</p>`}
    ${trace !== null && html`<${Chart} store=${store} trace=${trace} />`}
  `;
}

/** @param {{ store: Store, trace: Trace }} props */
function Chart({ store, trace }) {
  const { present, presentDetail: detail, travel } = store;
  const newest = store.newest.value;
  /** The row and the time under the pointer.
   *  @type {import("@preact/signals").Signal<{ row: number, time: number } | null>} */
  const pointed = useSignal(null);
  const began = Date.parse(detail?.created_at ?? "");
  const rows = useMemo(() => waterfallRows(trace, present, detail), [trace, present, detail]);
  const moments = useMemo(() => momentsOf(present, began), [present, newest, began]);
  const last = moments.at(-1)?.time ?? 0;
  const hasOpen = rows.some(({ bars }) => bars.some(({ until }) => until === null));
  // Only what runs goes on.
  const now = hasOpen && !isOver(present) ? Math.max(last, knownNow.value) : last;
  const drawn = useMemo(() => draw(rows, moments, now), [rows, moments, now]);
  const { number, time } = momentShown(travel, moments);
  const place = number === null ? null : placeAt(drawn.scale, time);
  return html`
    <div class="rows">
      <${TimeAxis} ticks=${drawn.ticks} />
      <ol class="row-names">${rows.map((row) => html`<li key=${row.id} title=${rowName(row)} data-depth=${row.depth || undefined}>${rowName(row)}</li>`)}</ol>
      <${TimeSlider}
        travel=${travel} newest=${newest} time=${time} moments=${moments} timeAtPart=${(/** @type {number} */ part) => timeAtPlace(drawn.scale, part * WIDTH)}
        point=${(/** @type {{ part: number, down: number } | null} */ at) => {
          pointed.value = at === null ? null : pointedAt(at, rows, drawn.scale);
        }}
      >
        <${Bars} paths=${drawn.paths} ticks=${drawn.ticks} height=${rows.length * ROW_HEIGHT} place=${place} />
      <//>
    </div>
    <p class="pointed quiet">${pointedWords(rows, pointed.value, drawn.scale, now)}</p>
    <${Legend} rows=${rows} />
    <${ContextUse} trace=${trace} />
  `;
}

/** @param {Row[]} rows
 *  @param {import("../state/event_times.js").Moment[]} moments
 *  @param {number} now */
function draw(rows, moments, now) {
  const spans = rows.flatMap(({ bars }) => bars.map(({ from, until }) => ({ from, until: until ?? now })));
  const scale = timeScale([...spans, ...moments.map(({ time }) => ({ from: time, until: time }))]);
  return { scale, ticks: timeTicks(scale), paths: barPaths(rows, scale, now) };
}

/** The slider says its moment in words.
 *  @param {{ ticks: Tick[] }} props */
function TimeAxis({ ticks }) {
  return html`
    <svg class="time-axis" width="100%" height="16" aria-hidden="true">
      ${ticks.map(
        ({ place, elapsed }) => html`
          <text key=${place} x=${`${(100 * place) / WIDTH}%`} y="12" text-anchor=${anchorAt(place)}>${tickWords(elapsed)}</text>
        `,
      )}
    </svg>
  `;
}

/** No label goes beyond the axis.
 *  @param {number} place */
function anchorAt(place) {
  if (place < WIDTH * EDGE) return "start";
  return place > WIDTH * (1 - EDGE) ? "end" : "middle";
}

/** Bars are one element a kind.
 *  @param {{ paths: Map<string, string>, ticks: Tick[], height: number, place: number | null }} props */
function Bars({ paths, ticks, height, place }) {
  return html`
    <svg viewBox=${`0 0 ${WIDTH} ${height}`} height=${height} preserveAspectRatio="none" aria-hidden="true">
      ${ticks.map(({ place: at }) => html`<line key=${at} class="tick" x1=${at} x2=${at} y1="0" y2=${height} vector-effect="non-scaling-stroke" />`)}
      ${[...paths].map(([kind, path]) => html`<path key=${kind} data-kind=${kind} d=${path} />`)}
      ${
        place !== null &&
        html`
        <rect class="later" x=${place} y="0" width=${WIDTH - place} height=${height} />
        <line class="marker" x1=${place} x2=${place} y1="0" y2=${height} vector-effect="non-scaling-stroke" />
      `
      }
    </svg>
  `;
}

/** @param {{ rows: Row[] }} props */
function Legend({ rows }) {
  const present = new Set(rows.flatMap(({ bars }) => bars.map(({ kind }) => kind)));
  const hasFailed = rows.some(({ bars }) => bars.some((bar) => bar.hasFailed));
  const kinds = KINDS.filter((kind) => present.has(kind));
  return html`
    <ul class="legend quiet">
      ${kinds.map((kind) => html`<${Key} key=${kind} kind=${kind} width=${24} />`)}
      ${hasFailed && html`<${Key} kind="failure" width=${3} />`}
    </ul>
  `;
}

/** @param {{ kind: Kind | "failure", width: number }} props */
function Key({ kind, width }) {
  return html`
    <li>
      <svg viewBox=${`0 0 24 ${ROW_HEIGHT}`} width="16" height="16" aria-hidden="true"><path data-kind=${kind} d=${shapeOf(kind, 0, width, 0)} /></svg>
      ${kindWords(kind)}
    </li>
  `;
}

/** @param {import("../stores/travel_store.js").TravelStore} travel
 *  @param {import("../state/event_times.js").Moment[]} moments */
function momentShown({ wanted, shown }, moments) {
  const number = wanted.value;
  if (number === null) return { number, time: moments.at(-1)?.time ?? 0 };
  const isThere = shown.value?.number === number;
  return { number, time: isThere ? Date.parse(shown.value?.time ?? "") : timeAt(moments, number) };
}

/** @param {{ part: number, down: number }} at
 *  @param {Row[]} rows
 *  @param {import("../state/time_scale.js").Scale} scale */
function pointedAt({ part, down }, rows, scale) {
  return { row: Math.floor(down * rows.length), time: timeAtPlace(scale, part * WIDTH) };
}

/** @param {Row[]} rows
 *  @param {{ row: number, time: number } | null} pointed
 *  @param {import("../state/time_scale.js").Scale} scale
 *  @param {number} now */
function pointedWords(rows, pointed, scale, now) {
  const row = pointed === null ? undefined : rows[pointed.row];
  if (pointed === null || row === undefined) return "";
  const near = timeAtPlace(scale, placeAt(scale, pointed.time) + SLACK_PLACES) - pointed.time;
  const bar = barAt(row, pointed.time, Math.max(0, near), now);
  return bar === null ? rowName(row) : barWords(row, bar, now);
}
