// Who one is, and whether one can log in. The page sees no credential: the browser sends its cookie by itself.

import { UNKNOWN_CALLER, canLogIn, mayRepeat, readMe } from "../net/api.js";
import { pauseAfter } from "../net/pauses.js";
import { renewLogin } from "../net/renewal.js";
import { signal } from "../ui.js";
import { TEXT } from "../words/language.js";

/** `name` is null when the server does not know the caller, or nobody is authenticated there: only then `isOpen`.
 *  `notice`: why a login has ended.
 *  @typedef {{ name: string | null, role: string | null, canLogIn: boolean, isOpen: boolean, notice: string }} Account */

const BEFORE_END = 60_000;
const SHORTEST = 10_000;
const LONGEST = 24 * 3600 * 1000;

let wasKnown = false;
let isUnknown = false;
let notice = "";
let nextRenewal = 0;
let nextLook = 0;
let failures = 0;

/** @type {import("@preact/signals").Signal<Account>} */
export const account = signal(nobody(false));

/** Where nobody is authenticated there is no role, and the name says nothing. */
async function look() {
  clearTimeout(nextLook);
  try {
    const { name, role, expires_at: endsAt } = await readMe();
    failures = 0;
    isUnknown = false;
    wasKnown = true;
    notice = "";
    planRenewal(endsAt);
    const isOpen = role === null;
    account.value = isOpen ? { ...nobody(false), isOpen } : { name, role, canLogIn: await canLogIn(), isOpen, notice };
  } catch (problem) {
    if (mayRepeat(problem)) lookAgain();
    else if (/** @type {import("../net/api.js").ApiError} */ (problem).status !== 401) account.value = nobody(false);
  }
}

/** A server that does not answer now does not make anybody another. */
function lookAgain() {
  failures += 1;
  nextLook = setTimeout(look, pauseAfter(failures));
}

/** In time before the login ends. The clock of this machine may be wrong: a request that is refused renews it, too.
 *  @param {string | null} endsAt */
function planRenewal(endsAt) {
  clearTimeout(nextRenewal);
  if (endsAt === null) return;
  const rest = Date.parse(endsAt) - Date.now();
  const pause = Math.min(Math.max(rest - Math.min(BEFORE_END, rest / 2), SHORTEST), LONGEST);
  nextRenewal = setTimeout(() => renew(endsAt), pause);
}

/** @param {string | null} endsAt null where it has ended */
async function renew(endsAt) {
  const renewal = await renewLogin(endsAt);
  clearTimeout(nextRenewal);
  if (renewal.is === "renewed") return look();
  if (renewal.is === "later") nextRenewal = setTimeout(() => renew(endsAt), SHORTEST);
  if (renewal.is === "ended") notice = renewal.sentence;
  else if (renewal.is === "later" && endsAt === null) notice = TEXT.account.renewedLater;
  else if (endsAt !== null) return;
  await invite();
}

/** Nobody is known by what the page sent. @param {Event} event */
async function lose(event) {
  notice = /** @type {CustomEvent<string>} */ (event).detail || notice;
  const isNews = !isUnknown && notice === "";
  isUnknown = true;
  await (isNews ? renew(null) : invite());
}

async function invite() {
  isUnknown = true;
  const isPossible = await canLogIn();
  if (isUnknown) account.value = nobody(isPossible);
}

/** @param {boolean} isPossible
 *  @returns {Account} */
function nobody(isPossible) {
  return { name: null, role: null, canLogIn: isPossible, isOpen: false, notice };
}

/** Whether nothing can be shown before a login. Who has read something before goes on reading. */
export function mustLogIn() {
  const { name, canLogIn } = account.value;
  return name === null && canLogIn && !wasKnown;
}

export function followAccount() {
  addEventListener(UNKNOWN_CALLER, lose);
  // Somebody may have logged in elsewhere meanwhile.
  document.addEventListener("visibilitychange", () => {
    if (isUnknown && !document.hidden) look();
  });
  look();
}
