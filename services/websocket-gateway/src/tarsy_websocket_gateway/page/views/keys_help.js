// The keys that the page knows, shown by `?`.

import { PLACES, addKeys, keys } from "../keys.js";
import { html, useEffect, useRef } from "../ui.js";
import { TEXT } from "../words/language.js";

/** @typedef {{ keys: string[], name: string }} Line */

export function KeysHelp() {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => addKeys([{ key: "?", name: TEXT.keys.show, act: () => dialog.current?.showModal() }]), []);
  const places = PLACES.map(({ key, name }) => ({ keys: ["g", key], name }));
  const lines = [...keys.value.map(({ key, name }) => ({ keys: [key], name })), ...places];
  return html`
    <dialog class="keys-help" ref=${dialog} aria-labelledby="keys-title">
      <h2 id="keys-title">${TEXT.keys.title}</h2>
      <dl>
        ${lines.map((line) => html`<div key=${line.name}>${drawn(line)}<dd>${line.name}</dd></div>`)}
      </dl>
      <form method="dialog"><button>${TEXT.keys.close}</button></form>
    </dialog>
  `;
}

/** @param {Line} line */
function drawn(line) {
  return html`<dt>${line.keys.map((key) => html`<kbd>${key}</kbd> `)}</dt>`;
}
