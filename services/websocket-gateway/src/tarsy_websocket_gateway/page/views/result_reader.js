// The whole result of a call: page by page, the lines of a time, or those that match a search. Nothing is asked for until
// it is unfolded.

import { resultDownload } from "../net/api.js";
import { ResultStore } from "../stores/result_store.js";
import { html, useEffect, useMemo } from "../ui.js";
import { lineSummary, matchSummary } from "../words/result_words.js";
import { Fold } from "./fold.js";
import { ResultLines } from "./result_lines.js";

/** @param {{ sessionId: string, callId: string, title: string }} props */
export function ResultReader({ sessionId, callId, title }) {
  return html`<${Fold} title=${title}><${Reading} sessionId=${sessionId} callId=${callId} /><//>`;
}

/** @param {{ sessionId: string, callId: string }} props */
function Reading({ sessionId, callId }) {
  const store = useMemo(() => new ResultStore(sessionId, callId), [sessionId, callId]);
  useEffect(() => {
    store.read();
    return () => store.close();
  }, [store]);
  const found = store.found.value;
  return html`
    <div class="reader">
      <${Search} store=${store} />
      <p class="quiet" role="status">${store.notice.value || summaryOf(found)}</p>
      ${found !== null && found.lines.length > 0 && html`<${ResultLines} lines=${found.lines} />`}
      <div class="row">
        <button type="button" disabled=${!store.hasPrevious.value} onClick=${() => store.back()}>Previous</button>
        <button type="button" disabled=${!store.hasNext.value} onClick=${() => store.on()}>Next</button>
        <a href=${resultDownload(sessionId, callId)} download="">Download the whole result</a>
      </div>
      <p class="quiet">In a terminal: <code>tarsy result ${sessionId} ${callId.slice(0, 8)}</code></p>
    </div>
  `;
}

/** @param {import("../stores/result_store.js").Result | null} found */
function summaryOf(found) {
  if (found === null) return "";
  return found.matches === null ? lineSummary(found) : matchSummary(found.matches, found.total_lines);
}

/** @param {{ store: ResultStore }} props */
function Search({ store }) {
  /** @param {SubmitEvent} event */
  function search(event) {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = new FormData(event.currentTarget);
    const [words, from, until] = ["search", "from", "until"].map((name) => String(given.get(name) ?? ""));
    store.search({
      ...(words ? { search: words, ignore_case: String(given.has("ignore_case")) } : {}),
      ...(from ? { from: from.trim() } : {}),
      ...(until ? { until: until.trim() } : {}),
    });
  }

  return html`
    <form class="row" onSubmit=${search}>
      <input type="search" name="search" aria-label="Search in the result" placeholder="An expression of RE2: timeout|refused" />
      <label><input type="checkbox" name="ignore_case" /> any case</label>
      <label><${TimeField} name="from" /> from</label>
      <label><${TimeField} name="until" /> until</label>
      <button type="submit">Search</button>
    </form>
  `;
}

/** A text, and no date of the browser's: lines have other zones than the reader, and an alert's time can be pasted.
 *  @param {{ name: string }} props */
function TimeField({ name }) {
  return html`<input name=${name} size="20" autocomplete="off" placeholder="2026-11-22T10:05" />`;
}
