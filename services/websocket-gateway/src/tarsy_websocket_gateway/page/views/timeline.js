// The story: what happened, stage by stage and agent by agent, in order. What belongs to no agent stands before the
// stages, and what belongs to a question in its turn of the chat.

import { OF_THE_SESSION } from "../state/lists_of_items.js";
import { inOrder } from "../state/order_of_stages.js";
import { isOver } from "../state/session_state.js";
import { chosenPart } from "../state/story_filter.js";
import { extent } from "../stores/choice_store.js";
import { shownMoment } from "../stores/connection.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { ExtentChoice } from "./extent.js";
import { useFollow } from "./follow.js";
import { ItemList } from "./item_list.js";
import { NewItems } from "./new_items.js";
import { StageGroup } from "./stage_group.js";

/** @param {{ store: import("../stores/session_store.js").SessionStore }} props */
export function Timeline({ store }) {
  store.version.value;
  const { session } = store;
  const stages = inOrder(session);
  const isGrowing = session.status !== null && !isOver(session) && shownMoment.value === null;
  const end = useFollow(store, isGrowing, location.hash === "");
  const chosen = chosenPart(session, store.chosenPart.value);
  const isEmpty = stages.length === 0 && store.story.count.value === 0;
  return html`
    <section
      class=${isOver(session) ? "timeline ended" : "timeline"} aria-labelledby="timeline" hidden=${isEmpty} data-show=${extent.value}
    >
      <div class="story-head"><h2 id="timeline">${TEXT.story.title}</h2><${ExtentChoice} /></div>
      ${chosen !== null && html`<${ChosenPart} store=${store} name=${chosen.name} />`}
      <${ItemList} store=${store} list=${OF_THE_SESSION} isHidden=${chosen !== null} />
      <div class="groups">${stages.map((stage) => html`<${StageGroup} key=${stage.stage_id} store=${store} stage=${stage} chosen=${chosen?.id ?? ""} />`)}</div>
      <div class="end-of-story" ref=${end}></div>
      ${!isOver(session) && html`<${NewItems} store=${store} end=${end} />`}
    </section>
  `;
}

/** @param {{ store: import("../stores/session_store.js").SessionStore, name: string }} props */
function ChosenPart({ store, name }) {
  return html`
    <p class="chosen-part">
      <span>${say(TEXT.story.only, { name })}</span>
      <button type="button" onClick=${() => store.choosePart(store.chosenPart.value)}>${TEXT.story.showAll}</button>
    </p>
  `;
}
