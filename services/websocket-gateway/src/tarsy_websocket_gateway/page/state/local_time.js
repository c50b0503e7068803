// Times as a field of the browser has them, and as an address has them: the first are local, the second are not.

const MINUTE = 60_000;

/** @param {string} local as a field of the type datetime-local has it */
export function fromLocal(local) {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}

/** To the minute. @param {string} stamp */
export function toLocal(stamp) {
  const time = new Date(stamp);
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}
