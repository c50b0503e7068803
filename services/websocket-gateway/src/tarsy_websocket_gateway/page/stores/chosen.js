// Sessions that somebody has chosen, what is done with all of them, and what came of it for each.

import { cancelSession, mayRepeat, newKey, rerunSession } from "../net/api.js";
import { signal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { messageOf } from "../words/problems.js";
import { say } from "../words/say.js";

/** @typedef {"cancel" | "rerun"} Act */

const AT_ONCE = 4;
const MOST_CHOSEN = 100;
/** @type {Record<Act, { ask: (id: string, key: string) => Promise<string>, failed: string }>} */
const ACTS = {
  cancel: { ask: async (id, key) => (await cancelSession(id, key)).message, failed: TEXT.cancelling.failed },
  rerun: {
    ask: async (id, key) => {
      await rerunSession(id, key);
      return TEXT.bulk.rerunAnswer;
    },
    failed: TEXT.bulk.notRerun,
  },
};

export class Chosen {
  ids = signal(/** @type {ReadonlySet<string>} */ (new Set()));
  /** What was answered about each. */
  answers = signal(/** @type {ReadonlyMap<string, string>} */ (new Map()));
  failures = signal(0);
  isBusy = signal(false);
  /** The same key again asks for the same. @type {Map<string, string>} */
  #keys = new Map();

  /** @param {string} id */
  toggle(id) {
    const found = new Set(this.ids.value);
    if (!found.delete(id) && found.size < MOST_CHOSEN) found.add(id);
    this.ids.value = found;
  }

  clear() {
    this.ids.value = new Set();
    this.answers.value = new Map();
  }

  /** Those that were refused stay chosen. @param {Act} act @param {string[]} ids */
  async run(act, ids) {
    this.isBusy.value = true;
    this.failures.value = 0;
    this.answers.value = new Map();
    const left = [...ids];
    const work = async () => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) await this.#runOne(act, id);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.isBusy.value = false;
  }

  /** @param {Act} act @param {string} id */
  async #runOne(act, id) {
    const { ask, failed } = ACTS[act];
    const attempt = `${act} ${id}`;
    const key = this.#keys.get(attempt) ?? newKey();
    this.#keys.set(attempt, key);
    try {
      this.#answer(id, await ask(id, key));
      this.#keys.delete(attempt);
      if (this.ids.value.has(id)) this.toggle(id);
    } catch (problem) {
      if (!mayRepeat(problem)) this.#keys.delete(attempt);
      this.failures.value += 1;
      this.#answer(id, say(TEXT.page.failure, { what: failed, why: messageOf(problem) }));
    }
  }

  /** @param {string} id @param {string} text */
  #answer(id, text) {
    this.answers.value = new Map(this.answers.value).set(id, text);
  }
}
