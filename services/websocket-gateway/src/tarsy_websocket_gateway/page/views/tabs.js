// Tabs, as the ARIA practices have them: arrows go from one to the next, Home and End to the first and the last, and
// only the chosen one is reached with Tab. A single one has no bar.

import { element, show } from "../elements.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export function tabs(label) {
  const bar = element("div", { class: "tabs", role: "tablist", "aria-label": label });
  const node = element("div", {}, bar);
  const all = [];
  show(bar, false);

  /** `id` names both for the browser; `content` is shown when the tab is chosen. */
  function add(id, tabContent, content) {
    const tab = element("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}` });
    const panel = element("div", { id: `panel-${id}` }, content);
    tab.append(...tabContent);
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", move);
    all.push({ tab, panel });
    bar.append(tab);
    node.append(panel);
    choose(all.find(isChosen)?.tab ?? tab);
  }

  function choose(chosen) {
    const isBar = all.length > 1;
    show(bar, isBar);
    for (const { tab, panel } of all) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.setAttribute("tabindex", tab === chosen ? "0" : "-1");
      show(panel, tab === chosen);
      if (isBar) {
        panel.setAttribute("role", "tabpanel");
        panel.setAttribute("aria-labelledby", tab.id);
        panel.setAttribute("tabindex", "0");
      }
    }
  }

  function move(event) {
    const from = all.findIndex(isChosen);
    const steps = STEPS[event.key];
    let to = null;
    if (event.key === "Home") to = 0;
    else if (event.key === "End") to = all.length - 1;
    else if (steps !== undefined) to = (from + steps + all.length) % all.length;
    if (to === null) return;
    event.preventDefault();
    choose(all[to].tab);
    all[to].tab.focus();
  }

  return { node, add };
}

function isChosen({ tab }) {
  return tab.getAttribute("aria-selected") === "true";
}
