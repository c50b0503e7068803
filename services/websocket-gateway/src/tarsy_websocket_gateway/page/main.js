// Which address shows what.

import { connectionLine } from "./views/connection.js";
import { listView } from "./views/list.js";
import { sessionView } from "./views/session.js";

const content = document.getElementById("content");
const connection = connectionLine(document.getElementById("connection"));
const session = /^\/sessions\/([A-Za-z0-9._-]{1,200})\/?$/.exec(location.pathname);

if (session !== null) sessionView(content, connection, session[1]);
else listView(content, connection, pageNumber());

function pageNumber() {
  const page = Number(new URLSearchParams(location.search).get("page") ?? 1);
  return Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1;
}
