// A question that is not asked twice at the same time: who asks meanwhile waits for one more answer, all together.

/** `ask` does not throw. @param {() => Promise<void>} ask @returns {() => Promise<void>} */
export function oneAtATime(ask) {
  /** @type {Promise<void> | null} */
  let running = null;
  /** @type {Promise<void> | null} */
  let next = null;

  /** @returns {Promise<void>} */
  function turn() {
    if (running === null) {
      running = ask().finally(() => {
        running = null;
      });
      return running;
    }
    next ??= running.then(() => {
      next = null;
      return turn();
    });
    return next;
  }
  return turn;
}
