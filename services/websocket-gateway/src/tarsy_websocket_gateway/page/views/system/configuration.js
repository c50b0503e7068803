// The configuration that holds, a fold for each entry, and a search over all of it.

import { readConfiguration } from "../../net/system_api.js";
import { query, replaceAddress } from "../../router.js";
import { searched, sectionsOf } from "../../state/settings_rows.js";
import { usePolled } from "../../stores/polled.js";
import { html, useMemo } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { say, sayParts } from "../../words/say.js";
import { Fold } from "../fold.js";
import { Gradually } from "../gradually.js";
import { Notice } from "../notice.js";

/** @typedef {import("../../state/settings_rows.js").SettingSection} SettingSection */
/** @typedef {import("../../state/settings_rows.js").SettingEntry} SettingEntry */
/** @typedef {import("../../state/settings_rows.js").SettingRow} SettingRow */

export function ConfigurationPart() {
  const polled = usePolled(readConfiguration);
  const words = query.value.get("find") ?? "";
  /** @type {import("tarsy-api").components["schemas"]["EffectiveConfiguration"] | null} */
  const found = polled.answer.value;
  const version = found?.version ?? "";
  const sections = useMemo(() => (found === null ? [] : sectionsOf(found)), [version]);
  const shown = useMemo(() => searched(sections, words), [sections, words]);
  /** @param {{ currentTarget: HTMLInputElement }} event */
  const find = ({ currentTarget: { value } }) => {
    replaceAddress(
      `/system?${new URLSearchParams({ part: "configuration", ...(value === "" ? {} : { find: value }) })}`,
    );
  };
  return html`
    <p class="quiet">${TEXT.configuration.about}${version !== "" && html` ${sayParts(TEXT.configuration.version, { version: html`<code>${version}</code>` })}`}</p>
    <div class="row"><input type="search" aria-label=${TEXT.configuration.find} placeholder=${TEXT.configuration.find} value=${words} onInput=${find} /></div>
    <${Notice} polled=${polled} empty=${shown.length === 0 ? TEXT.configuration.nothingFits : ""} />
    ${shown.map((section) => html`<${Section} key=${section.name} section=${section} words=${words} version=${version} />`)}
  `;
}

/** @param {{ section: SettingSection, words: string, version: string }} props */
function Section({ section: { name, entries }, words, version }) {
  const isFound = words.trim() !== "";
  return html`
    <section class="section">
      <h2><code>${name}</code></h2>
      ${entries.map((entry) => html`<${Entry} key=${`${version} ${words} ${entry.name}`} entry=${entry} isOpen=${isFound} />`)}
    </section>
  `;
}

/** @param {{ entry: SettingEntry, isOpen: boolean }} props */
function Entry({ entry: { name, rows }, isOpen }) {
  const summary = html`<code class="tool">${name}</code> <span class="quiet">${say(TEXT.configuration.count, { count: rows.length })}</span>`;
  return html`
    <${Fold} kind="setting" title=${summary} isOpen=${isOpen}>
      ${() => html`<dl class="settings"><${Gradually} items=${rows} draw=${drawSetting} /></dl>`}
    <//>
  `;
}

/** @param {SettingRow} row */
function drawSetting({ path, text, origin }) {
  return html`
    <div key=${path}><dt>${path}</dt><dd class="text">${text || TEXT.configuration.nothing}</dd><dd class="origin">${origin || TEXT.configuration.isDefault}</dd></div>
  `;
}
