// One session: what is known of it is folded from the API's answer and from live messages, and whoever shows a part of
// it is drawn again when that part has changed, once a frame. While the past is shown, the present is folded on beside it.

import { atMostEvery, perFrame } from "../frames.js";
import { ApiError } from "../net/api.js";
import { Live } from "../net/live.js";
import { loadInstead } from "../router.js";
import { sameAbove } from "../state/repetition.js";
import { isRunning } from "../state/chat_state.js";
import { asStatus } from "../state/detail.js";
import { pastSession } from "../state/past_session.js";
import { become, copyOf } from "../state/replacement.js";
import { beginAgain, isOver, newSession, take } from "../state/session_state.js";
import { signal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { messageOf } from "../words/problems.js";
import { say } from "../words/say.js";
import { hasEnded } from "../words/wording.js";
import { isLive, isLost } from "./connection.js";
import { DetailReader } from "./detail_reader.js";
import { StoryStore } from "./story_store.js";
import { TraceStore } from "./trace_store.js";
import { TravelStore } from "./travel_store.js";

/** @typedef {import("../state/session_state.js").Message} Message
 *  @typedef {import("../state/session_state.js").Changes} Changes
 *  @typedef {import("tarsy-api").components["schemas"]["SessionDetail"]} Detail */

const LOOK_EVERY_MILLISECONDS = 5000;
const READ_EVERY_MILLISECONDS = 15_000;
/** The waterfall is drawn anew with each. */
const NEWEST_EVERY_MILLISECONDS = 250;

export class SessionStore {
  /** What is shown. */
  session = newSession();
  story = new StoryStore(this.session);
  /** The API's answer; null until it is there.
   *  @type {import("@preact/signals").Signal<Detail | null>} */
  detail = signal(null);
  /** What is to be said instead of the session, or above it. */
  notice = signal(/** @type {string} */ (TEXT.page.loading));
  /** Goes up when something of the session, a stage or an agent has changed. */
  version = signal(0);
  /** How many items came since the page was there: those of the history do not count. */
  arrivals = signal(0);
  /** The highest number of an event that is known, whatever is shown; a moment late while many come, for who draws. */
  newest = signal(0);
  travel = new TravelStore(this);
  record = new TraceStore(this);
  /** What somebody selected to ask about it, until it stands in the field. */
  quotation = signal("");
  /** The id of the stage or agent whose part of the story is shown alone; empty: all of it. */
  chosenPart = signal("");
  /** The step that a citation led to, until it is shown; a new object each time.
   *  @type {import("@preact/signals").Signal<{ id: string } | null>} */
  followed = signal(null);
  #id;
  #isChanged = false;
  #isHistory = true;
  /** The number of its deletion: later ones are higher. */
  #deletion = 0;
  #reader;
  #agents = 0;
  #wasRunning = true;
  #above = "";
  /** The ids of the items that stand above as well.
   *  @type {string[]} */
  #sameAbove = [];
  /** The present, while the past is shown.
   *  @type {{ session: import("../state/session_state.js").Session, detail: Detail | null } | null} */
  #kept = null;
  #publish = perFrame(() => this.#publishNow());
  #highest = 0;
  #publishNewest = atMostEvery(NEWEST_EVERY_MILLISECONDS, () => {
    this.newest.value = this.#highest;
  });

  /** @param {string} id */
  constructor(id) {
    this.#id = id;
    this.#reader = new DetailReader(id, {
      takes: (detail) => this.#takeAnswer(detail),
      fails: (problem) => this.#fail(problem),
    });
  }

  get id() {
    return this.#id;
  }

  /** Shows one part of the story alone; all of it when it is chosen once more.
   *  @param {string} id */
  choosePart(id) {
    this.chosenPart.value = this.chosenPart.value === id ? "" : id;
  }

  /** The highest number without delay, for who acts. */
  get highest() {
    return this.#highest;
  }

  /** What is known by now, whatever is shown. */
  get present() {
    return this.#kept?.session ?? this.session;
  }

  /** The API's answer, whatever is shown; null until it is there. */
  get presentDetail() {
    return this.#kept === null ? this.detail.value : this.#kept.detail;
  }

  /** From here on the present is folded beside what is shown. */
  keepPresent() {
    this.#kept ??= { session: copyOf(this.session), detail: this.detail.value };
  }

  /** Nothing more is known of it, until the same alert opens it again. */
  get isDeleted() {
    return this.#deletion > this.present.number;
  }

  /** @param {import("../state/past_session.js").PastSession} answer */
  showPast(answer) {
    this.keepPresent();
    this.notice.value = "";
    this.detail.value = answer.session;
    this.#apply(become(this.session, pastSession(answer)));
    this.#noteNewest(answer.newest_number);
  }

  showPresent() {
    const kept = this.#kept;
    if (kept === null) return;
    this.#kept = null;
    this.detail.value = kept.detail;
    this.#apply(become(this.session, kept.session));
    if (kept.detail !== null) this.#clearNotice();
  }

  /** Returns what ends it. */
  open() {
    const live = new Live(`session:${this.#id}`, {
      begins: () => {
        isLive();
        this.begin();
        if (this.presentDetail === null) this.#reader.readNow();
      },
      takes: (/** @type {Message} */ message) => {
        if (message.session_id === this.#id) this.take(message);
      },
      unknown: isLive,
      interrupted: isLost,
    });
    const asking = setInterval(() => this.#lookAgain(), LOOK_EVERY_MILLISECONDS);
    live.start();
    this.#reader.open();
    this.read();
    return () => {
      clearInterval(asking);
      live.stop();
      this.#reader.close();
    };
  }

  /** @param {number} atLeast  an event that the answer has to have */
  read(atLeast = 0) {
    this.#reader.read(atLeast);
  }

  /** @param {Detail} detail */
  #takeAnswer(detail) {
    if (detail.id === this.#id) this.takeDetail(detail);
    // The alert joined another session.
    else loadInstead(`/sessions/${detail.id}`);
  }

  /** @param {unknown} problem */
  #fail(problem) {
    if (this.presentDetail !== null || this.isDeleted) return;
    const isUnknown = problem instanceof ApiError && problem.status === 404;
    this.notice.value = isUnknown ? say(TEXT.session.unknown, { id: this.#id }) : messageOf(problem);
  }

  /** The place in the queue, and what is counted, come with no message. */
  #lookAgain() {
    const { status } = this.present;
    if (document.hidden || status === null || isOver(this.present) || this.isDeleted) return;
    const every = status === "pending" ? LOOK_EVERY_MILLISECONDS : READ_EVERY_MILLISECONDS;
    if (performance.now() - this.#reader.askedAt > every - LOOK_EVERY_MILLISECONDS / 2) this.read();
  }

  /** @param {Detail} detail */
  takeDetail(detail) {
    if (this.#kept !== null) {
      this.#kept.detail = detail;
      take(this.#kept.session, asStatus(detail));
    } else {
      this.detail.value = detail;
      this.#apply({ ...take(this.session, asStatus(detail)), session: true });
      this.#clearNotice();
    }
    this.#noteNewest(detail.last_number);
  }

  /** An answer that was under way may still have what is deleted. */
  #clearNotice() {
    this.notice.value = this.isDeleted ? TEXT.session.deleted : "";
  }

  /** @param {number} number */
  #takeDeletion(number) {
    this.#deletion = number;
    this.#reader.forget();
    this.#clearNotice();
  }

  /** The history follows. */
  begin() {
    this.#isHistory = true;
    const changes = beginAgain(this.present);
    if (this.#kept === null) this.#apply(changes);
  }

  /** @param {Message} message */
  take(message) {
    if (message.type === "session.deleted") return this.#takeDeletion(message.number);
    const known = this.session.items.size;
    const changes = take(this.present, message);
    if (this.#kept === null) this.#apply(changes);
    if ("number" in message) this.#noteNewest(message.number ?? 0);
    if (!this.#isHistory && this.session.items.size > known) this.arrivals.value += 1;
    const isNews = !this.#isHistory;
    // The history ends with it.
    if (message.type === "session.status") this.#isHistory = false;
    if (message.type === "session.status" && this.#knowsLessThan(message)) this.read(message.number);
    // The end of its life follows the stage at once.
    if (message.type === "stage.status" && isNews && hasEnded(message.status))
      this.read(message.number + (isOver(this.present) ? 1 : 0));
    if (message.type === "timeline_event.created" && isNews && message.event_type === "review")
      this.read(message.number ?? 0);
  }

  /** What was counted is known only when it is read again. While the session runs that is done anyway.
   *  @param {import("tarsy-live").components["schemas"]["SessionStatusChanged"]} message */
  #knowsLessThan(message) {
    const detail = this.presentDetail;
    if (detail === null) return true;
    return detail.last_number < message.number && (detail.status !== message.status || isOver(this.present));
  }

  /** Shows what has changed with the next frame.
   *  @param {Changes} changes */
  #apply({ session, items }) {
    this.#isChanged ||= session;
    if (session) this.#publish();
    this.story.changed(items);
  }

  #publishNow() {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.version.value += 1;
    const agents = this.session.executions.size + this.session.stages.size;
    if (agents !== this.#agents || isRunning(this.session) !== this.#wasRunning) this.story.rearrange();
    this.#agents = agents;
    this.#wasRunning = isRunning(this.session);
    this.#foldWhatStandsAbove();
  }

  /** What stands above as well is known only when it is there. */
  #foldWhatStandsAbove() {
    const above = `${this.session.finalAnalysis}\n${this.session.executiveSummary}`;
    if (above === this.#above) return;
    this.#above = above;
    const same = [...this.session.items.values()].filter((item) => sameAbove(this.session, item) !== "");
    const ids = same.map((item) => item.id);
    this.story.changed([...this.#sameAbove, ...ids]);
    this.#sameAbove = ids;
  }

  /** @param {number} number */
  #noteNewest(number) {
    if (number <= this.#highest) return;
    this.#highest = number;
    this.#publishNewest();
  }
}
