// What the caller may do, by role. The server decides: the page only leaves out what it would refuse.

import { account } from "./account_store.js";

const ROLES = ["viewer", "responder", "operator", "admin"];

/** @typedef {"viewer" | "responder" | "operator" | "admin"} Role */

/** @param {Role} role */
export function may(role) {
  const { role: own, isOpen } = account.value;
  return isOpen || ROLES.indexOf(own ?? "") >= ROLES.indexOf(role);
}

/** Whether the caller is known not to have the role: of whom nothing is known it is not said.
 *  @param {Role} role */
export function mayNot(role) {
  return account.value.role !== null && !may(role);
}
