// The messages of a question: those as before are folded together, new and changed ones are shown.

import { differenceOf, removedCount } from "../../state/record_difference.js";
import { html, useMemo } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { runTitle } from "../../words/record_words.js";
import { say } from "../../words/say.js";
import { Fold } from "../fold.js";
import { MessageView } from "./message.js";

/** @typedef {import("../../state/record_difference.js").Run} Run
 *  @typedef {import("../../state/record_difference.js").Message} Message */

/** @param {{ before: readonly Message[] | null, now: readonly Message[] }} props */
export function Messages({ before, now }) {
  const runs = useMemo(() => differenceOf(before ?? [], now), [before, now]);
  const removed = removedCount(before ?? [], now);
  return html`
    <h4>${TEXT.messages.title}</h4>
    ${runs.map((run) => html`<${RunOfMessages} key=${run.messages[0]?.place} run=${run} hasBefore=${before !== null} />`)}
    ${removed > 0 && html`<p class="quiet">${say(TEXT.messages.removed, { count: removed })}</p>`}
  `;
}

/** @param {{ run: Run, hasBefore: boolean }} props */
function RunOfMessages({ run, hasBefore }) {
  const title = runTitle(run, hasBefore);
  const isNews = hasBefore && run.kind !== "same";
  const list = () => html`
    <ol class="messages" start=${(run.messages[0]?.place ?? 0) + 1}>
      ${run.messages.map(
        ({ place, message, before }) => html`
        <li key=${place} data-kind=${hasBefore ? run.kind : undefined}>
          <${MessageView} message=${message} isOpen=${isNews} />
          ${before !== null && html`<${MessageView} message=${before} title=${TEXT.messages.before} />`}
        </li>
      `,
      )}
    </ol>
  `;
  if (run.kind === "same") return html`<${Fold} title=${title}>${list}<//>`;
  return html`<p class="quiet">${title}</p>${list()}`;
}
