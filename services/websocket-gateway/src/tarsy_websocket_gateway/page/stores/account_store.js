// Who one is, and whether one can log in. The page sees no credential: the browser sends its cookie by itself.

import { UNKNOWN_CALLER, canLogIn, readMe } from "../net/api.js";
import { signal } from "../ui.js";

/** `name` is null when the server does not know the caller, or nobody is authenticated there.
 *  @type {import("@preact/signals").Signal<{ name: string | null, role: string | null, canLogIn: boolean }>} */
export const account = signal({ name: null, role: null, canLogIn: false });

let isUnknown = false;

/** Where nobody is authenticated there is no role, and the name says nothing. */
async function look() {
  try {
    const { name, role } = await readMe();
    isUnknown = false;
    account.value = role === null ? nobody(false) : { name, role, canLogIn: await canLogIn() };
  } catch (problem) {
    if (problem.status !== 401) account.value = nobody(false);
  }
}

async function invite() {
  isUnknown = true;
  const isPossible = await canLogIn();
  if (isUnknown) account.value = nobody(isPossible);
}

function nobody(isPossible) {
  return { name: null, role: null, canLogIn: isPossible };
}

export function followAccount() {
  addEventListener(UNKNOWN_CALLER, invite);
  // Somebody may have logged in elsewhere meanwhile.
  document.addEventListener("visibilitychange", () => {
    if (isUnknown && !document.hidden) look();
  });
  look();
}
