// What a model said: text while it streams, Markdown when it is whole, folded when it stands above.

import { html } from "../ui.js";
import { summaryNote } from "../words/item_words.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { Fold } from "./fold.js";
import { GrowingText } from "./growing_text.js";
import { Markdown } from "./markdown.js";
import { ResultLink } from "./result/link.js";

/** @param {import("./item.js").BodyProps} props */
export function SpokenBody({ item, standing }) {
  if (item.status !== "completed") return html`<div class="body"><${GrowingText} text=${item.content} /></div>`;
  return html`
    <div class="body">
      ${
        standing.above === ""
          ? html`<${Markdown} text=${item.content} />`
          : html`<${Fold} title=${TEXT.story.above[standing.above]}><${Markdown} text=${item.content} /><//>`
      }
      <${Notes} item=${item} />
    </div>
  `;
}

/** @param {{ item: import("../state/item_types.js").Item }} props */
function Notes({ item: { type, metadata } }) {
  const { display_cut: isCut, reminder, call_id: callId } = metadata;
  const note = summaryNote(metadata);
  return html`
    ${isCut === true && html`<p class="quiet">${TEXT.story.restNotShown}</p>`}
    ${typeof reminder === "string" && html`<p class="quiet">${say(TEXT.story.reminded, { reminder })}</p>`}
    ${note !== "" && html`<p class="quiet">${note}</p>`}
    ${type === "mcp_tool_summary" && html`<${ResultLink} callId=${callId} title=${TEXT.story.wholeResult} />`}
  `;
}
