// Drawing when the browser draws, and not for longer than one frame bears.

const BUDGET_MILLISECONDS = 10;

/** Returns a function that asks for `draw` in the next frame, however often it is called until then.
 *  @param {() => void} draw */
export function perFrame(draw) {
  let asked = false;
  return function ask() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

/** Draws as many of the ids as one frame bears, and forgets those; returns whether some are left.
 *  @template T
 *  @param {Set<T>} ids
 *  @param {(id: T) => void} drawOne */
export function drawSome(ids, drawOne) {
  const limit = performance.now() + BUDGET_MILLISECONDS;
  for (const id of ids) {
    ids.delete(id);
    drawOne(id);
    if (performance.now() > limit) break;
  }
  return ids.size > 0;
}
