// A form that has an alert investigated.

import { planToGo, query } from "../../router.js";
import { account } from "../../stores/account_store.js";
import { DraftStore } from "../../stores/draft_store.js";
import { may } from "../../stores/rights.js";
import { SubmitOptions } from "../../stores/submit_options.js";
import { FIELDS } from "../../state/submission.js";
import { html, useEffect, useMemo, useRef } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { whyNotSubmit } from "../../words/submit_words.js";
import { AlertFields } from "./alert_fields.js";
import { ChoiceFields } from "./choice_fields.js";
import { ToolChoice } from "./tool_choice.js";

export function SubmitView() {
  useEffect(() => {
    document.title = TEXT.submit.documentTitle;
  }, []);
  const { role } = account.value;
  const isRefused = role !== null && !may("responder");
  return html`
    <h1>${TEXT.submit.title}</h1>
    ${isRefused ? html`<p class="notice" role="status">${whyNotSubmit(role)}</p>` : html`<${SubmitForm} />`}
  `;
}

function SubmitForm() {
  const store = useMemo(() => new DraftStore(), []);
  const options = useMemo(() => new SubmitOptions(), []);
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const from = query.value.get("from") ?? "";
  const { alertType } = store.draft.value;
  useEffect(() => options.open(), []);
  useEffect(() => {
    if (from !== "") store.fillFrom(from);
  }, [from]);
  useEffect(() => {
    options.readDefaults(alertType);
  }, [alertType]);

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    if (store.isSending.value) return;
    const goOn = planToGo();
    const id = await store.send();
    if (id !== null) goOn(`/sessions/${encodeURIComponent(id)}`);
    else focusFirst(form.current, Object.keys(store.mistakes.value));
  }

  return html`
    <form class="submit" ref=${form} onSubmit=${submit} aria-label=${TEXT.submit.label}>
      ${options.problem.value !== "" && html`<p class="notice" role="status">${options.problem.value}</p>`}
      <${AlertFields} store=${store} />
      <${ChoiceFields} store=${store} options=${options} />
      <${ToolChoice} store=${store} options=${options} />
      <div class="row">
        <button type="submit" class="primary" disabled=${store.isSending.value}>${TEXT.submit.send}</button>
        <button type="button" disabled=${store.isSending.value} onClick=${() => store.clear()}>${TEXT.submit.clear}</button>
        <p class="answer" role="status">${store.answer.value}</p>
      </div>
    </form>
  `;
}

/** @param {HTMLFormElement | null} form
 *  @param {string[]} marked */
function focusFirst(form, marked) {
  const first = FIELDS.find((field) => marked.includes(field));
  if (first === undefined) return;
  /** @type {HTMLElement | null | undefined} */ (form?.querySelector(`[name="${first}"]`))?.focus();
}
