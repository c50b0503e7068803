// Sessions that a live message named and the list does not have: the API may not have them yet, or they do not fit the
// search. It is asked for all of them together, a few times, with growing pauses: for a minute, as a timeline that has much
// to do may be behind so far.

const PAUSES = [300, 1000, 2000, 3000, 4000, 8000, 15_000, 30_000];
const SHORTEST_AGAIN = 1000;
const MOST = 200;

export class Newcomers {
  /** How often each was looked for. @type {Map<string, number>} */
  #tries = new Map();
  #isLooking = false;
  /** Ends the pause before the next question. */
  #goOn = () => {};
  #timer = 0;
  #due = 0;
  #read;
  #isKnown;

  /** @param {() => Promise<void>} read @param {(id: string) => boolean} isKnown */
  constructor(read, isKnown) {
    this.#read = read;
    this.#isKnown = isKnown;
  }

  /** @param {string} id */
  want(id) {
    if (this.#tries.size < MOST) this.#tries.set(id, 0);
    const soon = performance.now() + SHORTEST_AGAIN;
    if (!this.#isLooking) this.#look();
    else if (soon < this.#due) this.#pauseUntil(soon);
  }

  forget() {
    this.#tries.clear();
  }

  async #look() {
    this.#isLooking = true;
    let shortest = 0;
    while (this.#tries.size > 0) {
      const pause = PAUSES[Math.min(...this.#tries.values())] ?? 0;
      await new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
        this.#goOn = resolve;
        this.#pauseUntil(performance.now() + Math.max(pause, shortest));
      });
      shortest = SHORTEST_AGAIN;
      if (this.#tries.size === 0) break;
      const asked = [...this.#tries.keys()];
      await this.#read();
      for (const id of asked) this.#wasLookedFor(id);
    }
    this.#isLooking = false;
  }

  /** @param {number} due */
  #pauseUntil(due) {
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(this.#goOn, due - performance.now());
  }

  /** @param {string} id */
  #wasLookedFor(id) {
    const tries = this.#tries.get(id);
    if (tries === undefined) return;
    if (this.#isKnown(id) || tries + 1 >= PAUSES.length) this.#tries.delete(id);
    else this.#tries.set(id, tries + 1);
  }
}
