// A text of a model, as Markdown. What is too large to be worth it is shown as it is.

import { markdown } from "../markdown.js";
import { html, useMemo } from "../ui.js";

/** @param {{ text: string }} props */
export function Markdown({ text }) {
  const inside = useMemo(() => markdown(text), [text]);
  return html`<div class="markdown">${inside ?? html`<pre class="text">${text}</pre>`}</div>`;
}
