// Notifications of the browser when a session ends. They come only to who asked for them.

import { go } from "../router.js";
import { signal } from "../ui.js";
import { noticeTitle, outcomeWords } from "../words/list_words.js";
import { remember, remembered } from "./browser_memory.js";

const PLACE = "tarsy.end-notices";
const MOST = 5;
const MINUTE = 60_000;

/** @type {number[]} */
let latest = [];

export const areNoticesOn = signal(remembered(PLACE) === "on" && permission() === "granted");

/** Not over plain HTTP, nor where somebody has refused them before. */
export function canBeNotified() {
  return permission() !== "denied";
}

export async function turnNoticesOn() {
  const isOn = (await Notification.requestPermission()) === "granted";
  areNoticesOn.value = isOn;
  remember(PLACE, isOn ? "on" : "off");
}

export function turnNoticesOff() {
  areNoticesOn.value = false;
  remember(PLACE, "off");
}

/** At most five in a minute: the list has the others. @param {import("../state/list_row.js").Row} row */
export function noticeEnd(row) {
  const now = Date.now();
  latest = latest.filter((time) => now - time < MINUTE);
  if (!areNoticesOn.value || latest.length >= MOST) return;
  latest.push(now);
  const notice = new Notification(noticeTitle(row), { body: outcomeWords(row), tag: row.id });
  notice.onclick = () => {
    focus();
    go(`/sessions/${encodeURIComponent(row.id)}`);
    notice.close();
  };
}

function permission() {
  return "Notification" in globalThis && isSecureContext ? Notification.permission : "denied";
}
