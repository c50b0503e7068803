// How the state of the system is said.

import { factLine, number } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { size } from "./wording.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

/** A session that newer code left is brought back; one that failed is tried again. It is the same act.
 *  @param {Schemas["HeldSession"]} session
 *  @returns {{ act: "release" | "retry", label: string, question: string, yes: string }} */
export function wayBack({ reason }) {
  if (reason.startsWith("newer_")) {
    return {
      act: "release",
      label: TEXT.held.release,
      question: TEXT.held.releaseQuestion,
      yes: TEXT.held.releaseYes,
    };
  }
  return { act: "retry", label: TEXT.held.retry, question: TEXT.held.retryQuestion, yes: TEXT.held.retryYes };
}

/** @param {Schemas["HeldSession"]} session */
export function heldFacts({ inputs }) {
  return inputs === 0 ? TEXT.held.nothingWaits : say(TEXT.held.waiting, { count: inputs });
}

/** @param {Schemas["HeldSessionList"]} list */
export function heldSummary({ sessions, total_items: count }) {
  const all = `${say(TEXT.held.count, { count })} ${TEXT.held.about}`;
  return sessions.length === count ? all : `${all} ${say(TEXT.held.rest, { shown: sessions.length, count })}`;
}

/** @param {Schemas["DeadLetterRow"]} letter */
export function letterFacts({ service, topic, partition, offset, size_bytes: bytes, attempts, cut }) {
  return factLine([
    say(TEXT.letter.buriedBy, { service }),
    say(TEXT.letter.place, { topic, partition: String(partition), offset: String(offset) }),
    size(bytes),
    attempts > 1 ? say(TEXT.letter.attempts, { count: attempts }) : "",
    cut ? TEXT.letter.cut : "",
  ]);
}

/** @param {Schemas["DeadLetterRow"]} letter
 *  @returns {{ word: string, tone: "plain" | "good" | "warning" }} */
export function letterState({ status, refusal }) {
  if (status === "redriven") return { word: TEXT.letter.redriven, tone: "good" };
  if (refusal !== null) return { word: TEXT.letter.refused, tone: "plain" };
  return { word: TEXT.letter.waiting, tone: "warning" };
}

/** @param {Schemas["DeadLetterList"]} list */
export function lettersCount({ letters, total_items: count, forgotten }) {
  const shown = letters.length;
  return factLine([
    shown < count ? say(TEXT.letters.countOfAll, { shown, count }) : say(TEXT.letters.count, { count }),
    forgotten === 0 ? "" : say(TEXT.letters.forgotten, { count: forgotten }),
  ]);
}

/** @param {number} fitting
 *  @param {number} refused */
export function redriveQuestion(fitting, refused) {
  const question = say(TEXT.letters.redriveAllQuestion, { count: fitting });
  return refused === 0 ? question : `${question} ${say(TEXT.letters.refused, { count: refused })}`;
}

/** @param {Schemas["Redriven"][]} letters */
export function redriveSummary(letters) {
  const done = letters.filter(({ outcome }) => outcome === "redriven").length;
  const first = letters.find(({ outcome }) => outcome !== "redriven");
  const said = say(TEXT.letters.redriven, { count: done });
  if (first === undefined) return said;
  return `${said} ${say(TEXT.letters.notRedriven, { count: letters.length - done, why: first.message })}`;
}
