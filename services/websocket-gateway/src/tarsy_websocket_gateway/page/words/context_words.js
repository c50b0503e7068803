// How full a context is, in words.

import { number } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { tokens } from "./usage_words.js";

/** @param {import("../state/context_use.js").ContextUse} use */
export function contextWords({ parts, last, limit }) {
  if (limit === null) return say(TEXT.contextUse.read, { tokens: tokens(last) });
  const percent = number(Math.round(parts.at(-1) ?? 0));
  return say(TEXT.contextUse.filled, { percent, tokens: tokens(last), limit: tokens(limit) });
}
