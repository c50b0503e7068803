// The focus goes to an element as soon as it is there.

import { useLayoutEffect, useRef } from "../ui.js";

/** @template {HTMLElement} T @returns {import("preact").RefObject<T | null>} */
export function useFocused() {
  const node = useRef(/** @type {T | null} */ (null));
  useLayoutEffect(() => node.current?.focus(), []);
  return node;
}
