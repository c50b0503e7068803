// One session as it happens.

import { readSession } from "../net/api.js";
import { element, show, write } from "../elements.js";
import { perFrame } from "../frames.js";
import { Live } from "../net/live.js";
import { beginAgain, newSession, take } from "../state/session_state.js";
import { hasEnded } from "../words/wording.js";
import { executiveSummary, finalAnalysis } from "./analysis.js";
import { cancelling } from "./cancelling.js";
import { chat } from "./chat.js";
import { everySecond } from "./old_clock.js";
import { sessionHead } from "./head.js";
import { stages } from "./stages.js";
import { timeline } from "./timeline.js";
import { turns } from "./turns.js";

const QUEUE_EVERY = 5000;

export function sessionView(content, connection, id) {
  const session = newSession();
  const notice = element("p", { class: "notice", role: "status" }, "Loading …");
  const cancel = cancelling(id);
  const head = sessionHead(id, cancel.node);
  const chatTurns = turns(session);
  const items = timeline(session, chatTurns);
  const questions = chat(id, chatTurns);
  const parts = [head, executiveSummary(), finalAnalysis(), stages(), items, questions];
  content.replaceChildren(notice, ...parts.map((part) => part.node));

  const redraw = perFrame(() => {
    for (const part of [cancel, ...parts]) part.update(session);
  });
  let isKnown = false;

  function apply(changes) {
    if (changes.session) redraw();
    items.changed(changes.items);
  }

  async function read(atLeast = 0) {
    try {
      const detail = await readSession(id, atLeast);
      if (detail.id !== id) {
        // The alert joined another session.
        location.replace(`/sessions/${detail.id}`);
        return;
      }
      isKnown = true;
      show(notice, false);
      head.about(detail);
      questions.about(detail);
      apply(take(session, asStatus(detail)));
      redraw();
    } catch (problem) {
      if (isKnown) return;
      write(notice, problem.status === 404 ? `No session ${id} is known here.` : problem.message);
      show(notice, true);
    }
  }

  new Live(`session:${id}`, {
    begins() {
      connection.live();
      apply(beginAgain(session));
      if (!isKnown) read();
    },
    takes(message) {
      if (message.session_id !== id) return;
      if (message.type === "session.deleted") {
        write(notice, "This session was deleted.");
        show(notice, true);
      }
      apply(take(session, message));
      if (!isKnown && message.type === "session.status") read(message.number);
    },
    unknown: connection.live,
    interrupted: connection.lost,
  }).start();
  everySecond(() => {
    if (!hasEnded(session.status)) head.tick(session);
  });
  setInterval(() => {
    if (session.status === "pending") read();
  }, QUEUE_EVERY);
  read();
}

/** So that something is there before the WebSocket is. */
function asStatus(detail) {
  return {
    type: "session.status",
    number: detail.last_number,
    status: detail.status,
    final_analysis: detail.final_analysis,
    executive_summary: detail.executive_summary,
    executive_summary_error: detail.executive_summary_error,
    error_message: detail.error_message,
    timestamp: detail.completed_at ?? detail.started_at ?? detail.created_at,
  };
}
