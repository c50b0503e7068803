// A button that unfolds what it offers. A press elsewhere closes it, and so does Escape.

import { html, useEffect, useRef } from "../ui.js";

/** @param {{ title: string, kind: string, children: import("preact").ComponentChildren }} props */
export function Menu({ title, kind, children }) {
  const menu = useClosing();
  return html`
    <details class=${`menu ${kind}`} ref=${menu}>
      <summary class="button">${title}</summary>
      <div class="menu-items card">${children}</div>
    </details>
  `;
}

/** Returns a ref for its element. */
export function useClosing() {
  const menu = useRef(/** @type {HTMLDetailsElement | null} */ (null));
  useEffect(() => {
    /** @param {Event} event */
    const close = (event) => {
      const isInside = event.target instanceof Node && menu.current?.contains(event.target);
      const isKey = event instanceof KeyboardEvent;
      if (!menu.current?.open || (isKey ? event.key !== "Escape" : isInside)) return;
      menu.current.open = false;
      if (isKey) menu.current.querySelector("summary")?.focus();
    };
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, close);
    return () => {
      for (const kind of ["pointerdown", "keydown"]) removeEventListener(kind, close);
    };
  }, []);
  return menu;
}
