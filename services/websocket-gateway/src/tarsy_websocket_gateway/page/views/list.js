// The latest sessions. Their status comes live; a session that is new makes the list be read again.

import { readSessions } from "../api.js";
import { element, show, write } from "../elements.js";
import { perFrame } from "../frames.js";
import { Live } from "../live.js";
import { newSessions, takePage, takeStatus } from "../sessions_state.js";
import { everySecond } from "./clock.js";
import { sessionRow } from "./row.js";

const PAGE_SIZE = 50;
const QUEUE_EVERY = 5000;
const AGAIN = [300, 700, 1500, 3000, 5000];

export function listView(content, connection, page) {
  const sessions = newSessions();
  const nodes = new Map();
  const notice = element("p", { class: "notice", role: "status" }, "Loading …");
  const list = element("ul", { class: "sessions" });
  const pages = element("nav", { class: "pages", "aria-label": "Pages" });
  content.replaceChildren(element("h1", {}, "Sessions"), notice, list, pages);

  const redraw = perFrame(() => draw(list, sessions, nodes));
  everySecond(redraw);

  async function read() {
    try {
      const answer = await readSessions(page, PAGE_SIZE);
      takePage(sessions, answer.sessions);
      write(notice, "No alert was investigated yet.");
      show(notice, answer.sessions.length === 0);
      drawPages(pages, page, answer.pagination.total_pages);
      redraw();
    } catch (problem) {
      write(notice, problem.message);
      show(notice, true);
    }
  }

  setInterval(() => {
    if (sessions.rows.some((row) => row.status === "pending")) read();
  }, QUEUE_EVERY);
  const readUntilKnown = untilKnown(read, sessions);
  new Live("sessions", {
    begins() {
      connection.live();
      read();
    },
    takes(message) {
      if (message.type === "session.deleted") read();
      if (message.type !== "session.status") return;
      if (takeStatus(sessions, message)) redraw();
      else if (page === 1) readUntilKnown(message.session_id);
    },
    interrupted: connection.lost,
  }).start();
  read();
}

/** The list may not have a new session yet when its first message comes. Reads for one at a time, a few times. */
function untilKnown(read, sessions) {
  const wanted = new Set();
  let isReading = false;
  async function readOn() {
    isReading = true;
    for (const pause of AGAIN) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const asked = [...wanted];
      await read();
      for (const id of asked) if (sessions.byId.has(id)) wanted.delete(id);
      if (wanted.size === 0) break;
    }
    wanted.clear();
    isReading = false;
  }
  return (id) => {
    wanted.add(id);
    if (!isReading) readOn();
  };
}

function draw(list, sessions, nodes) {
  const now = Date.now();
  const drawn = sessions.rows.map((row) => {
    if (!nodes.has(row.id)) nodes.set(row.id, sessionRow(row));
    nodes.get(row.id).update(row, now);
    return nodes.get(row.id).node;
  });
  if (drawn.length !== list.children.length || drawn.some((node, place) => list.children[place] !== node)) {
    list.replaceChildren(...drawn);
  }
  for (const id of nodes.keys()) if (!sessions.byId.has(id)) nodes.delete(id);
}

function drawPages(pages, page, total) {
  const links = [];
  if (page > 1) links.push(element("a", { href: `/?page=${page - 1}`, rel: "prev" }, "Newer"));
  if (page < total) links.push(element("a", { href: `/?page=${page + 1}`, rel: "next" }, "Older"));
  pages.replaceChildren(...links);
  show(pages, links.length > 0);
}
