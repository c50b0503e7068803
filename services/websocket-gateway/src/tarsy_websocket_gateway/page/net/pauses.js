// Growing pauses between attempts, the longest again and again. Chance spreads the tabs of many people.

const PAUSES = [500, 1000, 2000, 4000, 8000];
const LONGEST_PAUSE = 15_000;

/** In milliseconds. @param {number} failures  one after the other, before this pause */
export function pauseAfter(failures) {
  const pause = PAUSES[failures - 1] ?? LONGEST_PAUSE;
  return pause * (0.75 + Math.random() / 2);
}
