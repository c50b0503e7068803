// What the session is about: its alert, state and times.

import { element, show, write } from "../elements.js";
import { hasEnded } from "../words/wording.js";
import { setDuration, timeOf } from "./old_clock.js";
import { setStatus, statusChip } from "./old_status.js";

export function sessionHead(id, actions) {
  const title = element("h1", {}, "Session");
  const chip = statusChip("");
  const state = element("p", { class: "state", role: "status" }, chip);
  const took = element("span", { class: "took" });
  const facts = element("dl", { class: "facts" });
  const error = element("p", { class: "failure" });
  const alert = element("div");
  const queue = element("p", { class: "queue quiet" });
  const row = element("div", { class: "row" }, state, queue, actions);
  const node = element("header", { class: "head" }, title, row, error, facts, alert);
  show(node, false);
  let startedAt = null;
  let place = null;

  function about(detail) {
    startedAt = detail.started_at;
    place = detail.queue_position ?? null;
    write(title, detail.title || detail.alert_type || "Session");
    document.title = `${title.textContent} · TARSy`;
    const rows = [
      ["Alert", [detail.severity, detail.alert_type].filter(Boolean).join(" · ")],
      ["From", [...new Set([detail.source, detail.author])].filter(Boolean).join(" · ")],
      ["Began", timeOf(detail.created_at)],
      ["Took", took],
      ["Model", detail.scripted ? "scripted" : ""],
      ["Session", element("code", {}, id)],
    ];
    facts.replaceChildren(...rows.filter(([, value]) => value !== "").map(([name, value]) => fact(name, value)));
    alert.replaceChildren(alertData(detail.alert_data ?? ""));
    show(node, true);
  }

  function tick(session) {
    setDuration(took, startedAt, hasEnded(session.status) ? session.changedAt : null);
  }

  function update(session) {
    setStatus(chip, session.status ?? "");
    const waits = session.status === "pending" && place !== null;
    if (waits) write(queue, `It waits for its turn: number ${place} in the queue.`);
    show(queue, waits);
    if (session.status === "in_progress") startedAt ??= session.changedAt;
    write(error, session.error);
    show(error, session.error !== "");
    tick(session);
  }

  return { node, about, tick, update };
}

function fact(name, value) {
  return element("div", {}, element("dt", {}, name), element("dd", {}, value));
}

function alertData(text) {
  const shown = element("pre", { class: "data", tabindex: "0" });
  const fold = element("details", { class: "fold" }, element("summary", {}, "Alert data"), shown);
  fold.addEventListener("toggle", () => write(shown, pretty(text)), { once: true });
  return fold;
}

/** JSON is easier to read with line breaks. Anything else stays as it came. */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
