// Light, dark, or as the system has it. `theme.js` reads what is kept here before the page is painted.

import { signal } from "../ui.js";
import { forget, remember } from "./browser_memory.js";

const KEY = "theme";

/** @typedef {"system" | "light" | "dark"} Theme */

/** @type {import("@preact/signals").Signal<Theme>} */
export const theme = signal(now());

/** @param {Theme} chosen */
export function choose(chosen) {
  theme.value = chosen;
  if (chosen === "system") {
    delete document.documentElement.dataset.theme;
    forget(KEY);
  } else {
    document.documentElement.dataset.theme = chosen;
    remember(KEY, chosen);
  }
}

/** @returns {Theme} */
function now() {
  const { theme: chosen } = document.documentElement.dataset;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}
