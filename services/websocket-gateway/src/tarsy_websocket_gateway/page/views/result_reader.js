// The whole result of a call: page by page, the lines of a time, or those that match a search. Nothing is asked for until
// it is unfolded.

import { readResult, resultDownload } from "../net/api.js";
import { element, show, write } from "../elements.js";
import { lineSummary, matchSummary } from "../words/result_words.js";

const START = { offset: 0, byte: 0 };

export function resultReader(sessionId, callId, title) {
  const inner = element("div", { class: "reader" });
  const fold = element("details", { class: "fold" }, element("summary", {}, title), inner);
  fold.addEventListener("toggle", () => {
    inner.replaceChildren(...(fold.open ? reading(sessionId, callId) : []));
  });
  return fold;
}

function reading(sessionId, callId) {
  const words = element("input", { type: "search", "aria-label": "Search in the result" });
  words.placeholder = "An expression of RE2: timeout|refused";
  const anyCase = element("input", { type: "checkbox" });
  const [from, until] = [timeInput("from"), timeInput("until")];
  const times = [label(from, "from"), label(until, "until")];
  const search = element(
    "form",
    { class: "row" },
    words,
    label(anyCase, "any case"),
    ...times,
    button("Search", "submit"),
  );
  const [back, on] = [button("Previous"), button("Next")];
  const notice = element("p", { class: "quiet", role: "status" });
  const lines = element("pre", { class: "data", tabindex: "0" });
  const whole = element("a", { href: resultDownload(sessionId, callId), download: "" }, "Download the whole result");
  const pages = element("div", { class: "row" }, back, on, whole);
  const terminal = element("p", { class: "quiet" }, "In a terminal: ");
  terminal.append(element("code", {}, `tarsy result ${sessionId} ${callId.slice(0, 8)}`));
  let places = [START];
  let following = null;
  let wanted = {};
  let asked = 0;

  async function read() {
    asked += 1;
    const mine = asked;
    back.disabled = on.disabled = true;
    write(notice, "Reading …");
    try {
      const found = await readResult(sessionId, callId, { ...places.at(-1), ...wanted });
      if (mine === asked) draw(found);
    } catch (problem) {
      if (mine === asked) write(notice, problem.message);
    }
    if (mine === asked) back.disabled = places.length < 2;
  }

  function draw(found) {
    following = found.next;
    on.disabled = following === null;
    write(notice, found.matches === null ? lineSummary(found) : matchSummary(found));
    lines.replaceChildren(...rows(found.lines));
    lines.scrollTop = 0;
    show(lines, found.lines.length > 0);
  }

  search.addEventListener("submit", (event) => {
    event.preventDefault();
    places = [START];
    wanted = {
      ...(words.value === "" ? {} : { search: words.value, ignore_case: anyCase.checked }),
      ...(from.value === "" ? {} : { from: from.value.trim() }),
      ...(until.value === "" ? {} : { until: until.value.trim() }),
    };
    read();
  });
  on.addEventListener("click", () => {
    places.push(following);
    read();
  });
  back.addEventListener("click", () => {
    places.pop();
    read();
  });
  read();
  return [search, notice, lines, pages, terminal];
}

/** With a mark where lines are left out between two. */
function rows(lines) {
  const width = String(lines.at(-1)?.number ?? "").length;
  return lines.flatMap((line, place) => {
    const isGap = place > 0 && line.number > lines[place - 1].number + 1;
    return isGap ? [element("span", { class: "quiet" }, "--\n"), lineRow(line, width)] : [lineRow(line, width)];
  });
}

function lineRow({ number, byte, text, matches, goes_on: goesOn }, width) {
  const where = `${String(number).padStart(width)}${byte > 0 ? `+${byte}` : ""}`;
  const shown = `${byte > 0 ? "…" : ""}${text}${goesOn ? "…" : ""}\n`;
  return element("span", { class: "row-of-text", "data-line": where }, matches ? element("mark", {}, shown) : shown);
}

function button(text, type = "button") {
  return element("button", { type }, text);
}

/** A text, and no date of the browser's: lines have other zones than the reader, and an alert's time can be pasted. */
function timeInput(name) {
  const input = element("input", { name, size: "20", autocomplete: "off" });
  input.placeholder = "2026-11-22T10:05";
  return input;
}

function label(input, text) {
  return element("label", {}, input, ` ${text}`);
}
