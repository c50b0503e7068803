// The alert of a session: links to what belongs to it, its labels, and its data as it came.

import { isWeb } from "../state/web_address.js";
import { html } from "../ui.js";
import { linkWords } from "../words/alert_words.js";
import { TEXT } from "../words/language.js";
import { Fold } from "./fold.js";

/** @typedef {import("../state/session_links.js").SessionLink} SessionLink */

/** `own`: those of the configuration.
 *  @param {{ links: import("../state/alert_facts.js").Link[], runbook: string | null, own: SessionLink[] }} props */
export function Links({ links, runbook, own }) {
  const all = links
    .filter(({ address }) => address !== runbook)
    .map(({ name, address }) => ({ name: linkWords(name), address }));
  if (runbook !== null && runbook !== undefined && isWeb(runbook))
    all.unshift({ name: linkWords("runbook_url"), address: runbook });
  all.unshift(...own.map(({ name, address }) => ({ name, address })));
  if (all.length === 0) return null;
  return html`
    <section class="links" aria-labelledby="links">
      <h2 id="links">${TEXT.facts.links}</h2>
      <ul>
        ${all.map(
          ({ name, address }) => html`
          <li key=${address}><a href=${address} title=${address} rel="noopener noreferrer nofollow" target="_blank">${name}</a></li>
        `,
        )}
      </ul>
    </section>
  `;
}

/** A label leads to where a link of the configuration is about it.
 *  @param {{ labels: import("../state/alert_facts.js").Label[], own: SessionLink[] }} props */
export function Labels({ labels, own }) {
  if (labels.length === 0) return null;
  return html`
    <section class="labels" aria-labelledby="labels">
      <h2 id="labels">${TEXT.facts.labels}</h2>
      <dl>${labels.map(({ name, value }) => html`<div key=${name}><dt>${name}</dt><dd><${LabelValue} name=${name} value=${value} own=${own} /></dd></div>`)}</dl>
    </section>
  `;
}

/** @param {{ name: string, value: string, own: SessionLink[] }} props */
function LabelValue({ name, value, own }) {
  const link = own.find(({ labels }) => labels.includes(name));
  if (link === undefined) return value;
  return html`<a href=${link.address} title=${link.name} rel="noopener noreferrer nofollow" target="_blank">${value}</a>`;
}

/** @param {{ text: string }} props */
export function AlertData({ text }) {
  if (text === "") return null;
  return html`<${Fold} title=${TEXT.facts.alertData}><${Pretty} text=${text} /><//>`;
}

/** JSON is easier to read with line breaks. Anything else stays as it came.
 *  @param {{ text: string }} props */
function Pretty({ text }) {
  return html`<pre class="data" tabindex="0">${pretty(text)}</pre>`;
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
