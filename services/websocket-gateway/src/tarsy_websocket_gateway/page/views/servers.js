import { isLive, isLost } from "../stores/connection.js";
import { forgetWarnings, takeWarnings } from "../stores/servers_store.js";
import { html, useEffect, useRef } from "../ui.js";
import { serversView } from "./old_servers.js";

export function ServersView() {
  const place = useRef(null);
  useEffect(() => {
    serversView(place.current, { live: isLive, lost: isLost }, { update: takeWarnings, hide: forgetWarnings });
  }, []);
  return html`<div class="view" ref=${place}></div>`;
}
