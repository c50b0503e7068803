// Labels and links of an alert, found in its data: JSON of Alertmanager, of PagerDuty, or of anyone.

import { isWeb } from "./web_address.js";

const MOST_LINKS = 12;
const MOST_LABELS = 40;
const DEEPEST = 5;
const LABELS = new Set(["labels", "commonlabels", "tags"]);

/** @typedef {{ name: string, value: string }} Label
 *  @typedef {{ name: string, address: string }} Link */

/** @param {string} text
 *  @returns {{ labels: Label[], links: Link[] }} */
export function alertFacts(text) {
  /** @type {Map<string, string>} */
  const labels = new Map();
  /** @type {Map<string, string>} by address */
  const links = new Map();
  look(parsed(text), "", 0);
  return {
    labels: [...labels].slice(0, MOST_LABELS).map(([name, value]) => ({ name, value })),
    links: [...links].slice(0, MOST_LINKS).map(([address, name]) => ({ name, address })),
  };

  /** @param {unknown} value
   *  @param {string} inside  the name of what it is in
   *  @param {number} depth */
  function look(value, inside, depth) {
    if (typeof value !== "object" || value === null || depth > DEEPEST) return;
    const isLabels = LABELS.has(inside.toLowerCase());
    for (const [name, one] of Object.entries(value)) {
      if (typeof one === "string" && isWeb(one)) {
        if (!links.has(one)) links.set(one, Array.isArray(value) ? inside : name);
      } else if (isLabels && !labels.has(name) && (typeof one === "string" || typeof one === "number")) {
        labels.set(name, String(one));
      } else {
        look(one, Array.isArray(value) ? inside : name, depth + 1);
      }
    }
  }
}

/** @param {string} text
 *  @returns {unknown} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
