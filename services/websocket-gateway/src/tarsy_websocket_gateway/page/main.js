// Which address shows what.

import { accountLine } from "./views/account.js";
import { connectionLine } from "./views/connection.js";
import { listView } from "./views/list.js";
import { serversView } from "./views/servers.js";
import { serversLine } from "./views/servers_line.js";
import { sessionView } from "./views/session.js";

const content = document.getElementById("content");
accountLine(document.getElementById("account"));
const connection = connectionLine(document.getElementById("connection"));
const servers = serversLine(document.getElementById("servers"));
const isServers = /^\/servers\/?$/.test(location.pathname);
const session = /^\/sessions\/([A-Za-z0-9._-]{1,200})\/?$/.exec(location.pathname);

if (isServers) serversView(content, connection, servers);
else if (session !== null) sessionView(content, connection, session[1]);
else listView(content, connection, pageNumber());
if (!isServers) servers.follow();

function pageNumber() {
  const page = Number(new URLSearchParams(location.search).get("page") ?? 1);
  return Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1;
}
