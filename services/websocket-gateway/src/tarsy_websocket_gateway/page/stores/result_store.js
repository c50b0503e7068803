// Lines of a call's result: those around what is seen are read, range by range, one request at a time.

import { readResult } from "../net/api.js";
import { addLines, firstMissing, keepNear } from "../state/result_lines.js";
import { batch, signal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { messageOf } from "../words/problems.js";

/** @typedef {import("tarsy-api").components["schemas"]["ToolCallResult"]} Result
 *  @typedef {import("../state/result_lines.js").Range} Range
 *  @typedef {{ total: number, size: number }} Extent */

/** As many as fit into one answer, in most texts. */
const LINES_A_REQUEST = 400;

export class ResultStore {
  /** @type {import("../state/result_lines.js").KnownLines} */
  known = new Map();
  /** Goes up when lines came. */
  version = signal(0);
  /** Null until the first answer. @type {import("@preact/signals").Signal<Extent | null>} */
  extent = signal(null);
  problem = signal("");
  #sessionId;
  #callId;
  /** @type {Range} */
  #wanted;
  #isReading = false;
  #isClosed = false;

  /** @param {string} sessionId
   *  @param {string} callId
   *  @param {number} first  where reading begins */
  constructor(sessionId, callId, first) {
    this.#sessionId = sessionId;
    this.#callId = callId;
    this.#wanted = { first, end: first + 1 };
  }

  /** Returns what ends it. */
  open() {
    this.#isClosed = false;
    this.#read();
    return () => {
      this.#isClosed = true;
    };
  }

  /** What was wanted before is not read any more.
   *  @param {Range} range */
  want(range) {
    this.#wanted = range;
    this.#read();
  }

  readAgain() {
    this.problem.value = "";
    this.#read();
  }

  async #read() {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (let line = this.#missing(); line !== null; line = this.#missing()) await this.#readFrom(line);
    } catch (problem) {
      this.problem.value = messageOf(problem);
    } finally {
      this.#isReading = false;
    }
  }

  #missing() {
    if (this.#isClosed || this.problem.value !== "") return null;
    const { extent } = this;
    if (extent.value === null) return this.#wanted.first;
    return firstMissing(this.known, { ...this.#wanted, end: Math.min(this.#wanted.end, extent.value.total) });
  }

  /** @param {number} line */
  async #readFrom(line) {
    const query = { offset: String(line), lines: String(LINES_A_REQUEST) };
    const { lines, total_lines: total, size } = await readResult(this.#sessionId, this.#callId, query);
    batch(() => {
      addLines(this.known, lines);
      keepNear(this.known, this.#wanted);
      this.extent.value ??= { total, size };
      this.version.value += 1;
    });
    if (line < total && !this.known.has(line)) throw new Error(TEXT.result.unread);
  }
}
