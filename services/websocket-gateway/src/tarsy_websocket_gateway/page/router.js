// The address as a signal. A link to the page itself changes the address without loading the page again.

import { inward, outward } from "./base_path.js";
import { computed, signal } from "./ui.js";

const here = signal(read());

export const path = computed(() => inward(here.value.pathname));
export const query = computed(() => new URLSearchParams(here.value.search));

/** Where the reader stood on what they come back to, and what they come from; null after any other way.
 *  @type {{ top: number, from: string } | null} */
let comeBack = null;

addEventListener("popstate", ({ state }) => {
  comeBack = typeof state?.top === "number" ? { top: state.top, from: path.peek() } : null;
  here.value = read();
});
document.addEventListener("click", follow);

/** For a view that is shown again. */
export function wayBack() {
  return comeBack;
}

/** @param {string} address of the page itself */
export function go(address) {
  comeBack = null;
  history.replaceState({ top: scrollY }, "");
  history.pushState(null, "", outward(address));
  here.value = read();
  scrollTo({ top: 0 });
}

/** Returns what leads on once something is answered, unless the view of now was left meanwhile.
 *  @returns {(address: string) => void} */
export function planToGo() {
  const left = path.peek();
  return (address) => {
    if (path.peek() === left) go(address);
  };
}

/** In the place of the address of now, and loaded anew. @param {string} address of the page itself */
export function loadInstead(address) {
  location.replace(outward(address));
}

/** Something opens beside what is shown: its reader stays where they are.
 *  @param {string} address of the page itself */
export function goBeside(address) {
  history.pushState(null, "", outward(address));
  here.value = read();
}

/** Another address of what is shown already: nothing to go back to.
 *  @param {string} address */
export function replaceAddress(address) {
  history.replaceState(null, "", outward(address));
  here.value = read();
}

function read() {
  return new URL(location.href);
}

/** @param {MouseEvent} event */
function follow(event) {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || event.defaultPrevented || event.button !== 0 || hasModifier(event)) return;
  if (link.target !== "" || link.hasAttribute("download") || !link.hasAttribute("data-view")) return;
  event.preventDefault();
  if (link.href === location.href) return;
  if (link.hasAttribute("data-beside")) goBeside(link.href);
  else go(link.href);
}

/** @param {MouseEvent} event */
function hasModifier(event) {
  return event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}
