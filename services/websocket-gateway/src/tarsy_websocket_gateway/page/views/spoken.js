// What a model said: text while it streams, Markdown when it is whole, folded when it stands above.

import { html } from "../ui.js";
import { counted } from "../words/wording.js";
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
          : html`<${Fold} title=${`This is the ${standing.above} above`}><${Markdown} text=${item.content} /><//>`
      }
      <${Notes} item=${item} />
    </div>
  `;
}

/** @param {{ item: import("../state/item_types.js").Item }} props */
function Notes({ item: { type, metadata } }) {
  const { display_cut: isCut, reminder, call_id: callId } = metadata;
  const saving = savingOf(metadata);
  return html`
    ${isCut === true && html`<p class="quiet">The rest is not shown here.</p>`}
    ${typeof reminder === "string" && html`<p class="quiet">The agent was reminded: ${reminder}</p>`}
    ${saving !== "" && html`<p class="quiet">${saving}</p>`}
    ${type === "mcp_tool_summary" && html`<${ResultLink} callId=${callId} title="Show the whole result" />`}
  `;
}

/** The model of a summary, and what the agent did not have to read.
 *  @param {import("../state/item_types.js").Metadata} metadata */
function savingOf({ model, tokens_before: before, tokens_after: after }) {
  if (typeof before !== "number" || typeof after !== "number") return "";
  return `${model}: about ${counted(before, "token")} became ${after.toLocaleString("en")}`;
}
