// A session as a file.

import { saveFile } from "../clipboard.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { sessionJson, sessionText } from "../words/verdict_text.js";

/** @param {{ store: import("../stores/session_store.js").SessionStore }} props */
export function Export({ store }) {
  const { session, detail, id } = store;

  function saveMarkdown() {
    saveFile(`session-${id}.md`, sessionText(session, detail.value), "text/markdown");
  }

  function saveJson() {
    saveFile(`session-${id}.json`, sessionJson(session, detail.value), "application/json");
  }

  return html`
    <section class="export" aria-labelledby="export">
      <h2 id="export">${TEXT.export.title}</h2>
      <div class="row">
        <button type="button" onClick=${saveMarkdown}>${TEXT.export.markdown}</button>
        <button type="button" onClick=${saveJson}>${TEXT.export.json}</button>
        <button type="button" onClick=${() => print()}>${TEXT.export.print}</button>
      </div>
    </section>
  `;
}
