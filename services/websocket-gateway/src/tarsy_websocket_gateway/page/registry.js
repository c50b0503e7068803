// The modules of bundles, which `page_files/bundles.py` makes of the page's files: functions that are called when a
// module is imported first. The first bundle begins with this file.

/** @typedef {(path: string) => any} Use
 *  @typedef {(use: Use, fetchModule: (path: string) => Promise<any>, address: (path: string) => string) => object} Factory */

/** @type {Record<string, Factory>} */
const factories = {};
/** @type {Record<string, object>} */
const made = {};

/** What two bundles have is made once. @param {Record<string, Factory>} more by the path of the module */
export function add(more) {
  Object.assign(factories, more);
}

/** What the module exports. @type {Use} */
function use(path) {
  made[path] ??= /** @type {Factory} */ (factories[path])(use, fetchModule, address);
  return made[path];
}

/** The module of a view, which has a bundle of its own. @param {string} path */
async function fetchModule(path) {
  await import(`./${path}`);
  return use(path);
}

/** Where the module itself is served. @param {string} path */
function address(path) {
  return new URL(`../${path}`, import.meta.url).href;
}
