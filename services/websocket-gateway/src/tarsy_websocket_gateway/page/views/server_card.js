// One MCP server: its state, and folded what each gateway sees of it, and its tools.

import { element, show, write } from "../elements.js";
import { serverFacts, serverState } from "../words/server_words.js";
import { counted } from "../words/wording.js";
import { timeOf } from "./old_clock.js";
import { toolsFold } from "./tools_fold.js";

export function serverCard(id) {
  const chip = element("span", { class: "status" });
  const facts = element("p", { class: "quiet" });
  const error = element("p", { class: "failure text" });
  const workers = element("ul", { class: "workers" });
  const seen = element("summary", {});
  const tools = toolsFold(id);
  const node = element(
    "section",
    { class: "server" },
    element("header", { class: "row" }, element("h2", {}, id), chip),
    facts,
    error,
    element("details", { class: "fold" }, seen, workers),
    tools.node,
  );
  let told = "";

  function update(server) {
    const { word, tone } = serverState(server);
    chip.dataset.tone = tone;
    write(chip, word);
    write(facts, serverFacts(server));
    write(error, server.error ?? "");
    show(error, server.error !== null);
    tools.update(server.tool_count);
    drawWorkers(server.workers);
  }

  function drawWorkers(all) {
    const now = JSON.stringify(all);
    if (now === told) return;
    told = now;
    write(seen, `Seen by ${counted(all.length, "tool gateway")}`);
    workers.replaceChildren(...all.map(workerRow));
  }

  return { node, update };
}

function workerRow(worker) {
  const { word, tone } = serverState({ ...worker, workers: [worker] });
  const chip = element("span", { class: "status", "data-tone": tone }, word);
  const times = element(
    "span",
    { class: "quiet" },
    "since ",
    timeOf(worker.since),
    ", asked ",
    timeOf(worker.checked_at),
  );
  const head = element("div", { class: "row" }, element("code", {}, worker.worker_id), chip, times);
  const error = worker.error === null ? null : element("p", { class: "failure text" }, worker.error);
  return element("li", {}, head, element("p", { class: "quiet" }, serverFacts(worker)), error);
}
