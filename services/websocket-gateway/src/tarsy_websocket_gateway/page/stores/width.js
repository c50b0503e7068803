// Whether the window has room for three columns.

import { signal } from "../ui.js";

const wide = matchMedia("(min-width: 75rem)");

export const isWide = signal(wide.matches);

wide.addEventListener("change", () => {
  isWide.value = wide.matches;
});
