// The list: what the API answers to a search, and live messages on top. A session that is new makes it be read again.

import { perFrame } from "../frames.js";
import { Live } from "../net/live.js";
import { oneAtATime } from "../net/one_at_a_time.js";
import { whileVisible } from "../net/polling.js";
import { mergeTop } from "../state/list_merge.js";
import { kindOf, sectionsOf } from "../state/list_sections.js";
import * as state from "../state/sessions_state.js";
import { signal } from "../ui.js";
import { isLive, isLost } from "./connection.js";
import { Newcomers } from "./newcomers.js";
import { AGAIN_MILLISECONDS, OlderSessions } from "./older_sessions.js";
import { beginRunning, running, takeRunning, takeRunningStatus } from "./running.js";
import { MOST_ALONE, readEach, readTop } from "./sessions_reader.js";
import { messageOf } from "../words/problems.js";

/** @typedef {import("../state/search_query.js").SearchQuery} SearchQuery */
/** @typedef {import("../state/list_sections.js").Section} Section */
/** @typedef {import("../state/sessions_state.js").StatusMessage} StatusMessage */
/** @typedef {import("../state/list_row.js").Row} Row */

const EVERY_MILLISECONDS = 5000;

export class SessionsStore {
  sections = signal(/** @type {Section[]} */ ([]));
  notice = signal("");
  /** How many sessions the search finds; null until that is known.
   *  @type {import("@preact/signals").Signal<number | null>} */
  found = signal(null);
  isLoading = signal(true);
  #older = new OlderSessions();
  hasMore = this.#older.hasMore;
  /** Whether the rows are those of an earlier search. */
  #isStale = true;
  /** Whether the last question for the newest failed. */
  #hasFailed = false;
  #isUnfolded = false;
  /** @type {import("../state/list_sections.js").Look} */
  #look = { order: null, unfolded: new Set() };
  #known = state.newSessions();
  /** @type {SearchQuery} */
  #query;
  /** @type {() => Promise<void>} */
  #readTop;
  #newcomers = new Newcomers(
    () => this.#readTop(),
    (id) => state.isAnswered(this.#known, id),
  );
  #onEnded;
  #publish = perFrame(() => this.#publishNow());

  /** `onEnded` is called when a session of the list ends while it is shown.
   *  @param {SearchQuery} query @param {(row: Row) => void} onEnded */
  constructor(query, onEnded = () => {}) {
    this.#query = query;
    this.#readTop = oneAtATime(() => this.#read(query));
    this.#onEnded = onEnded;
  }

