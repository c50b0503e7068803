// Failures of the same reason, one line for all of them: a broken key fails every session of a night. No DOM.

import { outcomeWords } from "../words/list_words.js";

/** @typedef {import("./list_row.js").Row} Row */
/** `others`: how many more have the same failure and are folded away, or follow. `isOpen`: they follow.
 *  @typedef {{ reason: string, others: number, isOpen: boolean }} Same */

const FEWEST = 3;
const VARYING = /[0-9a-f]{8}-[0-9a-f-]{27}|\b\d+(?:\.\d+)?\b/gi;

/** The first of each group stands for it; the others follow it, or are left out. `same`: of the first, by its id.
 *  @param {readonly Row[]} rows
 *  @param {ReadonlySet<string>} open  reasons whose rows are all shown
 *  @returns {{ rows: Row[], same: Map<string, Same> }} */
export function foldSameFailures(rows, open) {
  /** @type {Map<string, Row[]>} */
  const groups = new Map();
  for (const row of rows) {
    const reason = reasonOf(row);
    if (reason !== "") groups.set(reason, [...(groups.get(reason) ?? []), row]);
  }
  /** @type {Map<string, Same>} */
  const same = new Map();
  const shown = rows.flatMap((row) => {
    const reason = reasonOf(row);
    const group = groups.get(reason) ?? [];
    if (group.length < FEWEST) return [row];
    if (group[0] !== row) return [];
    const isOpen = open.has(reason);
    same.set(row.id, { reason, others: group.length - 1, isOpen });
    return isOpen ? group : [row];
  });
  return { rows: shown, same };
}

/** Without the numbers that each has of its own; but a status that the failure begins with is no such number.
 *  @param {Row} row */
function reasonOf(row) {
  if (row.status !== "failed" || row.failure === "") return "";
  const words = outcomeWords(row);
  const [status = ""] = /^\d{3}\b/.exec(words) ?? [];
  return `${status} ${words.replaceAll(VARYING, "#")}`;
}
