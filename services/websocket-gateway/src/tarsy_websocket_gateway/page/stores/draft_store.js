// What somebody is about to submit. It survives another view and a login, and goes when the alert is taken.

import { mayRepeat, newKey, readSession } from "../net/api.js";
import { submitAlert } from "../net/submit_api.js";
import { bodyOf, changedSince, draftOf, emptyDraft, mistakesOf } from "../state/submission.js";
import { signal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";

/** @typedef {import("../state/submission.js").Draft} Draft */
/** @typedef {import("../state/submission.js").Field} Field */

const KEY = "submission";

export class DraftStore {
  /** @type {import("@preact/signals").Signal<Draft>} */
  draft = signal(kept());
  /** @type {import("@preact/signals").Signal<Partial<Record<Field | "", string>>>} */
  mistakes = signal({});
  /** What came of it: empty until it was sent. */
  answer = signal("");
  isSending = signal(false);
  /** The same words again are the same alert, until it is known what came of them.
   *  @type {{ body: string, key: string } | null} */
  #attempt = null;
  /** The session whose answer is waited for; empty where none is. */
  #filling = "";

  /** @param {Partial<Draft>} part */
  change(part) {
    this.draft.value = { ...this.draft.value, ...part };
    keep(this.draft.value);
  }

  /** Takes what the session was given, but for what has been changed here already.
   *  @param {string} id */
  async fillFrom(id) {
    const before = this.draft.value;
    if (id === before.from) return;
    this.#filling = id;
    try {
      const found = draftOf(await readSession(id));
      if (this.#filling !== id) return;
      this.change({ ...found, ...changedSince(before, this.draft.value) });
      this.answer.value = "";
    } catch (thrown) {
      if (this.#filling !== id) return;
      const problem = /** @type {import("../net/api.js").ApiError} */ (thrown);
      const why = problem.status === 404 ? say(TEXT.submit.noSession, { id }) : problem.message;
      this.answer.value = say(TEXT.page.failure, { what: TEXT.submit.notFilledIn, why });
    }
  }

  clear() {
    this.#filling = "";
    this.change(emptyDraft());
    this.mistakes.value = {};
    this.answer.value = "";
  }

  /** The id of the session; null when the alert was not taken: all that was typed is there still.
   *  @returns {Promise<string | null>} */
  async send() {
    const body = JSON.stringify(bodyOf(this.draft.value));
    if (this.#attempt?.body !== body) this.#attempt = { body, key: newKey() };
    this.isSending.value = true;
    this.mistakes.value = {};
    this.answer.value = TEXT.submit.sending;
    try {
      const { session_id: id } = await submitAlert(body, this.#attempt.key);
      this.#attempt = null;
      this.clear();
      return id;
    } catch (thrown) {
      this.#tell(/** @type {import("../net/api.js").ApiError} */ (thrown));
      return null;
    } finally {
      this.isSending.value = false;
    }
  }

  /** @param {import("../net/api.js").ApiError} problem */
  #tell(problem) {
    const mistakes = mistakesOf(problem.errors);
    const { "": rest, ...ofFields } = mistakes;
    const isAllMarked = rest === undefined && Object.keys(ofFields).length > 0;
    this.mistakes.value = ofFields;
    const why = isAllMarked ? TEXT.submit.correctMarked : problem.message;
    this.answer.value = say(TEXT.page.failure, { what: TEXT.submit.notSubmitted, why });
    if (!mayRepeat(problem)) this.#attempt = null;
  }
}

/** @returns {Draft} */
function kept() {
  try {
    return { ...emptyDraft(), ...JSON.parse(sessionStorage.getItem(KEY) ?? "{}") };
  } catch {
    return emptyDraft();
  }
}

/** @param {Draft} draft */
function keep(draft) {
  try {
    if (JSON.stringify(draft) === JSON.stringify(emptyDraft())) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // Without storage, or with too little of it, the draft holds until the view is left.
  }
}
