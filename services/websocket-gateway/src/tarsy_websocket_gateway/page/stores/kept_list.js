// The list that was left last: who comes back finds the same rows, and stands where they stood.

/** @typedef {import("./sessions_store.js").SessionsStore} SessionsStore */

/** @type {{ address: string, store: SessionsStore } | null} */
let kept = null;

/** @param {string} address  of the search
 *  @param {SessionsStore} store */
export function keepList(address, store) {
  kept = { address, store };
}

/** Null where another search was left.
 *  @param {string} address */
export function keptList(address) {
  return kept?.address === address ? kept.store : null;
}
