// Who one is, and whether one can log in. The page sees no credential: the browser sends its cookie by itself.

import { UNKNOWN_CALLER, canLogIn, readMe } from "../net/api.js";
import { signal } from "../ui.js";

/** `name` is null when the server does not know the caller, or nobody is authenticated there: only then `isOpen`.
 *  @typedef {{ name: string | null, role: string | null, canLogIn: boolean, isOpen: boolean }} Account */

/** @type {import("@preact/signals").Signal<Account>} */
export const account = signal(nobody(false));

let isUnknown = false;

/** Where nobody is authenticated there is no role, and the name says nothing. */
async function look() {
  try {
    const { name, role } = await readMe();
    isUnknown = false;
    const isOpen = role === null;
    account.value = isOpen ? { ...nobody(false), isOpen } : { name, role, canLogIn: await canLogIn(), isOpen };
  } catch (problem) {
    if (/** @type {import("../net/api.js").ApiError} */ (problem).status !== 401) account.value = nobody(false);
  }
}

async function invite() {
  isUnknown = true;
  const isPossible = await canLogIn();
  if (isUnknown) account.value = nobody(isPossible);
}

/** @param {boolean} isPossible
 *  @returns {Account} */
function nobody(isPossible) {
  return { name: null, role: null, canLogIn: isPossible, isOpen: false };
}

export function followAccount() {
  addEventListener(UNKNOWN_CALLER, invite);
  // Somebody may have logged in elsewhere meanwhile.
  document.addEventListener("visibilitychange", () => {
    if (isUnknown && !document.hidden) look();
  });
  look();
}
