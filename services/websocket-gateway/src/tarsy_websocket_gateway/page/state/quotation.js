// A quotation of what somebody has selected, at the end of the question that they write.

const MOST_QUOTED = 4000;

/** The words with the quotation behind them, of at most so many characters: what does not fit is left out of the quotation.
 *  @param {string} words
 *  @param {string} selected
 *  @param {number} most */
export function withQuotation(words, selected, most) {
  const before = words.trim() === "" ? "" : `${words.trimEnd()}\n\n`;
  const room = Math.min(MOST_QUOTED, most - lengthOf(before));
  const quoted = cut(asQuotation(selected), room - "\n\n".length);
  return quoted === "" ? words : `${before}${quoted}\n\n`;
}

/** @param {string} text */
export function lengthOf(text) {
  return [...text].length;
}

/** @param {string} selected */
function asQuotation(selected) {
  const lines = selected.trim().split(/\n(?:[ \t]*\n)*/);
  return lines[0] === "" ? "" : lines.map((line) => `> ${line.trimEnd()}`).join("\n");
}

/** @param {string} text
 *  @param {number} most */
function cut(text, most) {
  const characters = [...text];
  if (characters.length <= most) return text;
  return most < "> …".length + 1 ? "" : `${characters.slice(0, most - 1).join("")}…`;
}
