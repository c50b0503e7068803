// How sure an analysis is, by the line that its task asks for: "Confidence: high - each kill is in the log [call 3]".

/** @typedef {"high" | "medium" | "low"} Level
 *  @typedef {{ level: Level, why: string, rest: string }} Confidence  `rest`: the analysis without the line */

// No two parts that repeat can take the same character: a long line of blanks would take the square of its length.
const LINE = /^[ \t>*_+-]*(?:\d{1,3}[.)][ \t*_]*)?confidence[*_]*[ \t]*:[ \t*_]*(high|medium|low)\b(.*)$/i;
const FENCE = /^[ \t]*(?:```|~~~)/;
const BEFORE_REASON = /^[\s*_.,;:\u2013\u2014-]+/;
const AFTER_REASON = /[\s*_]/;

/** @param {string} analysis
 *  @returns {Confidence | null}  null where it does not say so */
export function confidenceOf(analysis) {
  const lines = analysis.split("\n");
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    if (FENCE.test(line)) isCode = !isCode;
    const [, level, reason] = isCode ? [] : (LINE.exec(line) ?? []);
    if (level === undefined || reason === undefined) continue;
    const rest = lines.toSpliced(index, 1).join("\n").trimEnd();
    return { level: /** @type {Level} */ (level.toLowerCase()), why: bare(reason), rest };
  }
  return null;
}

/** @param {string} reason */
function bare(reason) {
  let end = reason.length;
  while (end > 0 && AFTER_REASON.test(reason.charAt(end - 1))) end -= 1;
  return reason.slice(0, end).replace(BEFORE_REASON, "");
}
