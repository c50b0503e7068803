// How many alerts came in each of the last hours, as far as the list knows. No DOM, clock or network.

const HOUR = 3_600_000;
export const HOURS = 24;

/** From the first of the hours to the present one. Null where nobody knows: only sessions that came later were read.
 *  @param {readonly { createdAt: string }[]} rows
 *  @param {number} now
 *  @param {boolean} isWhole  whether there are no older ones
 *  @returns {(number | null)[]} */
export function alertsPerHour(rows, now, isWhole) {
  const counts = Array.from({ length: HOURS }, () => 0);
  let oldest = now;
  for (const { createdAt } of rows) {
    const time = Date.parse(createdAt);
    oldest = Math.min(oldest, time);
    const place = HOURS - 1 - Math.floor(Math.max(0, now - time) / HOUR);
    if (place >= 0) counts[place] = (counts[place] ?? 0) + 1;
  }
  const firstKnown = isWhole ? 0 : HOURS - Math.floor((now - oldest) / HOUR);
  return counts.map((count, place) => (place < firstKnown && count === 0 ? null : count));
}
