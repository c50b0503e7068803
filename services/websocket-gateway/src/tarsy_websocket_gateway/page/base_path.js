// Where the page is served, which may be below a path: all its addresses lie below it, and are written without it.

const ASSETS = /\/assets\/[^/]+\/[^/]*$/;

/** Empty where the page has a name of its own. */
const BASE = basePathOf(new URL(import.meta.url).pathname);

/** @param {string} module the path of this module */
export function basePathOf(module) {
  return ASSETS.test(module) ? module.replace(ASSETS, "") : "";
}

/** As the browser has it: an address that is below the path already, or is none of ours, stays as it is.
 *  @param {string} address of the page or of the API */
export function outward(address, base = BASE) {
  return address.startsWith("/") && !isBelow(address, base) ? `${base}${address}` : address;
}

/** As the page has it. @param {string} path of the browser's address */
export function inward(path, base = BASE) {
  return isBelow(path, base) ? path.slice(base.length) || "/" : path;
}

/** Where whoever is elsewhere finds TARSy; without a slash at its end. */
export function siteAddress() {
  return `${location.origin}${BASE}`;
}

/** @param {string} address @param {string} base */
function isBelow(address, base) {
  return address.startsWith(base) && ["", "/", "?", "#"].includes(address.charAt(base.length));
}
