// The result that the address names, and the line of it: `?result=CALL&line=4511`.

import { query, replaceAddress } from "../router.js";
import { computed } from "../ui.js";

/** As the API takes ids of calls, or their beginnings. */
const CALL_ID = /^[A-Za-z0-9._-]{8,200}$/;
const LINE = /^\d{1,12}$/;

/** Empty where none is named. */
export const chosenCall = computed(() => {
  const id = query.value.get("result") ?? "";
  return CALL_ID.test(id) ? id : "";
});

/** Null where none is named. @type {import("@preact/signals").ReadonlySignal<number | null>} */
export const chosenLine = computed(() => {
  const line = query.value.get("line") ?? "";
  return LINE.test(line) ? Number(line) : null;
});

/** The address of a result, or of a line of it, beside what is shown.
 *  @param {string} callId
 *  @param {number} [line] */
export function resultAddress(callId, line) {
  const wanted = new URLSearchParams(query.value);
  wanted.set("result", callId);
  if (line === undefined) wanted.delete("line");
  else wanted.set("line", String(line));
  return `?${wanted}`;
}

/** @param {string} callId
 *  @param {number} line */
export function chooseLine(callId, line) {
  replaceAddress(`${location.pathname}${resultAddress(callId, line)}${location.hash}`);
}

export function leaveResult() {
  const address = new URL(location.href);
  address.searchParams.delete("result");
  address.searchParams.delete("line");
  replaceAddress(`${address.pathname}${address.search}${address.hash}`);
}
