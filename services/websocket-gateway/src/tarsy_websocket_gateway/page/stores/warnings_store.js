// What an operator should look at now: the head of each view counts it, and the system view shows it.

import { readWarnings } from "../net/api.js";
import { signal } from "../ui.js";

export const EVERY_MILLISECONDS = 10_000;

/** Null while it is not known.
 *  @type {import("@preact/signals").Signal<import("tarsy-api").components["schemas"]["SystemWarnings"] | null>} */
export const systemWarnings = signal(null);

export async function askForWarnings() {
  try {
    systemWarnings.value = await readWarnings();
  } catch {
    systemWarnings.value = null;
  }
}
