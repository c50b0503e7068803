// The runbook: where it comes from, and folded what it says, or why it is not there.

import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { CitedSession } from "./citation.js";
import { Fold } from "./fold.js";
import { Markdown } from "./markdown.js";

/** @param {import("./item.js").BodyProps} props */
export function RunbookBody({ item }) {
  return html`
    <div class="body">
      <code class="address">${String(item.metadata.arguments?.url ?? "")}</code>
      <div><${Inside} status=${item.status} content=${item.content} /></div>
    </div>
  `;
}

/** @param {{ status: string, content: string }} props */
function Inside({ status, content }) {
  if (status === "streaming") return html`<p class="quiet">${TEXT.story.runbookFetched}</p>`;
  if (status === "completed") return html`<${Fold} title=${TEXT.story.runbook}><${Words} text=${content} /><//>`;
  return html`<p class="quiet">${say(TEXT.story.runbookMissing, { why: content })}</p>`;
}

/** Nobody who wrote it knew the calls of this session.
 *  @param {{ text: string }} props */
function Words({ text }) {
  return html`<${CitedSession.Provider} value=${null}><${Markdown} text=${text} /><//>`;
}
