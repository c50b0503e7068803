// The warnings about MCP servers, and how many servers there are. Whoever reads the whole gives the line its news.

import { readWarnings } from "../net/api.js";
import { signal } from "../ui.js";

export const EVERY_MILLISECONDS = 10_000;

/** What is not known is null.
 *  @type {import("@preact/signals").Signal<{ count: number, warnings: number } | null>} */
export const servers = signal(null);

export function takeWarnings({ warnings, server_count: count }) {
  servers.value = { count, warnings: warnings.length };
}

export function forgetWarnings() {
  servers.value = null;
}

export async function askForWarnings() {
  try {
    takeWarnings(await readWarnings());
  } catch {
    forgetWarnings();
  }
}
