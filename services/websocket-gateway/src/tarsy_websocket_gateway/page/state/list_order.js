// In which order the list stands: by time in its sections, or by a column. No DOM, clock or network.

import { severityTone } from "../words/list_words.js";

/** @typedef {import("./list_row.js").Row} Row */
/** `isReversed`: against the order in which a column is asked for first.
 *  @typedef {{ column: Column, isReversed: boolean }} Order */
/** @typedef {"severity" | "title" | "where" | "status" | "age" | "took" | "tokens"} Column */

const SEVERITIES = ["bad", "warning", "plain"];
/** What is compared, the smallest first. @type {Record<Column, (row: Row) => string | number>} */
const VALUES = {
  severity: ({ severity }) => (severity === null ? SEVERITIES.length : SEVERITIES.indexOf(severityTone(severity))),
  title: ({ title }) => title.toLowerCase(),
  where: ({ where }) => where.toLowerCase(),
  status: ({ status }) => status,
  age: ({ createdAt }) => -Date.parse(createdAt),
  took: ({ startedAt, endedAt }) => (startedAt && endedAt ? Date.parse(startedAt) - Date.parse(endedAt) : 0),
  tokens: ({ inputTokens, outputTokens }) => -inputTokens - outputTokens,
};
export const COLUMNS = /** @type {Column[]} */ (Object.keys(VALUES));

/** As an address has it: the name of a column, behind a minus where it is reversed. Null where it names none.
 *  @param {string} text
 *  @returns {Order | null} */
export function orderOf(text) {
  const isReversed = text.startsWith("-");
  const column = COLUMNS.find((one) => one === text.slice(isReversed ? 1 : 0));
  return column === undefined ? null : { column, isReversed };
}

/** What a press on the column's head asks for: its order, then the reverse, then none.
 *  @param {Order | null} order
 *  @param {Column} column */
export function nextOrder(order, column) {
  if (order?.column !== column) return column;
  return order.isReversed ? "" : `-${column}`;
}

/** A new list; what is equal stays in its order.
 *  @param {readonly Row[]} rows
 *  @param {Order} order */
export function ordered(rows, { column, isReversed }) {
  const value = VALUES[column];
  const way = isReversed ? -1 : 1;
  return rows.toSorted((one, other) => way * compared(value(one), value(other)));
}

/** @param {string | number} one
 *  @param {string | number} other */
function compared(one, other) {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
