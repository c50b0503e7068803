// The tools that a model was offered with one question.

import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { say } from "../../words/say.js";
import { Fold } from "../fold.js";
import { Gradually } from "../gradually.js";

/** @typedef {import("tarsy-api").components["schemas"]["ToolDefinition"]} Tool */

/** @param {{ tools: readonly Tool[] }} props */
export function OfferedTools({ tools }) {
  if (tools.length === 0) return html`<p class="quiet">${TEXT.recordCall.noTools}</p>`;
  return html`
    <${Fold} title=${say(TEXT.recordCall.tools, { count: tools.length })}>
      ${() => html`<ul class="offered"><${Gradually} items=${tools} draw=${draw} /></ul>`}
    <//>
  `;
}

/** @param {Tool} tool */
function draw({ name, description, input_schema: schema }) {
  return html`
    <li key=${name}>
      <${Fold} title=${html`<code>${name}</code>`}>
        ${() => html`<p class="text">${description}</p><pre class="data" tabindex="0">${JSON.stringify(schema, null, 2)}</pre>`}
      <//>
    </li>
  `;
}
