// The numbers of a session's events, and when they were: as far as what is known of the session says it.

/** @typedef {import("./session_state.js").Session} Session
 *  @typedef {{ number: number, time: number }} Moment  the time is in milliseconds */

/** In order; the time does not go back.
 *  @param {Session} session
 *  @param {number} began  when the first was
 *  @returns {Moment[]} */
export function momentsOf(session, began) {
  const first = Number.isNaN(began) ? [] : [{ number: 1, time: began }];
  const found = [...first, ...knownMoments(session)].sort((one, other) => one.number - other.number);
  let time = 0;
  return found.map((moment) => {
    time = Math.max(time, moment.time);
    return { number: moment.number, time };
  });
}

/** The number of the last event until then.
 *  @param {Moment[]} moments
 *  @param {number} time */
export function numberAt(moments, time) {
  return (last(moments, (moment) => moment.time <= time) ?? moments[0])?.number ?? 1;
}

/** When the event was, or else the last one before it of which that is known.
 *  @param {Moment[]} moments
 *  @param {number} number */
export function timeAt(moments, number) {
  return (last(moments, (moment) => moment.number <= number) ?? moments[0])?.time ?? 0;
}

/** The number of an event that an address names; null where it names none.
 *  @param {string} text */
export function eventNumber(text) {
  if (!/^\d{1,15}$/.test(text)) return null;
  const number = Number(text);
  return number > 0 ? number : null;
}

/** @param {Session} session
 *  @returns {Moment[]} */
function knownMoments(session) {
  const found = [];
  for (const { number, time } of session.items.values()) {
    if (number !== null && time !== null) found.push({ number, time: Date.parse(time) });
  }
  for (const { number, beganAt, endedAt } of [...session.stages.values(), ...session.executions.values()]) {
    const time = endedAt ?? beganAt;
    if (time !== null) found.push({ number, time: Date.parse(time) });
  }
  if (session.changedAt !== null) found.push({ number: session.number, time: Date.parse(session.changedAt) });
  return found.filter(({ time }) => !Number.isNaN(time));
}

/** The last for which it holds, of those for which it holds up to some place.
 *  @param {Moment[]} moments
 *  @param {(moment: Moment) => boolean} holds */
function last(moments, holds) {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = moments[middle];
    if (found !== undefined && holds(found)) low = middle + 1;
    else high = middle;
  }
  return moments[low - 1];
}
