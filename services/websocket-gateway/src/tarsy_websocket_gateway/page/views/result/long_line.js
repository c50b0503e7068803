// A very long line of a result, part by part, in place of the lines.

import { LineParts } from "../../stores/line_parts.js";
import { html, useEffect, useMemo } from "../../ui.js";
import { partTitle } from "../../words/result_words.js";
import { useFocused } from "../focused.js";

/** @param {{ sessionId: string, callId: string, place: import("../../stores/result_search.js").Place, leave: () => void }} props */
export function LongLine({ sessionId, callId, place, leave }) {
  const parts = useMemo(() => new LineParts(sessionId, callId, place), []);
  const back = useFocused();
  useEffect(() => {
    parts.read();
  }, []);
  const part = parts.part.value;
  return html`
    <section class="long-line" aria-labelledby="long-line">
      <div class="row">
        <h3 id="long-line">${partTitle(place.number, part?.byte ?? place.byte)}</h3>
        <button type="button" ref=${back} onClick=${leave}>Back to the lines</button>
        <button type="button" disabled=${!parts.hasPrevious.value} onClick=${() => parts.previous()}>Previous part</button>
        <button type="button" disabled=${!parts.hasNext.value} onClick=${() => parts.next()}>Next part</button>
      </div>
      <p class="quiet" role="status">${parts.notice.value}</p>
      <pre class="data" tabindex="0">${part?.text ?? ""}</pre>
    </section>
  `;
}
