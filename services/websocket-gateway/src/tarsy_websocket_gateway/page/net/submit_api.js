// The REST API that takes alerts, and what it offers for them.

import { ask } from "./api.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

/** @returns {Promise<Schemas["AlertTypeList"]>} */
export function readAlertTypes() {
  return ask("/api/v1/alert-types");
}

/** Addresses of runbooks that alerts named, the newest first.
 *  @returns {Promise<string[]>} */
export function readRunbooks() {
  return ask("/api/v1/runbooks");
}

/** The tools of an alert that chooses none; without a type, those of the default one.
 *  @param {string} alertType
 *  @returns {Promise<Schemas["DefaultTools"]>} */
export function readDefaultTools(alertType) {
  const query = alertType === "" ? "" : `?${new URLSearchParams({ alert_type: alertType })}`;
  return ask(`/api/v1/system/default-tools${query}`);
}

/** `body` is JSON. The same key again meets the same session.
 *  @param {string} body
 *  @param {string} key
 *  @returns {Promise<Schemas["AlertAccepted"]>} */
export function submitAlert(body, key) {
  return ask("/api/v1/alerts", {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body,
  });
}
