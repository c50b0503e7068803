// Web pages that a model found with a tool of its provider, and what it did with such a tool. Titles and addresses are
// text from outside: only an address of the web is a link, and its page learns nothing of this one.

import { isWeb } from "../state/web_address.js";
import { html } from "../ui.js";
import { sourceName } from "../words/citation_words.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { CodeBlock } from "./code_block.js";

/** @typedef {import("../state/citations.js").Source} Source */

/** @param {{ sources: Source[] }} props */
export function Sources({ sources }) {
  return html`
    <ul class="sources">
      ${sources.map((source, at) => html`<li key=${at}>${source.number > 0 && html`<span class="quiet">${sourceName(source.number)} </span>`}<${Page} source=${source} /></li>`)}
    </ul>
  `;
}

/** @param {{ source: Source }} props */
function Page({ source: { url, title } }) {
  if (!isWeb(url)) return html`<span>${title || url}</span>`;
  return html`<a href=${url} title=${url} rel="noopener noreferrer nofollow" target="_blank">${title || url}</a>`;
}

/** @param {import("./item.js").BodyProps} props */
export function NativeCallBody({ item }) {
  const {
    queries = [],
    sources = [],
    sources_left_out: more = 0,
    code = "",
    output = "",
    outcome = "",
  } = item.metadata;
  return html`
    <div class="body">
      ${queries.length > 0 && html`<ul class="queries">${queries.map((query, at) => html`<li key=${at}>${query}</li>`)}</ul>`}
      ${code !== "" && html`<${CodeBlock} text=${code} />`}
      ${outcome !== "" && html`<p class="quiet">${say(TEXT.story.nativeOutcome, { outcome })}</p>`}
      ${output !== "" && html`<${CodeBlock} text=${output} />`}
      ${sources.length > 0 && html`<${Sources} sources=${sources} />`}
      ${more > 0 && html`<p class="quiet">${say(TEXT.story.sourcesLeftOut, { count: more })}</p>`}
    </div>
  `;
}
