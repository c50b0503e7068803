// A question that is asked again, after growing pauses, until it is answered.

import { mayRepeat } from "./api.js";
import { pauseAfter } from "./pauses.js";

/** Null once nobody wants the answer, or it was refused. `failed` gets each failure.
 *  @template T
 *  @param {() => Promise<T>} ask
 *  @param {{ isWanted: () => boolean, failed: (problem: unknown) => void }} asker
 *  @returns {Promise<T | null>} */
export async function untilAnswered(ask, { isWanted, failed }) {
  for (let failures = 1; ; failures += 1) {
    try {
      const answer = await ask();
      return isWanted() ? answer : null;
    } catch (problem) {
      if (!isWanted()) return null;
      failed(problem);
      if (!mayRepeat(problem)) return null;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(failures)));
    if (!isWanted()) return null;
  }
}
