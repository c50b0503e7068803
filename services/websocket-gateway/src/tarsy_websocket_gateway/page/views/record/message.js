// One message of a conversation: who it is of, its text, and the calls of tools that it asks for.

import { html, useSignal } from "../../ui.js";
import { argumentLines } from "../../words/call_arguments.js";
import { TEXT } from "../../words/language.js";
import { roleName } from "../../words/record_words.js";
import { say } from "../../words/say.js";
import { CopyButton } from "../copy.js";
import { follow } from "../fold.js";
import { LongText } from "./long_text.js";

/** @typedef {import("tarsy-api").components["schemas"]["TracedMessage"]} Message */

const PREVIEW = 120;

/** `session`: the address of the session whose results the calls lead to; none where they are not of this answer.
 *  @param {{ message: Message, title?: string, session?: string, isOpen?: boolean }} props */
export function MessageView({ message, title, session, isOpen: wasOpen = false }) {
  const isOpen = useSignal(wasOpen);
  const name = title ?? roleName(message);
  return html`
    <details class="message" data-role=${message.role} open=${isOpen.value} onToggle=${follow(isOpen)}>
      <summary>
        <span class="name">${name}</span>${" "}
        ${message.is_error && html`<span class="failure">${TEXT.messages.error}</span>${" "}`}
        <span class="quiet">${say(TEXT.counts.characters, { count: message.content.length })}</span>${" "}
        ${!isOpen.value && html`<span class="quiet preview" title=${previewOf(message)}>${previewOf(message)}</span>`}
      </summary>
      ${isOpen.value && html`<${Inside} message=${message} name=${name} session=${session} />`}
    </details>
  `;
}

/** @param {Message} message */
function previewOf({ content, tool_calls: calls }) {
  if (content === "") return calls.map(({ name }) => name).join(", ");
  return content.slice(0, PREVIEW);
}

/** @param {{ message: Message, name: string, session: string | undefined }} props */
function Inside({ message, name, session }) {
  const { content, tool_calls: calls } = message;
  return html`
    <p class="row"><${CopyButton} text=${() => textOf(message)} title=${say(TEXT.messages.copy, { name })} /></p>
    ${content !== "" && html`<${LongText} text=${content} />`}
    ${calls.map(
      ({ id, name: tool, arguments: given }) => html`
      <div key=${id} class="asked-call">
        <p><code class="tool">${tool}</code>${" "}${session !== undefined && html`<a href=${`${session}?result=${id}`} data-view>${TEXT.messages.result}</a>`}</p>
        <pre class="data" tabindex="0">${argumentLines(given)}</pre>
      </div>
    `,
    )}
  `;
}

/** @param {Message} message */
function textOf({ content, tool_calls: calls }) {
  return [content, ...calls.map(({ name, arguments: given }) => `${name} ${argumentLines(given)}`)]
    .filter(Boolean)
    .join("\n\n");
}
