// The time of the browser, once a second: a view that reads it is drawn again.

import { signal } from "../ui.js";

export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);
document.addEventListener("visibilitychange", () => {
  now.value = Date.now();
});
