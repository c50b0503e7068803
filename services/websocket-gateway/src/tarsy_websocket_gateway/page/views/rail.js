// What stands beside the story: details, the chat, and what runs now; tabs where there is room for a column, and else
// parts of the page one below the other.

import { isOver } from "../state/session_state.js";
import { chooseTab, shownTab } from "../stores/rail.js";
import { isWide } from "../stores/width.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { Chat } from "./chat.js";
import { Facts } from "./facts.js";
import { Lessons } from "./memory/lessons.js";
import { Now } from "./now.js";

/** @typedef {import("../stores/session_store.js").SessionStore} Store
 *  @typedef {import("../stores/rail.js").Tab} Tab */

/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

/** @param {{ store: Store }} props */
export function Rail({ store }) {
  store.version.value;
  const hasEnded = isOver(store.session);
  const tabs = /** @type {Tab[]} */ (hasEnded ? ["details", "chat"] : ["details", "chat", "now"]);
  const shown = shownTab(hasEnded);
  /** @param {Tab} tab */
  const panel = (tab) =>
    isWide.value
      ? { id: `rail-${tab}`, role: "tabpanel", "aria-labelledby": `tab-${tab}`, hidden: tab !== shown }
      : { id: `rail-${tab}` };
  if (store.session.status === null) return null;
  return html`
    <div class="rail">
      ${isWide.value && html`<${Tabs} tabs=${tabs} shown=${shown} choose=${(/** @type {Tab} */ tab) => chooseTab(tab, hasEnded)} />`}
      ${!hasEnded && html`<div class="panel" ...${panel("now")}><${Now} store=${store} /></div>`}
      <div class="panel" ...${panel("chat")}><${Chat} store=${store} isShown=${!isWide.value || shown === "chat"} /></div>
      <div class="panel" ...${panel("details")}>
        <aside class="side" aria-label=${TEXT.session.side}><${Facts} store=${store} /><${Lessons} store=${store} /></aside>
      </div>
    </div>
  `;
}

/** @param {{ tabs: Tab[], shown: Tab, choose: (tab: Tab) => void }} props */
function Tabs({ tabs, shown, choose }) {
  /** @param {KeyboardEvent} event */
  function press(event) {
    const step = STEPS[event.key];
    const next = step === undefined ? undefined : tabs.at((tabs.indexOf(shown) + step) % tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  }

  return html`
    <div class="tabs" role="tablist" aria-label=${TEXT.rail.label} onKeyDown=${press}>
      ${tabs.map(
        (tab) => html`
        <button
          key=${tab} type="button" role="tab" id=${`tab-${tab}`} aria-selected=${String(tab === shown)} aria-controls=${`rail-${tab}`}
          tabindex=${tab === shown ? 0 : -1} onClick=${() => choose(tab)}
        >${TEXT.rail.tabs[tab]}</button>
      `,
      )}
    </div>
  `;
}
