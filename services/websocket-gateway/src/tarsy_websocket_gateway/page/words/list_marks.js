// What is worth knowing of a session besides how it stands: a word each, in the order in which it matters.

import { counted } from "./wording.js";

/** `isHeavy`: it changes something, or somebody has to decide.
 *  @typedef {{ word: string, title: string, isHeavy: boolean }} Mark */

/** @param {import("../state/list_row.js").Row} row @returns {Mark[]} */
export function marksOf(row) {
  const often = row.repeats + 1;
  /** @type {[boolean, string, string][]} */
  const heavy = [
    [row.approvalsWaiting > 0, "waits for a yes", `${counted(row.approvalsWaiting, "call")} to be decided`],
    [row.changed > 0, "changed", `${counted(row.changed, "call")} may have changed something`],
  ];
  /** @type {[boolean, string, string][]} */
  const light = [
    [row.fallbacks > 0 || row.provider !== null, "other model", modelTitle(row)],
    [row.repeats > 0, `×${often}`, `The alert came ${counted(often, "time")}`],
    [row.parentId !== null, "again", "An earlier investigation, run again"],
    [row.scripted, "scripted", "Its model is a script"],
  ];
  return [...marks(heavy, true), ...marks(light, false)];
}

/** @param {[boolean, string, string][]} candidates @param {boolean} isHeavy @returns {Mark[]} */
function marks(candidates, isHeavy) {
  return candidates.filter(([holds]) => holds).map(([, word, title]) => ({ word, title, isHeavy }));
}

/** @param {import("../state/list_row.js").Row} row */
function modelTitle({ fallbacks, provider }) {
  return fallbacks > 0 ? "Another model answered than the first one" : `Its sender chose ${provider}`;
}
