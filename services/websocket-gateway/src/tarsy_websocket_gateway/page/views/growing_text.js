// A text that streams: what is there is left alone while more comes, so that a selection in it stays.

import { html, useLayoutEffect, useRef } from "../ui.js";

/** @param {{ text: string, name?: string }} props  `name`: of its class */
export function GrowingText({ text, name = "text" }) {
  /** @type {{ current: HTMLElement | null }} */
  const place = useRef(null);
  useLayoutEffect(() => {
    if (place.current !== null) write(place.current, text);
  }, [text]);
  return html`<div class=${name} ref=${place}></div>`;
}

/** @param {HTMLElement} place
 *  @param {string} text */
function write(place, text) {
  const known = place.firstChild;
  if (known instanceof Text && text.startsWith(known.data)) known.appendData(text.slice(known.data.length));
  else place.textContent = text;
}
