// One session: what is known of it is folded from the API's answer and from live messages, and whoever shows a part of
// it is drawn again when that part has changed, once a frame.

import { perFrame } from "../frames.js";
import { readSession } from "../net/api.js";
import { Live } from "../net/live.js";
import { beginAgain, newSession, take } from "../state/session_state.js";
import { batch, signal } from "../ui.js";
import { isLive, isLost } from "./connection.js";

const QUEUE_EVERY_MILLISECONDS = 5000;

export class SessionStore {
  session = newSession();
  /** The API's answer; null until it is there. */
  detail = signal(null);
  /** What is to be said instead of the session, or above it. */
  notice = signal("Loading …");
  /** Goes up when something of the session, a stage or an agent has changed. */
  version = signal(0);
  /** Goes up when items came or went. */
  order = signal(0);
  #id;
  #items = new Map();
  #waiting = new Set();
  #isChanged = false;
  #publish = perFrame(() => this.#publishNow());

  /** @param {string} id */
  constructor(id) {
    this.#id = id;
  }

  get id() {
    return this.#id;
  }

  /** Goes up when this item has changed.
   *  @param {string} id */
  versionOf(id) {
    let found = this.#items.get(id);
    if (found === undefined) {
      found = signal(0);
      this.#items.set(id, found);
    }
    return found;
  }

  /** Returns what ends it. */
  open() {
    const live = new Live(`session:${this.#id}`, {
      begins: () => {
        isLive();
        this.apply(beginAgain(this.session));
        if (this.detail.value === null) this.read();
      },
      takes: (message) => this.#take(message),
      unknown: isLive,
      interrupted: isLost,
    });
    const asking = setInterval(() => {
      if (this.session.status === "pending") this.read();
    }, QUEUE_EVERY_MILLISECONDS);
    live.start();
    this.read();
    return () => {
      clearInterval(asking);
      live.stop();
    };
  }

  async read(atLeast = 0) {
    try {
      const detail = await readSession(this.#id, atLeast);
      if (detail.id !== this.#id) {
        // The alert joined another session.
        location.replace(`/sessions/${detail.id}`);
        return;
      }
      this.detail.value = detail;
      this.notice.value = "";
      this.apply({ ...take(this.session, asStatus(detail)), session: true });
    } catch (problem) {
      if (this.detail.value !== null) return;
      this.notice.value = problem.status === 404 ? `No session ${this.#id} is known here.` : problem.message;
    }
  }

  /** Shows what has changed with the next frame. */
  apply({ session, items }) {
    this.#isChanged ||= session;
    for (const id of items) this.#waiting.add(id);
    if (session || items.length > 0) this.#publish();
  }

  #take(message) {
    if (message.session_id !== this.#id) return;
    if (message.type === "session.deleted") this.notice.value = "This session was deleted.";
    this.apply(take(this.session, message));
    if (this.detail.value === null && message.type === "session.status") this.read(message.number);
  }

  #publishNow() {
    batch(() => {
      if (this.#isChanged) this.version.value += 1;
      if ([...this.#waiting].some((id) => this.#hasComeOrGone(id))) this.order.value += 1;
      for (const id of this.#waiting) this.#publishItem(id);
    });
    this.#isChanged = false;
    this.#waiting.clear();
  }

  #hasComeOrGone(id) {
    return this.session.items.has(id) !== this.#items.has(id);
  }

  #publishItem(id) {
    if (this.session.items.has(id)) this.versionOf(id).value += 1;
    else this.#items.delete(id);
  }
}

/** So that something is there before the WebSocket is. */
function asStatus(detail) {
  return {
    type: "session.status",
    number: detail.last_number,
    status: detail.status,
    final_analysis: detail.final_analysis,
    executive_summary: detail.executive_summary,
    executive_summary_error: detail.executive_summary_error,
    error_message: detail.error_message,
    timestamp: detail.completed_at ?? detail.started_at ?? detail.created_at,
  };
}
