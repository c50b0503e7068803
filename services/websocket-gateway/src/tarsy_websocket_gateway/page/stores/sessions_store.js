// The list: one page of it from the API, and live messages on top. A session that is new makes it be read again.

import { readSessions } from "../net/api.js";
import { Live } from "../net/live.js";
import { newSessions, takePage, takeStatus } from "../state/sessions_state.js";
import { signal } from "../ui.js";
import { isLive, isLost } from "./connection.js";

const PAGE_SIZE = 50;
const QUEUE_EVERY_MILLISECONDS = 5000;
const AGAIN = [300, 700, 1500, 3000, 5000];

export class SessionsStore {
  rows = signal([]);
  pages = signal(1);
  notice = signal("Loading …");
  #page;
  #known = newSessions();
  #wanted = new Set();
  #isReading = false;
  #isClosed = false;

  /** @param {number} page */
  constructor(page) {
    this.#page = page;
  }

  /** Returns what ends it. */
  open() {
    const live = new Live("sessions", {
      begins: () => {
        isLive();
        this.read();
      },
      takes: (message) => this.#take(message),
      interrupted: isLost,
    });
    const asking = setInterval(() => this.#lookAtTheQueue(), QUEUE_EVERY_MILLISECONDS);
    live.start();
    this.read();
    return () => {
      this.#isClosed = true;
      clearInterval(asking);
      live.stop();
    };
  }

  async read() {
    try {
      const answer = await readSessions(this.#page, PAGE_SIZE);
      takePage(this.#known, answer.sessions);
      this.notice.value = answer.sessions.length === 0 ? "No alert was investigated yet." : "";
      this.pages.value = answer.pagination.total_pages;
      this.#show();
    } catch (problem) {
      this.notice.value = problem.message;
    }
  }

  #show() {
    this.rows.value = [...this.#known.rows];
  }

  #lookAtTheQueue() {
    if (this.#known.rows.some((row) => row.status === "pending")) this.read();
  }

  #take(message) {
    if (message.type === "session.deleted") this.read();
    if (message.type !== "session.status") return;
    if (takeStatus(this.#known, message)) this.#show();
    else if (this.#page === 1) this.#readUntilKnown(message.session_id);
  }

  /** The list may not have a new session yet when its first message comes. Reads for one at a time, a few times. */
  async #readUntilKnown(id) {
    this.#wanted.add(id);
    if (this.#isReading) return;
    this.#isReading = true;
    for (const pause of AGAIN) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (this.#isClosed) break;
      const asked = [...this.#wanted];
      await this.read();
      for (const one of asked) if (this.#known.byId.has(one)) this.#wanted.delete(one);
      if (this.#wanted.size === 0) break;
    }
    this.#wanted.clear();
    this.#isReading = false;
  }
}
