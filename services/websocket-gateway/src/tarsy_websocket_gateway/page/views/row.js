// One line of the list.

import { shownNow } from "../stores/connection.js";
import { html } from "../ui.js";
import { activityWords } from "../words/activity_words.js";
import { wholeTime } from "../words/formats.js";
import { TEXT } from "../words/language.js";
import { marksOf } from "../words/list_marks.js";
import * as words from "../words/list_words.js";
import { say } from "../words/say.js";
import { isLimited } from "../words/wording.js";
import { Took } from "./clock.js";
import { SeverityBar } from "./severity.js";
import { BriefStatus } from "./status.js";

/** @typedef {import("../state/list_row.js").Row} Row */
/** `place` counts from 0, of `count`; `top` is in pixels. `chosen` is null where nothing can be done with many.
 *  @typedef {{ row: Row, place: number, count: number, top: number, chosen: import("../stores/chosen.js").Chosen | null,
 *    same?: import("../state/same_failures.js").Same, onToggleSame: (reason: string) => void }} Props */

/** @param {Props} props */
export function SessionRow({ row, place, count, top, chosen, same, onToggleSame }) {
  const isChosen = chosen?.ids.value.has(row.id) ?? false;
  return html`
    <li class="listed" data-id=${row.id} data-chosen=${isChosen} style=${{ top: `${top}px` }}
        aria-posinset=${place + 1} aria-setsize=${count}>
      ${
        chosen !== null &&
        html`
        <input type="checkbox" aria-label=${say(TEXT.list.choose, { title: row.title })} checked=${isChosen} onChange=${() => chosen.toggle(row.id)} />
      `
      }
      <a href=${`/sessions/${encodeURIComponent(row.id)}`} data-view>
        <${SeverityBar} severity=${row.severity} />
        <span class="title" title=${row.title}>${row.title}</span>
        <span class="where" title=${row.where}>${row.where}</span>
        <span class="told">
          <span class="gist"><${Outcome} row=${row} answer=${chosen?.answers.value.get(row.id)} /></span>
          ${marksOf(row).map(
            (mark) => html`
            <span class="mark" key=${mark.word} title=${mark.title} data-heavy=${mark.isHeavy}>${mark.word}</span>
          `,
          )}
        </span>
        <${BriefStatus} status=${row.status} isLimited=${isLimited(row)} />
        <${Age} stamp=${row.createdAt} />
        <${Took} from=${row.startedAt} until=${row.endedAt} />
        <span class="tokens" title=${words.usageTitle(row)}>${words.usageWords(row)}</span>
      </a>
      ${
        same !== undefined &&
        html`<button type="button" class="same" aria-expanded=${String(same.isOpen)} title=${words.sameTitle(same)} onClick=${() => onToggleSame(same.reason)}>${say(TEXT.list.same, { count: same.others + 1 })}</button>`
      }
    </li>
  `;
}

/** What was just answered about it, else what it does or what came of it.
 *  @param {{ row: Row, answer: string | undefined }} props */
function Outcome({ row, answer }) {
  if (answer !== undefined) return html`<strong>${answer}</strong>`;
  const now = row.status === "in_progress" ? row.now : null;
  const text = now === null ? words.waitingWords(row) || words.outcomeWords(row) : activityWords(now, shownNow.value);
  return html`<span title=${text}>${text}</span>`;
}

/** How long ago it came. @param {{ stamp: string }} props */
function Age({ stamp }) {
  const time = new Date(stamp);
  return html`
    <time class="age" datetime=${stamp} title=${wholeTime(time)}>${words.age(shownNow.value - time.getTime())}</time>
  `;
}
