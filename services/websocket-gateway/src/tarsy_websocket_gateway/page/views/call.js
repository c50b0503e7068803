// A tool call: one line, which unfolds to its arguments and its result. What is folded is not in the page.

import { html, useSignal } from "../ui.js";
import { argumentLine, argumentLines } from "../words/call_arguments.js";
import { outcomeFacts, outcomeStatus } from "../words/call_words.js";
import { counted } from "../words/wording.js";
import { follow } from "./fold.js";
import { RecordLink } from "./record_link.js";
import { ResultLink } from "./result/link.js";
import { Status } from "./status.js";

const PREVIEW = 120;

/** @typedef {import("../state/item_types.js").Item} Item */

/** @param {import("./item.js").BodyProps} props */
export function CallBody({ item }) {
  const isOpen = useSignal(false);
  const { server_name: server, tool_name: name, arguments: given } = item.metadata;
  return html`
    <div class="body">
      <details class="call" open=${isOpen.value} onToggle=${follow(isOpen)}>
        <summary>
          <code class="tool">${server}.${name}</code>
          <code class="preview">${short(argumentLine(given))}</code>
          <span class="outcome"><${Outcome} item=${item} /></span>
          <span class="progress" hidden=${item.progress === null}>${item.progress?.text ?? ""}</span>
        </summary>
        <div class="inside">${isOpen.value && html`<${Inside} item=${item} />`}</div>
      </details>
    </div>
  `;
}

/** @param {{ item: Item }} props */
function Outcome({ item }) {
  const { outcome, repeatable } = item.metadata;
  return html`
    ${repeatable === false && html`<strong class="changes">changes something</strong>`}
    <${Status} status=${outcomeStatus(item)} word=${outcome?.replaceAll("_", " ")} />
    <span class="quiet">${outcomeFacts(item)}</span>
  `;
}

/** @param {string} text */
function short(text) {
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text;
}

/** @param {{ item: Item }} props */
function Inside({ item }) {
  const { status, content, metadata } = item;
  const isCut = metadata.display_cut === true || metadata.cut === true;
  return html`
    <h3>Arguments</h3>
    <pre class="data" tabindex="0">${argumentLines(metadata.arguments)}</pre>
    <h3>Result</h3>
    <${Result} isThere=${status !== "streaming"} content=${content} />
    ${isCut && html`<p class="quiet">Only the beginning is shown, of ${counted(metadata.lines ?? 0, "line")}.</p>`}
    ${status !== "streaming" && html`<${ResultLink} callId=${metadata.call_id} title=${isCut ? "Show the rest" : "Read it in the drawer"} />`}
    <p><${RecordLink} item=${item} /></p>
  `;
}

/** @param {{ isThere: boolean, content: string }} props */
function Result({ isThere, content }) {
  if (!isThere) return html`<p class="quiet">It is not there yet.</p>`;
  if (content === "") return html`<p class="quiet">It is empty.</p>`;
  return html`<pre class="data" tabindex="0">${content}</pre>`;
}
