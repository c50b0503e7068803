// The links of the configuration: asked for once, with the first session. Without an answer there are none.

import { readLinks } from "../net/system_api.js";
import { signal, useEffect } from "../ui.js";

/** @typedef {import("tarsy-api").components["schemas"]["LinkTemplate"]} LinkTemplate */

/** @type {import("@preact/signals").Signal<readonly LinkTemplate[]>} */
const templates = signal([]);
let isAsked = false;

export function useLinkTemplates() {
  useEffect(() => {
    ask();
  }, []);
  return templates.value;
}

async function ask() {
  if (isAsked) return;
  isAsked = true;
  try {
    templates.value = await readLinks();
  } catch {
    // The next session asks again.
    isAsked = false;
  }
}
