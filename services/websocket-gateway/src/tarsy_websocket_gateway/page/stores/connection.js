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

/** The time of the past state that is shown, in milliseconds; null while it is the present one.
 *  @type {import("@preact/signals").Signal<number | null>} */
export const shownMoment = signal(null);

/** The time that what is known is of: it stands while the connection is lost. */
export const knownNow = computed(() => (connection.value === "lost" ? (liveUntil.value ?? now.value) : now.value));

/** The time that what is shown is of. */
export const shownNow = computed(() => shownMoment.value ?? knownNow.value);

/** Nothing that is decided now would be shown. */
export const isActionOff = computed(() => connection.value === "lost" || shownMoment.value !== null);
