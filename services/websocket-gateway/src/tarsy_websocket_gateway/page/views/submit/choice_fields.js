// What decides how the alert is investigated: its type and chain, the runbook, the priority and the model.

import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { PRIORITIES, chainWords, defaultTypeWords } from "../../words/submit_words.js";
import { Field, controlOf } from "./field.js";

/** @typedef {readonly (readonly [string, string])[]} Options */
/** @typedef {{ store: import("../../stores/draft_store.js").DraftStore,
 *    options: import("../../stores/submit_options.js").SubmitOptions }} Props */

/** @param {Props} props */
export function ChoiceFields({ store, options }) {
  const { alertType, runbook, priority, llmProvider } = store.draft.value;
  const { alert_type, runbook: runbookMistake, priority: priorityMistake, llm_provider } = store.mistakes.value;
  const types = options.alertTypes.value;
  const offered = types?.alert_types.map(({ type }) => type) ?? [];
  /** @param {{ currentTarget: HTMLInputElement }} event */
  const type = ({ currentTarget: { value } }) => store.change({ runbook: value });
  return html`
    <div class="choices">
      <${Field} name="alert_type" label=${TEXT.submit.alertType} mistake=${alert_type} about=${chainWords(types, alertType)}>
        <${Choice} name="alert_type" mistake=${alert_type} value=${alertType} options=${named(offered, defaultTypeWords(types))} choose=${(/** @type {string} */ value) => store.change({ alertType: value })} />
      <//>
      <${Field} name="priority" label=${TEXT.submit.priority} mistake=${priorityMistake} about=${TEXT.submit.priorityAbout}>
        <${Choice} name="priority" mistake=${priorityMistake} value=${priority} options=${PRIORITIES} choose=${(/** @type {string} */ value) => store.change({ priority: value })} />
      <//>
      <${Field} name="llm_provider" label=${TEXT.submit.model} mistake=${llm_provider} about=${TEXT.submit.modelAbout}>
        <${Choice} name="llm_provider" mistake=${llm_provider} value=${llmProvider} options=${named(options.llmProviders.value, TEXT.submit.asConfigured)} choose=${(/** @type {string} */ value) => store.change({ llmProvider: value })} />
      <//>
    </div>
    <${Field} name="runbook" label=${TEXT.submit.runbook} mistake=${runbookMistake} about=${TEXT.submit.runbookAbout}>
      <input type="url" ...${controlOf("runbook", runbookMistake)} list="known-runbooks" autocomplete="off" placeholder=${TEXT.submit.runbookHint} value=${runbook} onInput=${type} />
    <//>
    <datalist id="known-runbooks">${options.runbooks.value.map((url) => html`<option key=${url} value=${url}></option>`)}</datalist>
  `;
}

/** One that is chosen, and is not offered any more, stays until another one is chosen.
 *  @param {{ name: import("../../state/submission.js").Field, mistake?: string, value: string, options: Options,
 *    choose: (value: string) => void }} props */
function Choice({ name, mistake, value, options, choose }) {
  const all = options.some(([known]) => known === value) ? options : [...options, [value, value]];
  /** @param {{ currentTarget: HTMLSelectElement }} event */
  const change = ({ currentTarget }) => choose(currentTarget.value);
  return html`
    <select ...${controlOf(name, mistake)} onChange=${change}>
      ${all.map(([one, words]) => html`<option key=${one} value=${one} selected=${one === value}>${words}</option>`)}
    </select>
  `;
}

/** @param {string[]} names
 *  @param {string} usual
 *  @returns {Options} */
function named(names, usual) {
  return [["", usual], ...names.map((name) => /** @type {[string, string]} */ ([name, name]))];
}
