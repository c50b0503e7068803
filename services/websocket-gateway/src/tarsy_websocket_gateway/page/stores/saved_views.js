// Searches that somebody has named. They are in this browser only.

import { readViews, without, withView } from "../state/saved_views_state.js";
import { signal } from "../ui.js";
import { remember, remembered } from "./browser_memory.js";

const PLACE = "tarsy.list-views";

export const savedViews = signal(readViews(remembered(PLACE)));

/** @param {string} name @param {string} address */
export function saveView(name, address) {
  keep(withView(savedViews.value, { name, address }));
}

/** @param {string} name */
export function forgetView(name) {
  keep(without(savedViews.value, name));
}

/** @param {import("../state/saved_views_state.js").SavedView[]} views */
function keep(views) {
  savedViews.value = views;
  remember(PLACE, JSON.stringify(views));
}
