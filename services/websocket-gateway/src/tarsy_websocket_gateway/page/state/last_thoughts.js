// The last thoughts of a session, in order: they stand open while it runs.

/** @typedef {import("./ordering.js").Entry} Entry */

const COUNT = 3;

export class LastThoughts {
  /** @type {Entry[]} */
  #entries = [];

  /** @param {string} id */
  has(id) {
    return this.#entries.some((one) => one.id === id);
  }

  get ids() {
    return this.#entries.map((one) => one.id);
  }

  /** Returns the id of the one that is among the last no longer, if there is one.
   *  @param {Entry} thought
   *  @returns {string | null} */
  add(thought) {
    this.remove(thought.id);
    const all = [...this.#entries, thought].sort((one, other) => one.sequence - other.sequence);
    this.#entries = all.slice(-COUNT);
    const first = all.length > COUNT ? all[0] : undefined;
    return first === undefined || first.id === thought.id ? null : first.id;
  }

  /** @param {string} id */
  remove(id) {
    this.#entries = this.#entries.filter((one) => one.id !== id);
  }
}
