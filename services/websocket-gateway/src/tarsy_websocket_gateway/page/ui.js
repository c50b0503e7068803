// What views are made of: elements by htm and Preact, state by signals. Every text becomes a text node.

import { outward } from "./base_path.js";
import htm from "./vendor/htm.mjs";
import { h } from "./vendor/preact.mjs";

export { Fragment, createContext, render } from "./vendor/preact.mjs";
export { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/preact-hooks.mjs";
export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "./vendor/signals.mjs";

export const html = htm.bind(element);

/** A link is written as an address of the page, wherever that is served.
 *  @param {any} type @param {any} properties @param {any[]} children */
function element(type, properties, ...children) {
  const href = type === "a" ? properties?.href : undefined;
  return h(type, typeof href === "string" ? { ...properties, href: outward(href) } : properties, ...children);
}
