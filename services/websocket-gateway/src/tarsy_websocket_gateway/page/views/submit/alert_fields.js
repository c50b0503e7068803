// What is to be investigated: the text of the alert, and a title for it.

import { kindOf } from "../../state/submission.js";
import { html, useMemo } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { kindWords } from "../../words/submit_words.js";
import { Field, controlOf } from "./field.js";

/** @param {{ store: import("../../stores/draft_store.js").DraftStore }} props */
export function AlertFields({ store }) {
  const { data, title } = store.draft.value;
  const { data: mistake, title: titleMistake } = store.mistakes.value;
  const kind = useMemo(() => kindOf(data), [data]);
  /** @param {{ currentTarget: HTMLTextAreaElement }} event */
  const type = ({ currentTarget: { value } }) => store.change({ data: value });
  /** @param {{ currentTarget: HTMLInputElement }} event */
  const name = ({ currentTarget: { value } }) => store.change({ title: value });
  const indent = () => store.change({ data: JSON.stringify(JSON.parse(data), null, 2) });
  return html`
    <${Field} name="data" label=${TEXT.submit.alert} mistake=${mistake} about=${kindWords(kind, data)}>
      <textarea ...${controlOf("data", mistake)} rows="12" required spellcheck=${false} value=${data} onInput=${type}></textarea>
    <//>
    ${kind.kind === "json" && html`<button type="button" class="indent" onClick=${indent}>${TEXT.submit.indent}</button>`}
    <${Field} name="title" label=${TEXT.submit.titleField} mistake=${titleMistake} about=${TEXT.submit.titleAbout}>
      <input type="text" ...${controlOf("title", titleMistake)} value=${title} onInput=${name} />
    <//>
  `;
}
