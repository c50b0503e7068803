// Asking again and again, while somebody looks: what is no part of a session does not come over the WebSocket.

/** One question at a time; the next one so long after its answer. `ask` does not throw. Returns what ends it.
 *  @param {number} milliseconds
 *  @param {() => Promise<void>} ask */
export function whileVisible(milliseconds, ask) {
  let next = 0;
  let isAsking = false;
  let isEnded = false;
  async function turn() {
    clearTimeout(next);
    if (isEnded || isAsking || document.hidden) return;
    isAsking = true;
    await ask();
    isAsking = false;
    if (!isEnded) next = setTimeout(turn, milliseconds);
  }
  document.addEventListener("visibilitychange", turn);
  turn();
  return () => {
    isEnded = true;
    clearTimeout(next);
    document.removeEventListener("visibilitychange", turn);
  };
}
