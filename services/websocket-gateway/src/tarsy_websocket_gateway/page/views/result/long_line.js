// A very long line of a result, part by part, in place of the lines.

import { LineParts } from "../../stores/line_parts.js";
import { html, useEffect, useMemo } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { say } from "../../words/say.js";
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
        <h3 id="long-line">${say(TEXT.result.part, { number: place.number, byte: part?.byte ?? place.byte })}</h3>
        <button type="button" ref=${back} onClick=${leave}>${TEXT.result.backToLines}</button>
        <button type="button" disabled=${!parts.hasPrevious.value} onClick=${() => parts.previous()}>${TEXT.result.partBefore}</button>
        <button type="button" disabled=${!parts.hasNext.value} onClick=${() => parts.next()}>${TEXT.result.partAfter}</button>
      </div>
      <p class="quiet" role="status">${parts.notice.value}</p>
      <pre class="data" tabindex="0">${part?.text ?? ""}</pre>
    </section>
  `;
}
