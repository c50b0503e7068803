// What is to be done now, by the analysis: each step, and its commands as rows to copy.

import { stepsToDo } from "../state/do_now.js";
import { html, useMemo } from "../ui.js";
import { TEXT } from "../words/language.js";
import { CopyButton } from "./copy.js";
import { Markdown } from "./markdown.js";

/** @param {{ analysis: string }} props */
export function DoNow({ analysis }) {
  const steps = useMemo(() => stepsToDo(analysis), [analysis]);
  if (steps.length === 0) return null;
  return html`
    <section class="do-now" aria-labelledby="do-now">
      <h2 id="do-now">${TEXT.verdict.doNow}</h2>
      <ol>
        ${steps.map(
          ({ text, commands }, place) => html`
          <li key=${place}>
            ${text !== "" && html`<${Markdown} text=${text} />`}
            ${commands.map((command, at) => html`<${Command} key=${at} command=${command} />`)}
          </li>
        `,
        )}
      </ol>
    </section>
  `;
}

/** @param {{ command: string }} props */
function Command({ command }) {
  return html`
    <div class="command"><code tabindex="0">${command}</code><${CopyButton} text=${() => command} title=${TEXT.copy.command} /></div>
  `;
}
