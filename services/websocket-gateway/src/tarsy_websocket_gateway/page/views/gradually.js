// A long list, drawn a few rows a frame: what is drawn already is not drawn again.

import { useLayoutEffect, useRef, useState } from "../ui.js";

const ROWS_A_FRAME = 25;

/** Other items need another `key`. `draw` makes a row with a key.
 *  @template T
 *  @param {{ items: readonly T[], draw: (item: T) => import("preact").VNode }} props */
export function Gradually({ items, draw }) {
  const rows = useRef(/** @type {import("preact").VNode[]} */ ([]));
  const [count, setCount] = useState(ROWS_A_FRAME);
  rows.current.push(...items.slice(rows.current.length, count).map(draw));
  useLayoutEffect(() => {
    if (count >= items.length) return undefined;
    const next = requestAnimationFrame(() => setCount(count + ROWS_A_FRAME));
    return () => cancelAnimationFrame(next);
  }, [count, items.length]);
  return rows.current.slice();
}
