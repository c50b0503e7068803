// Keys of the page. They do nothing while somebody types, nor together with Ctrl, Alt or Meta.

import { go } from "./router.js";
import { signal } from "./ui.js";
import { TEXT } from "./words/language.js";

/** @typedef {{ key: string, name: string, act: () => void }} Key */

const SEQUENCE_MILLISECONDS = 1500;
/** After `g`: where they lead. */
export const PLACES = [
  { key: "l", name: TEXT.keys.list, address: "/" },
  { key: "r", name: TEXT.keys.review, address: "/review" },
  { key: "m", name: TEXT.keys.servers, address: "/servers" },
];

/** Those of the views that are shown. @type {import("@preact/signals").Signal<Key[]>} */
export const keys = signal([]);

let hasBegun = 0;

/** Returns what takes them away. @param {Key[]} more */
export function addKeys(more) {
  keys.value = [...keys.value, ...more];
  return () => {
    keys.value = keys.value.filter((key) => !more.includes(key));
  };
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
  const isSecond = performance.now() - hasBegun < SEQUENCE_MILLISECONDS;
  hasBegun = 0;
  const place = isSecond ? PLACES.find(({ key }) => key === event.key) : undefined;
  const found = keys.value.findLast(({ key }) => key === event.key);
  if (place !== undefined) go(place.address);
  else if (event.key === "g") hasBegun = performance.now();
  else if (found !== undefined) found.act();
  else return;
  event.preventDefault();
});

/** @param {EventTarget | null} target */
function isTyping(target) {
  if (document.querySelector("dialog[open]") !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  const isText = target instanceof HTMLInputElement && target.type !== "checkbox";
  return isText || target.isContentEditable || target.matches("textarea, select");
}
