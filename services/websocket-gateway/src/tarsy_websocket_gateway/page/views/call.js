// A tool call: one line, which unfolds to its arguments and its result. What is folded is not in the page.

import { html, useSignal } from "../ui.js";
import { argumentLine, argumentLines } from "../words/call_arguments.js";
import { beginningWords, outcomeFacts, outcomeStatus, outcomeWord, roleOf } from "../words/call_words.js";
import { TEXT } from "../words/language.js";
import { shortened } from "../words/wording.js";
import { follow } from "./fold.js";
import { RecordLink } from "./record_link.js";
import { ResultLink } from "./result/link.js";
import { BriefStatus } from "./status.js";

const PREVIEW = 120;

/** @typedef {import("../state/item_types.js").Item} Item */

/** @param {import("./item.js").BodyProps} props */
export function CallBody({ item, lead = "" }) {
  const isOpen = useSignal(false);
  const { server_name: server, tool_name: name, arguments: given } = item.metadata;
  const line = shortened(argumentLine(given), PREVIEW);
  return html`
    <div class="body">
      <details class="call" open=${isOpen.value} onToggle=${follow(isOpen)}>
        <summary>
          <span class="called"><code class="tool" title=${`${server}.${name}`}>${server}.${name}</code>${roleOf(item) !== "" && html` <span class="quiet">${roleOf(item)}</span>`}</span>
          <span class="preview" title=${`${lead} ${line}`.trim()}>${lead !== "" && html`<span class="lead">${lead}</span> `}<code>${line}</code></span>
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
    ${repeatable === false && html`<strong class="changes">${TEXT.call.changes}</strong>`}
    <${BriefStatus} status=${outcomeStatus(item)} word=${outcomeWord(outcome)} />
    <span class="quiet">${outcomeFacts(item)}</span>
  `;
}

/** @param {{ item: Item }} props */
function Inside({ item }) {
  const { status, content, metadata } = item;
  const isCut = metadata.display_cut === true || metadata.cut === true;
  return html`
    <h3>${TEXT.call.arguments}</h3>
    <pre class="data" tabindex="0">${argumentLines(metadata.arguments)}</pre>
    <h3>${TEXT.call.result}</h3>
    <${Result} isThere=${status !== "streaming"} content=${content} />
    ${isCut && html`<p class="quiet">${beginningWords(metadata.lines ?? 0)}</p>`}
    ${status !== "streaming" && html`<${ResultLink} callId=${metadata.call_id} title=${isCut ? TEXT.call.rest : TEXT.call.inDrawer} />`}
    <p><${RecordLink} item=${item} /></p>
  `;
}

/** @param {{ isThere: boolean, content: string }} props */
function Result({ isThere, content }) {
  if (!isThere) return html`<p class="quiet">${TEXT.call.notThere}</p>`;
  if (content === "") return html`<p class="quiet">${TEXT.call.empty}</p>`;
  return html`<pre class="data" tabindex="0">${content}</pre>`;
}
