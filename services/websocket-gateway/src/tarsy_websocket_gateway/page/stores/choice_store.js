// What a reader has chosen to see of a session: how much of the story.

import { query, replaceAddress } from "../router.js";
import { computed } from "../ui.js";

/** @typedef {"conclusions" | "steps" | "everything"} Extent */

/** @type {readonly Extent[]} */
export const EXTENTS = ["conclusions", "steps", "everything"];
const WITHOUT_CHOICE = "everything";

/** In the address, so that a link shows the same.
 *  @type {import("@preact/signals").ReadonlySignal<Extent>} */
export const extent = computed(() => EXTENTS.find((one) => one === query.value.get("show")) ?? WITHOUT_CHOICE);

/** @param {Extent} chosen */
export function chooseExtent(chosen) {
  const address = new URL(location.href);
  if (chosen === WITHOUT_CHOICE) address.searchParams.delete("show");
  else address.searchParams.set("show", chosen);
  replaceAddress(`${address.pathname}${address.search}${address.hash}`);
}
