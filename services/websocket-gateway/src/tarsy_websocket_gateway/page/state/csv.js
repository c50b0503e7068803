// Tables as CSV (RFC 4180): no DOM, no network.

/** @typedef {string | number | null} Cell */

// A spreadsheet would run such a text as a formula.
const FORMULA = /^[=+\-@\t\r]/;

/** @param {readonly (readonly Cell[])[]} rows */
export function csvOf(rows) {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

/** @param {Cell} value */
function csvCell(value) {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
