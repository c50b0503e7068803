import { isLive, isLost } from "../stores/connection.js";
import { html, useEffect, useRef } from "../ui.js";
import { sessionView } from "./old_session.js";

export function SessionView({ id }) {
  const place = useRef(null);
  useEffect(() => sessionView(place.current, { live: isLive, lost: isLost }, id), []);
  return html`<div class="view" ref=${place}></div>`;
}
