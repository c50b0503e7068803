// A session as it leaves the page: its address, its verdict as text, and the whole of it as a file or on paper.

import { saveFile } from "../clipboard.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";
import { slackText } from "../words/slack_text.js";
import { citedVerdictText, sessionJson, sessionText } from "../words/verdict_text.js";
import { CopyButton } from "./copy.js";
import { Menu } from "./menu.js";

/** @param {{ store: import("../stores/session_store.js").SessionStore }} props */
export function Share({ store }) {
  const { session, id } = store;
  const detail = () => store.detail.value;
  const address = () => `${location.origin}${location.pathname}`;

  function saveMarkdown() {
    saveFile(`session-${id}.md`, sessionText(session, detail()), "text/markdown");
  }

  function saveJson() {
    saveFile(`session-${id}.json`, sessionJson(session, detail()), "application/json");
  }

  return html`
    <${Menu} title=${TEXT.share.title} kind="share">
      <${CopyButton} text=${address} label=${TEXT.share.link} />
      <${CopyButton} text=${() => slackText(session, detail(), address())} label=${TEXT.share.slack} />
      <${CopyButton} text=${() => citedVerdictText(session, detail())} label=${TEXT.share.markdown} />
      <button type="button" onClick=${saveMarkdown}>${TEXT.share.saveMarkdown}</button>
      <button type="button" onClick=${saveJson}>${TEXT.share.saveJson}</button>
      <button type="button" onClick=${() => print()}>${TEXT.share.print}</button>
    <//>
  `;
}
