// A session as a file.

import { saveFile } from "../clipboard.js";
import { html } from "../ui.js";
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
      <h2 id="export">Export</h2>
      <div class="row">
        <button type="button" onClick=${saveMarkdown}>Markdown</button>
        <button type="button" onClick=${saveJson}>JSON</button>
        <button type="button" onClick=${() => print()}>Print</button>
      </div>
    </section>
  `;
}
