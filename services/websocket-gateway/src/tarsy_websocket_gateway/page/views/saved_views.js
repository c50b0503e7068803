// Searches that somebody has named: a link each, and a field for the name of the one that is shown.

import { LONGEST_NAME } from "../state/saved_views_state.js";
import { isEmptyQuery, toAddress } from "../state/search_query.js";
import { forgetView, saveView, savedViews } from "../stores/saved_views.js";
import { html, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { useFocused } from "./focused.js";

/** @param {{ query: import("../state/search_query.js").SearchQuery }} props */
export function SavedViews({ query }) {
  const here = toAddress(query);
  const canSave = !isEmptyQuery(query) && !savedViews.value.some((view) => view.address === here);
  if (savedViews.value.length === 0 && !canSave) return null;
  return html`
    <div class="saved-views">
      ${savedViews.value.length > 0 && html`<${SavedLinks} here=${here} />`}
      ${canSave && html`<${NewView} key=${here} address=${here} />`}
    </div>
  `;
}

/** @param {{ here: string }} props */
function SavedLinks({ here }) {
  return html`
    <ul aria-label=${TEXT.savedViews.label}>
      ${savedViews.value.map(
        ({ name, address }) => html`
        <li key=${name}>
          <a href=${address} data-view aria-current=${address === here ? "page" : undefined}>${name}</a>
          <button type="button" class="plain" aria-label=${say(TEXT.savedViews.forget, { name })} onClick=${() => forgetView(name)}>×</button>
        </li>
      `,
      )}
    </ul>
  `;
}

/** @param {{ address: string }} props */
function NewView({ address }) {
  const isNaming = useSignal(false);
  const begin = () => {
    isNaming.value = true;
  };
  if (isNaming.value) return html`<${NameForm} address=${address} />`;
  return html`<button type="button" class="plain" onClick=${begin}>${TEXT.savedViews.begin}</button>`;
}

/** @param {{ address: string }} props */
function NameForm({ address }) {
  /** @type {import("preact").RefObject<HTMLInputElement | null>} */
  const name = useFocused();

  /** @param {Event} event */
  function save(event) {
    event.preventDefault();
    saveView(name.current?.value ?? "", address);
  }

  return html`
    <form onSubmit=${save}>
      <input aria-label=${TEXT.savedViews.name} maxlength=${LONGEST_NAME} required ref=${name} />
      <button>${TEXT.savedViews.save}</button>
    </form>
  `;
}
