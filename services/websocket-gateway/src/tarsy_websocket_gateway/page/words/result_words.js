// How a part of a result is described.

import { currentHit, rankOf } from "../state/result_hits.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { size } from "./wording.js";

/** Lines are counted from 0, as agents and summaries count them.
 *  @param {{ total: number, size: number }} extent */
export function extentWords({ total, size: bytes }) {
  return say(TEXT.result.extent, { lines: say(TEXT.counts.lines, { count: total }), size: size(bytes) });
}

/** @param {import("../state/result_hits.js").Hits} hits */
export function hitWords(hits) {
  const found = foundWords(hits);
  return hits.isComplete ? found : say(TEXT.resultSearch.stopped, { found });
}

/** @param {import("../state/result_hits.js").Hits} hits */
function foundWords(hits) {
  const hit = currentHit(hits);
  if (hit === null) return TEXT.resultSearch.noHit;
  const place = { number: hit.number, rank: rankOf(hits), count: hits.count };
  return hits.isComplete ? say(TEXT.resultSearch.hit, place) : say(TEXT.resultSearch.hitOfSome, place);
}

/** @param {number} line */
export function lineOfThen(line) {
  return say(TEXT.resultSearch.lineOfThen, { number: line });
}

/** @param {number} count
 *  @param {boolean} isReading */
export function quotedTitle(count, isReading) {
  return isReading ? TEXT.result.quotationsRead : say(TEXT.result.quotations, { count });
}

/** @param {import("../state/quoted_pieces.js").Quotation} quotation */
export function quotationWords({ text, lines, count }) {
  if (text === "") return TEXT.result.namedByNumber;
  if (count <= lines.length) return text;
  return say(TEXT.result.quotation, { text, lines: say(TEXT.counts.lines, { count }) });
}
