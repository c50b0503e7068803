// Whether what is shown is live, and since when it is not.

import { signal } from "../ui.js";

/** @type {import("@preact/signals").Signal<"connecting" | "live" | "lost">} */
export const connection = signal("connecting");

/** When the page was last live, in milliseconds of the browser's clock; null before. */
export const liveUntil = signal(null);

export function isLive() {
  connection.value = "live";
  liveUntil.value = Date.now();
}

export function isLost() {
  if (connection.value === "live") liveUntil.value = Date.now();
  connection.value = "lost";
}
