// The tools of a server: asked for when they are unfolded, and when there are more or fewer of them.

import { readServer } from "../../net/api.js";
import { html, useEffect, useSignal } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { toolFacts } from "../../words/server_words.js";
import { Fold } from "../fold.js";
import { Gradually } from "../gradually.js";

const PREVIEW_CHARACTERS = 120;

/** @typedef {import("tarsy-api").components["schemas"]["McpTool"]} McpTool */

/** @param {{ id: string }} props */
export function ToolList({ id }) {
  /** @type {import("@preact/signals").Signal<McpTool[] | null>} */
  const tools = useSignal(null);
  const notice = useSignal(/** @type {string} */ (TEXT.page.loading));
  useEffect(() => {
    readServer(id).then(
      (server) => {
        tools.value = server.tools;
        notice.value = "";
      },
      (problem) => {
        notice.value = problem.message;
      },
    );
  }, []);
  if (tools.value === null) return html`<p class="notice" role="status">${notice.value}</p>`;
  return html`<ul class="tools"><${Gradually} items=${tools.value} draw=${drawTool} /></ul>`;
}

/** @param {McpTool} tool */
function drawTool(tool) {
  return html`<li key=${tool.name}><${ToolRow} tool=${tool} /></li>`;
}

/** @param {{ tool: McpTool }} props */
function ToolRow({ tool }) {
  const about = tool.annotations?.title || tool.description;
  const summary = html`
    <code class="tool">${tool.name}</code>
    <span class="preview" title=${about}>${about.slice(0, PREVIEW_CHARACTERS)}</span>
    <span class="outcome quiet">${toolFacts(tool)}</span>
  `;
  return html`
    <${Fold} kind="call" title=${summary}>
      ${() => html`
        <div class="inside">
          <p class="text">${tool.description || TEXT.tool.notDescribed}</p>
          <h3>${TEXT.tool.arguments}</h3>
          <pre class="data" tabindex="0">${JSON.stringify(tool.input_schema, null, 2)}</pre>
        </div>
      `}
    <//>
  `;
}
