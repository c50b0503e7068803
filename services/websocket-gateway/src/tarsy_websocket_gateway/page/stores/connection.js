// Whether what is shown is live, and since when it is not.

import { computed, signal } from "../ui.js";
import { now } from "./clock.js";

/** @type {import("@preact/signals").Signal<"connecting" | "live" | "lost">} */
export const connection = signal("connecting");

/** When the page was last live, in milliseconds of the browser's clock; null before.
 *  @type {import("@preact/signals").Signal<number | null>} */
export const liveUntil = signal(null);

export function isLive() {
  connection.value = "live";
  liveUntil.value = Date.now();
}

export function isLost() {
  if (connection.value === "live") liveUntil.value = Date.now();
  connection.value = "lost";
}

/** The time that what is shown is of: it stands while the connection is lost. */
export const shownNow = computed(() => (connection.value === "lost" ? (liveUntil.value ?? now.value) : now.value));

/** Nothing that is decided now would be shown. */
export const isActionOff = computed(() => connection.value === "lost");