  /** Returns what ends it. */
  open() {
    const live = new Live("sessions", {
      begins: () => {
        isLive();
        beginRunning();
        this.#readTop();
      },
      takes: (message) => this.#take(message),
      interrupted: isLost,
    });
    live.start();
    const stop = whileVisible(EVERY_MILLISECONDS, () => this.#readWhatRuns());
    return () => {
      stop();
      this.#newcomers.forget();
      live.stop();
    };
  }

  /** What was found before stays until the answer is there. @param {SearchQuery} query */
  search(query) {
    this.#query = query;
    this.#readTop = oneAtATime(() => this.#read(query));
    this.#isStale = true;
    this.isLoading.value = true;
    this.found.value = null;
    this.#older.forget();
    this.#newcomers.forget();
    return this.#readTop();
  }

  /** All that wait, or the first of them. @param {boolean} isUnfolded */
  unfold(isUnfolded) {
    this.#isUnfolded = isUnfolded;
    this.#publish();
  }

  /** @param {import("../state/list_order.js").Order | null} order */
  sortBy(order) {
    this.#look = { ...this.#look, order };
    this.#publish();
  }

  /** All sessions with the same failure, or the first of them alone. @param {string} reason */
  toggleSame(reason) {
    const unfolded = new Set(this.#look.unfolded);
    if (!unfolded.delete(reason)) unfolded.add(reason);
    this.#look = { ...this.#look, unfolded };
    this.#publish();
  }

  /** Those that are known, the latest first. */
  get rows() {
    return this.#known.rows;
  }

  /** @param {string} id */
  find(id) {
    return this.#known.byId.get(id);
  }

  async readMore() {
    const query = this.#query;
    try {
      await this.#older.read(query, (rows) => this.#takeOlder(rows));
    } catch (problem) {
      this.#fail(query, problem);
      // A reader at the end of what is drawn asks for more.
      setTimeout(this.#publish, AGAIN_MILLISECONDS);
    }
  }

  /** @param {import("../state/list_merge.js").Answer["rows"]} rows */
  #takeOlder(rows) {
    const isNew = rows.some((row) => !this.#known.byId.has(row.id));
    state.takeMore(this.#known, rows);
    if (!this.#hasFailed) this.notice.value = "";
    this.#publish();
    return isNew;
  }

  /** The activity of what runs comes over the API only. A question that failed is asked again. */
  async #readWhatRuns() {
    const isSomethingOpen = this.#known.rows.some((row) => kindOf(row) !== "ended");
    if (this.#isStale || this.#hasFailed || isSomethingOpen || running.value > 0) await this.#readTop();
  }

  /** @param {SearchQuery} query */
  async #read(query) {
    const read = state.beginRead(this.#known);
    try {
      const { queue, ...top } = await readTop(query);
      if (query !== this.#query) return;
      takeRunning(queue.running);
      this.found.value = top.running.count + top.waiting.count + top.ended.count;
      if (this.#isStale) this.#begin(top);
      else await this.#merge(query, read, top);
      if (query !== this.#query) return;
      state.takePositions(this.#known, queue.positions);
      this.#hasFailed = false;
      this.notice.value = "";
    } catch (problem) {
      this.#hasFailed = true;
      this.#fail(query, problem);
    }
    this.#publish();
  }

  /** @param {import("../state/list_merge.js").Top} top */
  #begin({ ended, ...open }) {
    state.takePage(this.#known, [...ended.rows, ...open.waiting.rows, ...open.running.rows]);
    this.#older.begin(ended);
    this.#isStale = false;
    this.isLoading.value = false;
  }

  /** @param {SearchQuery} query @param {number} read @param {import("../state/list_merge.js").Top} top */
  async #merge(query, read, top) {
    const { isJoined, lost } = this.#noticing(() => mergeTop(this.#known, read, top));
    if (!isJoined) this.#older.begin(top.ended);
    // The next answer finds the others.
    const asked = lost.slice(0, MOST_ALONE);
    const found = await readEach(query, asked);
    if (query !== this.#query) return;
    const ids = new Set(found.map((row) => row.id));
    this.#noticing(() => state.takeMore(this.#known, found));
    const gone = asked.filter((id) => !ids.has(id));
    state.forget(this.#known, gone);
  }

  /** An answer may have an end before it comes live.
   *  @template T @param {() => T} take @returns {T} */
  #noticing(take) {
    const open = this.#known.rows.filter((row) => kindOf(row) !== "ended");
    const taken = take();
    for (const before of open) this.#noticeEnd(before);
    return taken;
  }

  /** @param {Row} before */
  #noticeEnd(before) {
    const after = this.#known.byId.get(before.id);
    if (after !== undefined && state.hasJustEnded(before, after)) this.#onEnded(after);
  }

  /** @param {SearchQuery} query @param {unknown} problem */
  #fail(query, problem) {
    if (query !== this.#query) return;
    this.notice.value = messageOf(problem);
    this.isLoading.value = false;
  }

  #publishNow() {
    this.sections.value = sectionsOf(this.#known, this.#isUnfolded, this.#look);
  }

  /** @param {{ type: string, session_id: string, number: number }} message */
  #take(message) {
    if (message.type === "session.deleted") {
      state.takeDeletion(this.#known, message);
      takeRunningStatus(message.session_id, "cancelled", message.number);
      this.#publish();
    }
    if (message.type === "session.status") this.#takeStatus(/** @type {StatusMessage} */ (message));
  }

  /** @param {StatusMessage} message */
  #takeStatus(message) {
    const id = message.session_id;
    const before = this.#known.byId.get(id);
    takeRunningStatus(id, message.status, message.number);
    const isKnown = state.takeStatus(this.#known, message);
    const after = this.#known.byId.get(id);
    // The API knows more of it: what it has cost, or its first sentence.
    if (!isKnown || before?.status !== after?.status) this.#newcomers.want(id);
    if (before !== undefined) this.#noticeEnd(before);
    if (isKnown) this.#publish();
  }
}
