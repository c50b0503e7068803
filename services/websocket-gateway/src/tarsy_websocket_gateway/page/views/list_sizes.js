// The heights of rows and headings, as `list.css` has them: they grow with the letters that the reader has chosen.

import { useEffect, useMemo, useState } from "../ui.js";

const NARROW = matchMedia("(max-width: 64rem)");

/** @returns {import("../state/list_layout.js").Sizes} */
export function useSizes() {
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const changed = () => setNarrow(NARROW.matches);
    NARROW.addEventListener("change", changed);
    return () => NARROW.removeEventListener("change", changed);
  }, []);
  return useMemo(() => {
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    return { row: (isNarrow ? 3.75 : 2.5) * rem, head: 2.25 * rem, foot: 2.5 * rem, gap: 0.75 * rem };
  }, [isNarrow]);
}
