// Where in a session's time the page is: at one of its events, or now. The address has the event's number, as `at`. The
// API makes each past state of the log; one question runs at a time, and the last that was wanted is asked next.

import { ApiError, readPast } from "../net/api.js";
import { oneAtATime } from "../net/one_at_a_time.js";
import { replaceAddress } from "../router.js";
import { eventNumber } from "../state/event_times.js";
import { signal } from "../ui.js";
import { badNumberWords, noEventWords, unreadWords } from "../words/travel_words.js";
import { shownMoment } from "./connection.js";

/** @typedef {{ number: number, time: string, newest: number }} Shown */

export class TravelStore {
  /** The number of the event that was chosen; null: now.
   *  @type {import("@preact/signals").Signal<number | null>} */
  wanted = signal(null);
  /** The moment that is shown; null: now.
   *  @type {import("@preact/signals").Signal<Shown | null>} */
  shown = signal(null);
  /** Why the chosen event is not shown. */
  problem = signal("");
  #store;
  /** What the address says, as far as it was followed or written here; undefined before.
   *  @type {string | null | undefined} */
  #at;
  #ask = oneAtATime(() => this.#read());

  /** @param {import("./session_store.js").SessionStore} store */
  constructor(store) {
    this.#store = store;
  }

  /** Goes where the address says. What was written here is not followed: somebody may have gone on meanwhile.
   *  @param {string | null} at */
  follow(at) {
    if (at === this.#at) return;
    this.#at = at;
    // A link to the past does not show the present first.
    if (at !== null && this.#store.session.status === null) this.#store.keepPresent();
    if (at === null) return this.#backToNow();
    const number = eventNumber(at);
    if (number === null) {
      this.#refuse(badNumberWords(at));
    } else if (number !== this.wanted.value) {
      this.#goTo(number);
    }
  }

  /** Goes to an event of those that there are. @param {number} number */
  goTo(number) {
    const newest = this.#store.highest;
    const kept = Math.max(1, Math.min(number, newest));
    if (newest > 0 && kept !== this.wanted.value) this.#goTo(kept);
  }

  /** Goes on by so many events; behind the last is now. @param {number} count */
  goBy(count) {
    const newest = this.#store.highest;
    const to = (this.wanted.value ?? newest) + count;
    if (to > newest) this.backToNow();
    else this.goTo(to);
  }

  tryAgain() {
    this.problem.value = "";
    this.#ask();
  }

  backToNow() {
    this.#backToNow();
    this.#write(null);
  }

  /** Nothing of it is shown any longer. */
  close() {
    this.wanted.value = null;
    shownMoment.value = null;
  }

  /** @param {number} number */
  #goTo(number) {
    this.wanted.value = number;
    this.problem.value = "";
    this.#ask();
  }

  #backToNow() {
    this.wanted.value = null;
    this.shown.value = null;
    this.problem.value = "";
    shownMoment.value = null;
    this.#store.showPresent();
  }

  async #read() {
    const number = this.wanted.value;
    if (number === null) return;
    this.#write(number);
    if (number === this.shown.value?.number) return;
    try {
      const answer = await readPast(this.#store.id, number, Math.min(number, this.#store.highest));
      if (this.wanted.value !== null) this.#show(answer);
    } catch (problem) {
      if (this.wanted.value !== number || !(problem instanceof ApiError)) return;
      if (problem.status === 404) this.#refuse(noEventWords(number));
      else this.problem.value = unreadWords(number, problem.message);
    }
  }

  /** There is no such event: now is shown. @param {string} why */
  #refuse(why) {
    this.#backToNow();
    this.problem.value = why;
  }

  /** @param {import("../state/past_session.js").PastSession} answer */
  #show(answer) {
    const { last_number: number, time, newest_number: newest } = answer;
    shownMoment.value = Date.parse(time);
    this.shown.value = { number, time, newest };
    this.#store.showPast(answer);
  }

  /** @param {number | null} number */
  #write(number) {
    this.#at = number === null ? null : String(number);
    writeAddress(this.#at);
  }
}

/** @param {string | null} at */
function writeAddress(at) {
  const here = new URL(location.href);
  if (at === null) here.searchParams.delete("at");
  else here.searchParams.set("at", at);
  if (here.href !== location.href) replaceAddress(`${here.pathname}${here.search}${here.hash}`);
}
