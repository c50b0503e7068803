// An answer that is asked for again and again while somebody looks. The last one stays when a later question fails.

import { whileVisible } from "../net/polling.js";
import { batch, signal, useEffect, useMemo } from "../ui.js";
import { isLive, isLost } from "./connection.js";

const EVERY_MILLISECONDS = 10_000;
const FORBIDDEN = 403;
/** Nothing answered, or something before it said so. Any other answer is a sentence of somebody who is there. */
const GONE = new Set([0, 502, 504]);

/** @template T */
export class Polled {
  /** Null until it is there.
   *  @type {import("@preact/signals").Signal<T | null>} */
  answer = signal(null);
  problem = signal("");
  /** @type {() => Promise<T>} */
  #ask = () => Promise.reject(new Error("Nothing is followed."));
  #asked = 0;
  #end = () => {};

  /** Returns what ends it.
   *  @param {() => Promise<T>} ask */
  follow(ask) {
    this.#ask = ask;
    this.#asked += 1;
    const stop = whileVisible(EVERY_MILLISECONDS, () => this.read());
    this.#end = () => {
      stop();
      // Whether a view that was left is live says nothing of the one that is shown.
      this.#asked += 1;
    };
    return this.#end;
  }

  /** Asks now, besides. What was asked before something else was followed, or nothing more, is not shown. */
  async read() {
    this.#asked += 1;
    const mine = this.#asked;
    try {
      const answer = await this.#ask();
      if (mine === this.#asked) this.#show(answer);
    } catch (problem) {
      if (mine === this.#asked) this.#tell(problem);
    }
  }

  /** @param {T} answer */
  #show(answer) {
    batch(() => {
      isLive();
      this.answer.value = answer;
      this.problem.value = "";
    });
  }

  /** @param {any} problem */
  #tell(problem) {
    // Whoever is not allowed to ask is not asking again and again.
    if (problem.status === FORBIDDEN) this.#end();
    else if (GONE.has(problem.status)) isLost();
    else isLive();
    this.problem.value = problem.message;
  }
}

/** Follows what `ask` brings, and another answer when `inputs` change.
 *  @template T
 *  @param {() => Promise<T>} ask
 *  @param {unknown[]} [inputs]
 *  @returns {Polled<T>} */
export function usePolled(ask, inputs = []) {
  const polled = useMemo(() => /** @type {Polled<T>} */ (new Polled()), []);
  useEffect(() => polled.follow(ask), inputs);
  return polled;
}
