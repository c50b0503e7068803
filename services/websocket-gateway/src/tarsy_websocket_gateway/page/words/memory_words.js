// Words about a memory, and about a session like another one.

import { TEXT } from "./language.js";
import { say } from "./say.js";

/** @param {{ confidence: number, seen_count: number, contradicted_count: number }} memory */
export function sureWords({ confidence, seen_count: seen, contradicted_count: against }) {
  const sure = say(TEXT.memory.confidence, { percent: String(Math.round(100 * confidence)) });
  const found = say(TEXT.memory.seen, { count: seen });
  return against > 0 ? `${sure}, ${found}, ${say(TEXT.memory.contradicted, { count: against })}` : `${sure}, ${found}`;
}

/** @param {readonly string[]} reasons */
export function reasonWords(reasons) {
  const names = /** @type {Record<string, string>} */ (TEXT.memory.reasons);
  return reasons.map((reason) => names[reason] ?? reason).join(", ");
}
