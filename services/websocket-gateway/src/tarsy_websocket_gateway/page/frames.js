// Drawing when the browser draws, and not for longer than one frame bears.

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

/** Returns a function that calls `act` at once, or, when it did lately, so long after the last time: however often it
 *  is called until then.
 *  @param {number} milliseconds
 *  @param {() => void} act */
export function atMostEvery(milliseconds, act) {
  let isPlanned = false;
  let last = Number.NEGATIVE_INFINITY;
  function run() {
    isPlanned = false;
    last = performance.now();
    act();
  }
  return function ask() {
    if (isPlanned) return;
    const pause = last + milliseconds - performance.now();
    if (pause <= 0) return run();
    isPlanned = true;
    setTimeout(run, pause);
  };
}
