// Numbers of sessions that came live, of the latest sessions: no DOM, no clock, no network.

const MOST = 1000;

/** The session that was named longest ago is forgotten first.
 *  @param {Map<string, number>} numbers @param {string} id @param {number} number */
export function remember(numbers, id, number) {
  numbers.delete(id);
  numbers.set(id, number);
  const oldest = numbers.keys().next();
  if (numbers.size > MOST && !oldest.done) numbers.delete(oldest.value);
}
