// Which items stand in which list, a few more with each frame: a large session never holds the browser up. Whoever
// shows a list is drawn again when items came or went, whoever shows an item when that item has changed.

import { perFrame } from "../frames.js";
import { LastThoughts } from "../state/last_thoughts.js";
import { lastWordOf } from "../state/last_words.js";
import { listOf } from "../state/lists_of_items.js";
import { placeOf } from "../state/ordering.js";
import { batch, signal } from "../ui.js";

/** @typedef {import("../state/session_state.js").Session} Session
 *  @typedef {import("../state/ordering.js").Entry & { list: string }} Entry
 *  @typedef {import("@preact/signals").Signal<string[]>} Ids
 *  @typedef {import("@preact/signals").Signal<number>} Count */

const BUDGET_MILLISECONDS = 10;
const FEWEST = 5;
const FIRST = 30;
const MOST = 60;

export class StoryStore {
  /** How many items stand in some list. */
  count = signal(0);
  /** Goes up when items came, went, or ended. */
  settled = signal(0);
  #session;
  /** @type {Map<string, { ids: Ids, entries: Entry[] }>} */
  #lists = new Map();
  /** @type {Map<string, { entry: Entry, version: Count }>} */
  #placed = new Map();
  /** @type {Set<string>} */
  #waiting = new Set();
  #thoughts = new LastThoughts();
  #perFrame = FIRST;
  #draw = perFrame(() => this.#drawSome());

  /** @param {Session} session */
  constructor(session) {
    this.#session = session;
  }

  /** The ids of the items that stand there, in order.
   *  @param {string} list */
  idsOf(list) {
    return this.#list(list).ids;
  }

  /** The id of the item so many places behind it in its list.
   *  @param {string} id
   *  @param {number} steps */
  beside(id, steps) {
    const entry = this.#placed.get(id)?.entry;
    if (entry === undefined) return undefined;
    const { entries } = this.#list(entry.list);
    return entries[placeOf(entries, entry) + steps]?.id;
  }

  /** Goes up when this item has changed.
   *  @param {string} id */
  versionOf(id) {
    return this.#placed.get(id)?.version;
  }

  /** Whether a thought is among the last.
   *  @param {string} id */
  isLastThought(id) {
    return this.#thoughts.has(id);
  }

  /** @param {Iterable<string>} ids */
  changed(ids) {
    for (const id of ids) {
      this.#waiting.add(id);
      this.#addKin(id);
    }
    if (this.#waiting.size > 0) this.#draw();
  }

  /** Agents became known, or the session has ended: some items stand elsewhere now. */
  rearrange() {
    const moved = [...this.#placed.values()].filter(({ entry }) => this.#isElsewhere(entry));
    this.changed([...moved.map(({ entry }) => entry.id), ...this.#thoughts.ids]);
  }

  /** The last response of an agent and the conclusion that was made of it hang on each other, and so do a response and
   *  the call behind it.
   *  @param {string} id */
  #addKin(id) {
    const item = this.#session.items.get(id);
    if (item === undefined || item.status === "streaming") return;
    const next = item.type === "llm_response" ? this.beside(id, 1) : undefined;
    if (next !== undefined) this.#waiting.add(next);
    const { response, conclusion } = lastWordOf(this.#session.lastWords, item);
    if (conclusion === null || response === null) return;
    if (item.id === response.id) this.#waiting.add(conclusion.id);
    if (item.id === conclusion.id) this.#waiting.add(response.id);
  }

  #drawSome() {
    const began = performance.now();
    /** @type {Set<string>} */
    const lists = new Set();
    /** @type {Count[]} */
    const versions = [];
    let hasSettled = false;
    let left = this.#perFrame;
    for (const id of this.#waiting) {
      if (left === 0) break;
      left -= 1;
      this.#waiting.delete(id);
      this.#place(id, lists);
      hasSettled ||= this.#session.items.get(id)?.status !== "streaming";
      const version = this.versionOf(id);
      if (version !== undefined) versions.push(version);
    }
    batch(() => {
      for (const version of versions) version.value += 1;
      for (const name of lists) {
        const list = this.#list(name);
        list.ids.value = list.entries.map((entry) => entry.id);
      }
      this.count.value = this.#placed.size;
      if (hasSettled || lists.size > 0) this.settled.value += 1;
    });
    // The components are drawn before this.
    queueMicrotask(() => this.#adapt(performance.now() - began));
    if (this.#waiting.size > 0) this.#draw();
  }

  /** @param {number} milliseconds */
  #adapt(milliseconds) {
    const factor = milliseconds > BUDGET_MILLISECONDS ? 0.5 : 1.5;
    this.#perFrame = Math.max(FEWEST, Math.min(MOST, Math.ceil(this.#perFrame * factor)));
  }

  /** @param {string} id
   *  @param {Set<string>} lists  gets the names of those that change */
  #place(id, lists) {
    const item = this.#session.items.get(id);
    const before = this.#placed.get(id);
    if (before !== undefined && (before.entry.sequence !== item?.sequence || this.#isElsewhere(before.entry))) {
      const { entries } = this.#list(before.entry.list);
      entries.splice(entries.indexOf(before.entry), 1);
      lists.add(before.entry.list);
    } else if (before !== undefined) {
      return;
    }
    if (item === undefined) {
      this.#placed.delete(id);
      this.#thoughts.remove(id);
      return;
    }
    const entry = { id, sequence: item.sequence, list: listOf(this.#session, item) };
    const { entries } = this.#list(entry.list);
    entries.splice(placeOf(entries, entry), 0, entry);
    lists.add(entry.list);
    this.#placed.set(id, { entry, version: before?.version ?? signal(0) });
    const folded = item.type === "llm_thinking" ? this.#thoughts.add(entry) : null;
    if (folded !== null) this.#waiting.add(folded);
    const led = item.type === "llm_tool_call" ? this.beside(id, -1) : undefined;
    if (led !== undefined) this.#waiting.add(led);
  }

  /** @param {Entry} entry */
  #isElsewhere(entry) {
    const item = this.#session.items.get(entry.id);
    return item !== undefined && entry.list !== listOf(this.#session, item);
  }

  /** @param {string} name */
  #list(name) {
    let found = this.#lists.get(name);
    if (found === undefined) {
      found = { ids: signal([]), entries: [] };
      this.#lists.set(name, found);
    }
    return found;
  }
}
