// A thought of a model: one line, but whole while it streams, and while it is among the last of a session that runs.

import { html, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { shortened } from "../words/wording.js";
import { GrowingText } from "./growing_text.js";
import { RecordLink } from "./record_link.js";

const LINE = 160;

/** @param {import("./item.js").BodyProps} props */
export function ThoughtBody({ item, isLast }) {
  /** Null until somebody chooses.
   *  @type {import("@preact/signals").Signal<boolean | null>} */
  const chosen = useSignal(null);
  const text = item.content;
  if (item.status === "streaming" || isShort(text)) {
    return html`<div class="line"><span class="label">${TEXT.story.thinking}</span></div><${GrowingText} name="body text" text=${text} />`;
  }
  const isOpen = chosen.value ?? isLast;

  /** @param {Event} event */
  function toggle(event) {
    if (event.currentTarget instanceof HTMLDetailsElement && event.currentTarget.open !== isOpen) {
      chosen.value = event.currentTarget.open;
    }
  }

  return html`
    <details class="thought" open=${isOpen} onToggle=${toggle}>
      <summary><span class="label">${TEXT.story.thinking}</span> ${!isOpen && html`<span class="first-line" title=${firstLine(text)}>${firstLine(text)}</span>`}</summary>
      ${isOpen && html`<div class="body text">${text}</div><${RecordLink} item=${item} />`}
    </details>
  `;
}

/** @param {string} text */
function isShort(text) {
  const whole = text.trim();
  return whole.length <= LINE && !whole.includes("\n");
}

/** @param {string} text */
function firstLine(text) {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > LINE ? shortened(line, LINE) : say(TEXT.story.moreFollows, { line });
}
