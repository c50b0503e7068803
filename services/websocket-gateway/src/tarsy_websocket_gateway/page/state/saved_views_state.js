// Searches that somebody has named, as they are kept in the browser: no DOM and no storage.

/** `address` is one of the list. @typedef {{ name: string, address: string }} SavedView */

const MOST_VIEWS = 20;
export const LONGEST_NAME = 60;
const LONGEST_ADDRESS = 2000;

/** What is not understood is not there. @param {string | null} text @returns {SavedView[]} */
export function readViews(text) {
  try {
    const found = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter(isView).slice(0, MOST_VIEWS) : [];
  } catch {
    return [];
  }
}

/** The latest is the last; one of the same name is replaced. @param {SavedView[]} views @param {SavedView} view */
export function withView(views, view) {
  const named = { ...view, name: view.name.trim().slice(0, LONGEST_NAME) };
  if (!isView(named)) return views;
  return [...without(views, named.name), named].slice(-MOST_VIEWS);
}

/** @param {SavedView[]} views @param {string} name */
export function without(views, name) {
  return views.filter((view) => view.name !== name);
}

/** @param {unknown} view @returns {view is SavedView} */
function isView(view) {
  if (typeof view !== "object" || view === null || !("name" in view) || !("address" in view)) return false;
  const { name, address } = view;
  if (typeof name !== "string" || typeof address !== "string") return false;
  const isAddress = /^\/(\?|$)/.test(address) && address.length <= LONGEST_ADDRESS;
  return name !== "" && name.length <= LONGEST_NAME && isAddress;
}
