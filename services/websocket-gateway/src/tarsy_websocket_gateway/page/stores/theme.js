// Light, dark, or as the system has it. `theme.js` reads what is kept here before the page is painted.

import { signal } from "../ui.js";

const KEY = "theme";

/** @typedef {"system" | "light" | "dark"} Theme */

/** @type {import("@preact/signals").Signal<Theme>} */
export const theme = signal(now());

/** @param {Theme} chosen */
export function choose(chosen) {
  theme.value = chosen;
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  try {
    if (chosen === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // Without storage it holds until the page is left.
  }
}

/** @returns {Theme} */
function now() {
  const { theme: chosen } = document.documentElement.dataset;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}
