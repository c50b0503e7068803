// The focus goes to an element as soon as it is there.

import { useEffect, useRef } from "../ui.js";

/** @template {HTMLElement} T @returns {import("preact").RefObject<T | null>} */
export function useFocused() {
  const node = useRef(/** @type {T | null} */ (null));
  useEffect(() => node.current?.focus(), []);
  return node;
}
