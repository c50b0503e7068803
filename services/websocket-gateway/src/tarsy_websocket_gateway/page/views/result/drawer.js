// The whole result of a call: beside the story where there is room, over it on a phone. Escape leaves it.

import { resultDownload } from "../../net/api.js";
import { callOf, summaryOf } from "../../state/result_call.js";
import { OVERSCAN } from "../../state/result_window.js";
import { QuotedLines } from "../../stores/quoted_lines.js";
import { chosenCall, chosenLine, leaveResult } from "../../stores/result_choice.js";
import { ResultSearch } from "../../stores/result_search.js";
import { ResultStore } from "../../stores/result_store.js";
import { isWide } from "../../stores/width.js";
import { html, signal, useEffect, useLayoutEffect, useMemo, useRef, useSignal } from "../../ui.js";
import { resultCommand } from "../../words/commands.js";
import { TEXT } from "../../words/language.js";
import { extentWords } from "../../words/result_words.js";
import { sayParts } from "../../words/say.js";
import { LongLine } from "./long_line.js";
import { ResultLines } from "./lines.js";
import { Quotations } from "./quotations.js";
import { SearchForm } from "./search.js";
import { useWrap } from "./wrap.js";

/** @typedef {import("../../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../../stores/result_search.js").Place} Place */

/** @param {{ store: Store, callId: string }} props */
export function ResultDrawer({ store, callId }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const reading = useMemo(() => beginReading(store.id, callId), [store, callId]);
  const wrap = useWrap();
  useShown(dialog);
  useEffect(() => reading.lines.open(), [reading]);
  store.story.settled.value;

  /** By now the address may name another one, or nothing of this session. */
  function leave() {
    if (chosenCall.peek() === callId) leaveResult();
  }

  const call = callOf(store.session, callId);
  return html`
    <dialog class="drawer" ref=${dialog} aria-labelledby="result-title" onClose=${leave}>
      <header class="row">
        <h2 id="result-title"><${Title} call=${call} /></h2>
        <label><input type="checkbox" checked=${wrap.isOn} onChange=${wrap.toggle} /> ${TEXT.result.wrap}</label>
        <a href=${resultDownload(store.id, callId)} download="">${TEXT.result.download}</a>
        <button type="button" onClick=${leave}>${TEXT.result.close}</button>
      </header>
      <${SearchForm} search=${reading.search} show=${reading.show} />
      <${Quoted} reading=${reading} summary=${summaryOf(store.session, callId)} />
      <${Text} reading=${reading} sessionId=${store.id} callId=${callId} isWrapped=${wrap.isOn} />
    </dialog>
  `;
}

/** @param {{ call: import("../../state/item_types.js").Item | null }} props */
function Title({ call }) {
  if (call === null) return TEXT.result.title;
  const tool = html`<code>${call.metadata.server_name}.${call.metadata.tool_name}</code>`;
  return sayParts(TEXT.result.titleOf, { tool });
}

/** What is known of one result while its drawer is open. `place`: what is to be shown.
 *  @typedef {ReturnType<typeof beginReading>} Reading */

/** @param {string} sessionId
 *  @param {string} callId */
function beginReading(sessionId, callId) {
  const line = chosenLine.peek();
  /** @type {import("@preact/signals").Signal<Place | null>} */
  const place = signal(line === null ? null : { number: line, byte: 0 });
  const show = (/** @type {Place} */ wanted) => {
    place.value = { ...wanted };
  };
  return {
    place,
    show,
    lines: new ResultStore(sessionId, callId, Math.max(0, (line ?? 0) - OVERSCAN)),
    search: new ResultSearch(sessionId, callId, show),
    quoted: new QuotedLines(sessionId, callId),
  };
}

/** The browser gives the focus back to where it was. Only where there is no room beside it the story is out of reach.
 *  @param {import("preact").RefObject<HTMLDialogElement | null>} dialog */
function useShown(dialog) {
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (isWide.peek()) shown?.show();
    else shown?.showModal();
    const leave = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape" && !event.defaultPrevented) shown?.close();
    };
    addEventListener("keydown", leave);
    return () => {
      removeEventListener("keydown", leave);
      shown?.close();
    };
  }, []);
}

/** @param {{ reading: Reading, summary: string }} props */
function Quoted({ reading, summary }) {
  const total = reading.lines.extent.value?.total ?? 0;
  useEffect(
    () => (summary === "" || total === 0 ? undefined : reading.quoted.follow(summary, total)),
    [summary, total],
  );
  return summary === "" ? null : html`<${Quotations} quoted=${reading.quoted} show=${reading.show} />`;
}

/** @param {{ reading: Reading, sessionId: string, callId: string, isWrapped: boolean }} props */
function Text({ reading, sessionId, callId, isWrapped }) {
  /** @type {import("@preact/signals").Signal<Place | null>} */
  const long = useSignal(null);
  const { lines } = reading;
  const extent = lines.extent.value;
  const leave = () => {
    long.value = null;
  };
  const place = reading.place.value;
  useEffect(() => {
    // What was found lies behind the part of its line that is shown.
    long.value = place !== null && place.byte > 0 ? place : null;
  }, [place]);
  return html`
    ${extent !== null && extent.total > 0 && html`<${ResultLines} reading=${reading} callId=${callId} extent=${extent} isWrapped=${isWrapped} long=${long} />`}
    ${long.value !== null && html`<${LongLine} key=${`${long.value.number}+${long.value.byte}`} sessionId=${sessionId} callId=${callId} place=${long.value} leave=${leave} />`}
    <footer>
      ${lines.problem.value !== "" && html`<p class="failure" role="alert">${lines.problem.value} <button type="button" onClick=${() => lines.readAgain()}>${TEXT.result.again}</button></p>`}
      <p class="quiet">${extent === null ? TEXT.result.reading : extent.total === 0 ? TEXT.result.empty : extentWords(extent)}</p>
      <p class="quiet">${sayParts(TEXT.result.inTerminal, { command: html`<code>${resultCommand(sessionId, callId)}</code>` })}</p>
    </footer>
  `;
}
