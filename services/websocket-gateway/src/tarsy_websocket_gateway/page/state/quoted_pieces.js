// Which lines of a result its summary quotes. The result is not here: the summary's pieces are searched for where it is.

/** What may be a quotation: it is searched for as `search`, an expression of RE2.
 *  @typedef {{ text: string, search: string }} Piece
 *  @typedef {{ text: string, lines: readonly number[], count: number }} Quotation */

export const MOST_PIECES = 16;
/** A shorter one stands in too many lines. */
const FEWEST_CHARACTERS = 8;
/** The API takes expressions of 500 characters. */
const MOST_CHARACTERS = 160;
const MOST_SEARCH = 500;
/** What stands in more lines is a word of the text, and no quotation of a line. */
const MOST_LINES = 20;
const MOST_NUMBERS = 32;

const FENCE = /^\s*(```|~~~)/;
const QUOTE_MARK = /^\s*>\s?/;
const SPANS = [/`([^`\n]+)`/g, /"([^"\n]+)"/g, /“([^”\n]+)”/g, /«([^»\n]+)»/g];
const LINE_NUMBERS = /\blines?\s+(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\s*(?:-|–|to)\s*(\d{1,3}(?:,\d{3})+|\d{1,9}))?/gi;
const LEFT_OUT = /\s*(?:…|\.{3}|\[\.\.\.\])\s*/;

/** Pieces of lines that a summary quotes: lines of code blocks and quotations, and what stands in marks of quotation.
 *  @param {string} summary
 *  @returns {Piece[]} */
export function piecesOf(summary) {
  /** @type {Map<string, Piece>} */
  const found = new Map();
  for (const text of candidatesOf(summary)) {
    const piece = pieceOf(text);
    if (piece !== null && !found.has(piece.search)) found.set(piece.search, piece);
    if (found.size === MOST_PIECES) break;
  }
  return [...found.values()];
}

/** Lines that a summary names by their numbers; summarizers count from 0, as the result does.
 *  @param {string} summary
 *  @param {number} total  lines of the result
 *  @returns {number[]} */
export function namedLines(summary, total) {
  const numbers = [...ownWordsOf(summary).matchAll(LINE_NUMBERS)]
    .flatMap(([, first, last]) => (last === undefined ? [first] : [first, last]))
    .map((number) => Number(String(number).replaceAll(",", "")))
    .filter((number) => number < total);
  return [...new Set(numbers)].slice(0, MOST_NUMBERS).sort((one, other) => one - other);
}

/** Null when what was found says that the piece is no quotation.
 *  @param {Piece} piece
 *  @param {import("tarsy-api").components["schemas"]["ToolCallResult"]} answer  to the search for it
 *  @returns {Quotation | null} */
export function quotationOf(piece, answer) {
  const lines = [...new Set(answer.lines.filter(({ matches }) => matches).map(({ number }) => number))];
  const count = answer.matches?.count ?? lines.length;
  if (lines.length === 0 || count > MOST_LINES) return null;
  return { text: piece.text, lines, count };
}

/** @param {string} summary */
function* candidatesOf(summary) {
  for (const { line, isCode } of linesOf(summary)) {
    if (isCode) yield line;
    else if (QUOTE_MARK.test(line)) yield line.replace(QUOTE_MARK, "");
    if (!isCode) for (const span of SPANS) for (const [, text] of line.matchAll(span)) yield text ?? "";
  }
}

/** What is no quotation: a line that is quoted may speak of lines, too.
 *  @param {string} summary */
function ownWordsOf(summary) {
  return [...linesOf(summary)]
    .filter(({ line, isCode }) => !isCode && !QUOTE_MARK.test(line))
    .map(({ line }) => SPANS.reduce((text, span) => text.replace(span, " "), line))
    .join("\n");
}

/** @param {string} summary */
function* linesOf(summary) {
  let isCode = false;
  for (const line of summary.split("\n")) {
    if (FENCE.test(line)) isCode = !isCode;
    else yield { line, isCode };
  }
}

/** @param {string} text
 *  @returns {Piece | null} */
function pieceOf(text) {
  const whole = text.trim();
  const parts = whole.slice(0, MOST_CHARACTERS).split(LEFT_OUT).filter(Boolean);
  const longest = Math.max(0, ...parts.map((part) => part.length));
  if (longest < FEWEST_CHARACTERS) return null;
  const search = parts.map(expressionOf).join(".*");
  return search.length > MOST_SEARCH ? null : { text: whole.slice(0, MOST_CHARACTERS), search };
}

/** Blanks may have been changed by who quotes.
 *  @param {string} text */
function expressionOf(text) {
  return text
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&"))
    .join("\\s+");
}
