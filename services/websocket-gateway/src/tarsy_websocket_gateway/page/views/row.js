// One line of the list.

import { element, write } from "../elements.js";
import { setDuration, timeOf } from "./clock.js";
import { setStatus, statusChip } from "./status.js";

export function sessionRow(row) {
  const chip = statusChip(row.status);
  const took = element("span", { class: "took" });
  const place = element("span", { class: "place" });
  const about = [row.severity, row.where, row.alertType, row.source, row.scripted ? "scripted model" : ""];
  const node = element(
    "li",
    {},
    element(
      "a",
      { href: `/sessions/${encodeURIComponent(row.id)}` },
      element("span", { class: "title" }, row.title),
      element("span", { class: "about" }, about.filter(Boolean).join(" · ")),
      chip,
      element("span", { class: "when" }, timeOf(row.createdAt), took, place),
    ),
  );
  function update(now) {
    setStatus(chip, now.status);
    setDuration(took, now.startedAt, now.endedAt);
    const waits = now.status === "pending" && now.queuePosition !== null;
    const asks = now.approvalsWaiting > 0 ? "waits for a person" : "";
    write(place, waits ? `number ${now.queuePosition} in the queue` : asks);
  }
  return { node, update };
}
