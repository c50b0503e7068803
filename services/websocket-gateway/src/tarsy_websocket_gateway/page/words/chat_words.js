// How it is worded why nobody can ask, and why a question is not sent.

import { TEXT } from "./language.js";
import { say } from "./say.js";

/** @param {"" | keyof typeof TEXT.chat.closed} why  empty when everybody can */
export function closedWords(why) {
  return why === "" ? "" : TEXT.chat.closed[why];
}

/** Numbers of characters.
 *  @param {number} given
 *  @param {number} most */
export function tooLongWords(given, most) {
  return say(TEXT.chat.tooLong, {
    most: say(TEXT.counts.characters, { count: most }),
    given: say(TEXT.counts.characters, { count: given }),
  });
}
