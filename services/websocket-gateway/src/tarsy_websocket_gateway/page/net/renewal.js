// Renewal of the page's login: the gateway has the refresh token, the page says when.

import { send } from "./request.js";

/** `ended`: somebody has to log in again, and `sentence` says why. `later`: nobody can tell now.
 *  @typedef {{ is: "renewed" | "none" | "later" } | { is: "ended", sentence: string }} Renewal */
/** @typedef {{ available: boolean, renewable: boolean }} LoginState */

const LOCK = "tarsy-login-renewal";

/** @type {Promise<Renewal> | null} */
let running = null;

/** A server that does not answer has no login. @returns {Promise<LoginState>} */
export async function readLoginState() {
  try {
    const { available, renewable } = await (await send("/login/available", {})).json();
    return { available: available === true, renewable: renewable === true };
  } catch {
    return { available: false, renewable: false };
  }
}

/** One at a time, in all tabs of the browser: a refresh token is for one use.
 *  @param {string | null} endsAt when the login ends that is renewed; null where it has ended
 *  @returns {Promise<Renewal>} */
export function renewLogin(endsAt) {
  running ??= alone(() => renewUnlessDone(endsAt)).finally(() => {
    running = null;
  });
  return running;
}

/** Pages that came over plain http from elsewhere have no locks, and no login.
 *  @param {() => Promise<Renewal>} act @returns {Promise<Renewal>} */
async function alone(act) {
  return navigator.locks ? await navigator.locks.request(LOCK, act) : act();
}

/** @param {string | null} endsAt @returns {Promise<Renewal>} */
async function renewUnlessDone(endsAt) {
  if (!(await readLoginState()).renewable) return { is: "none" };
  try {
    if (await isRenewed(endsAt)) return { is: "renewed" };
    const answer = await send("/login/renew", { method: "POST" });
    if (answer.ok) return { is: "renewed" };
    return answer.status === 401 ? { is: "ended", sentence: (await answer.json()).detail } : { is: "later" };
  } catch {
    return { is: "later" };
  }
}

/** Another tab may have done it. @param {string | null} endsAt */
async function isRenewed(endsAt) {
  const answer = await send("/api/v1/me", {});
  if (!answer.ok) return false;
  const { expires_at: now } = await answer.json();
  return endsAt === null || Date.parse(now) > Date.parse(endsAt);
}
