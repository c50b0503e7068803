// The height of a row of a result, as `result.css` has it: it grows with the letters that the reader has chosen.

import { useMemo } from "../../ui.js";

const REMS = 1.25;

/** In pixels. */
export function useRowHeight() {
  return useMemo(() => REMS * Number.parseFloat(getComputedStyle(document.documentElement).fontSize), []);
}
