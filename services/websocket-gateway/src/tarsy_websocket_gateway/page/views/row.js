// One line of the list.

import { html } from "../ui.js";
import { Time, Took } from "./clock.js";
import { Status } from "./status.js";

/** @param {{ row: import("../state/sessions_state.js").Row }} props */
export function SessionRow({ row }) {
  const about = [row.severity, row.where, row.alertType, row.source, row.scripted ? "scripted model" : ""];
  return html`
    <li>
      <a href=${`/sessions/${encodeURIComponent(row.id)}`} data-view>
        <span class="title">${row.title}</span>
        <span class="about">${about.filter(Boolean).join(" · ")}</span>
        <${Status} status=${row.status} />
        <span class="when">
          <${Time} stamp=${row.createdAt} />
          <${Took} from=${row.startedAt} until=${row.endedAt} />
          <span class="place">${place(row)}</span>
        </span>
      </a>
    </li>
  `;
}

function place({ status, queuePosition, approvalsWaiting }) {
  if (status === "pending" && queuePosition !== null) return `number ${queuePosition} in the queue`;
  return approvalsWaiting > 0 ? "waits for a person" : "";
}
