// Which tab of the rail beside the story is shown, where there is room for it. While a session runs it is what runs, and at
// the end the chat, unless a reader has chosen another one. The browser remembers a choice of the end.

import { signal } from "../ui.js";
import { remember, remembered } from "./browser_memory.js";

/** @typedef {"details" | "chat" | "now"} Tab
 *  @typedef {{ running: Tab | null, ended: Tab | null }} Choice  null: nobody has chosen */

const KEY = "rail";

/** @type {import("@preact/signals").Signal<Choice>} */
const choice = signal({ running: null, ended: remembered(KEY) === "details" ? "details" : null });

/** @param {boolean} isOver  whether the session has ended
 *  @returns {Tab} */
export function shownTab(isOver) {
  return isOver ? (choice.value.ended ?? "chat") : (choice.value.running ?? "now");
}

/** @param {Tab} tab
 *  @param {boolean} isOver */
export function chooseTab(tab, isOver) {
  choice.value = isOver ? { running: null, ended: tab } : { ...choice.value, running: tab };
  if (isOver) remember(KEY, tab);
}

/** For what leads into the chat. */
export function openChat() {
  choice.value = { running: "chat", ended: "chat" };
}
