// The tools of a server: asked for when they are unfolded, and when there are more or fewer of them; a schema is in the
// page only while it is unfolded.

import { readServer } from "../net/api.js";
import { element, show, write } from "../elements.js";
import { drawSome, perFrame } from "../frames.js";
import { toolFacts } from "../words/server_words.js";
import { counted } from "../words/wording.js";

const PREVIEW = 120;

export function toolsFold(id) {
  const heading = element("summary", {});
  const notice = element("p", { class: "notice", role: "status" });
  const list = element("ul", { class: "tools" });
  const fold = element("details", { class: "fold" }, heading, notice, list);
  let shownCount = null;
  let tools = [];
  let waiting = new Set();
  let asked = 0;

  const draw = perFrame(() => {
    if (drawSome(waiting, (place) => list.append(toolRow(tools[place])))) draw();
  });

  function clear() {
    list.replaceChildren();
    waiting = new Set();
  }

  async function fill() {
    asked += 1;
    const mine = asked;
    clear();
    if (!fold.open) return;
    write(notice, "Loading …");
    show(notice, true);
    try {
      const server = await readServer(id);
      if (mine !== asked) return;
      tools = server.tools;
      waiting = new Set(tools.keys());
      show(notice, false);
      draw();
    } catch (problem) {
      if (mine === asked) write(notice, problem.message);
    }
  }

  function update(count) {
    if (count === shownCount) return;
    shownCount = count;
    write(heading, counted(count, "tool"));
    if (fold.open) fill();
  }

  fold.addEventListener("toggle", fill);
  return { node: fold, update };
}

function toolRow(tool) {
  const inner = element("div", { class: "inside" });
  const about = tool.annotations?.title || tool.description;
  const fold = element(
    "details",
    { class: "call" },
    element(
      "summary",
      {},
      element("code", { class: "tool" }, tool.name),
      element("span", { class: "preview" }, about.slice(0, PREVIEW)),
      element("span", { class: "outcome quiet" }, toolFacts(tool)),
    ),
    inner,
  );
  fold.addEventListener("toggle", () => inner.replaceChildren(...(fold.open ? inside(tool) : [])));
  return element("li", {}, fold);
}

function inside({ description, input_schema: schema }) {
  return [
    element("p", { class: "text" }, description || "The server does not describe it."),
    element("h3", {}, "Arguments"),
    element("pre", { class: "data", tabindex: "0" }, JSON.stringify(schema, null, 2)),
  ];
}
