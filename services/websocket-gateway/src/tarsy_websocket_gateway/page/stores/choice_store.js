// What a reader has chosen to see of a session: which agent of a stage, and how much of the story.

import { query, replaceAddress } from "../router.js";
import { computed, signal } from "../ui.js";

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

export class ChoiceStore {
  /** By the stage's id.
   *  @type {import("@preact/signals").Signal<ReadonlyMap<string, string>>} */
  #agents = signal(new Map());
  /** The step that a citation led to, until it is shown; a new object each time.
   *  @type {import("@preact/signals").Signal<{ id: string } | null>} */
  followed = signal(null);

  /** Empty when none was chosen.
   *  @param {string} stageId */
  agentOf(stageId) {
    return this.#agents.value.get(stageId) ?? "";
  }

  /** @param {string} id  of an item */
  follow(id) {
    this.followed.value = { id };
  }

  /** @param {string} stageId
   *  @param {string} executionId */
  chooseAgent(stageId, executionId) {
    this.#agents.value = new Map([...this.#agents.value, [stageId, executionId]]);
  }
}
