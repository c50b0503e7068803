// How many sessions run, in the title and the icon of the tab.

import { running } from "../stores/running.js";
import { useEffect } from "../ui.js";
import { titleOf } from "../words/list_words.js";

const ICONS = { resting: "icon.svg", running: "icon-running.svg" };

export function useRunningTitle() {
  const count = running.value;
  useEffect(() => {
    document.title = titleOf(count);
    showIcon(count > 0 ? ICONS.running : ICONS.resting);
  }, [count]);
  useEffect(() => () => showIcon(ICONS.resting), []);
}

/** @param {string} name */
function showIcon(name) {
  const link = document.querySelector('link[rel="icon"]');
  const address = new URL(`../${name}`, import.meta.url).pathname;
  if (link?.getAttribute("href") !== address) link?.setAttribute("href", address);
}
