// A button that leads to the end of the story, and says how much came while a reader was elsewhere.

import { html, useEffect, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";

/** @param {{ store: import("../stores/session_store.js").SessionStore, end: { current: HTMLElement | null } }} props */
export function NewItems({ store, end }) {
  const isAtEnd = useSignal(true);
  const seen = useSignal(0);
  const came = store.arrivals.value;
  useEffect(() => {
    const place = end.current;
    if (place === null) return;
    const look = new IntersectionObserver(([entry]) => {
      isAtEnd.value = entry?.isIntersecting ?? true;
      seen.value = store.arrivals.value;
    });
    look.observe(place);
    return () => look.disconnect();
  }, []);
  const count = came - seen.value;
  if (isAtEnd.value || count <= 0) return null;
  return html`
    <button type="button" class="new-items" onClick=${() => end.current?.scrollIntoView({ block: "end" })}>${say(TEXT.story.arrivals, { count })}</button>
  `;
}
