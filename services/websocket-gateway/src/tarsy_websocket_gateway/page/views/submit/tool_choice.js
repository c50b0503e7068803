// Which MCP servers, tools and tools of the model this alert is investigated with.

import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { NATIVE_TOOLS, defaultToolsWords } from "../../words/submit_words.js";
import { ServerChoice } from "./server_choice.js";

/** @typedef {import("./choice_fields.js").Props} Props */

/** @param {Props} props */
export function ToolChoice({ store, options }) {
  const { servers } = store.draft.value;
  const mistake = store.mistakes.value.mcp;
  const choose = () =>
    store.change({
      servers: Object.fromEntries((options.defaults.value?.mcp_servers ?? []).map((name) => [name, null])),
    });
  return html`
    <fieldset class="tool-choice" aria-describedby="about-mcp">
      <legend>${TEXT.tools.label}</legend>
      <label><input type="radio" name="mcp" checked=${servers === null} onChange=${() => store.change({ servers: null, native: {} })} /> ${defaultToolsWords(options.defaults.value)}</label>
      <label><input type="radio" name="mcp" checked=${servers !== null} onChange=${choose} /> ${TEXT.tools.onlyThese}</label>
      <p id="about-mcp" class="about">${mistake !== undefined && html`<span class="failure">${mistake}</span>`}</p>
      ${servers !== null && html`<${Choices} store=${store} options=${options} servers=${servers} />`}
    </fieldset>
  `;
}

/** @param {Props & { servers: Record<string, string[] | null> }} props */
function Choices({ store, options, servers }) {
  const names = [...new Set([...options.servers.value, ...Object.keys(servers)])].sort();
  /** @param {string} name
   *  @param {string[] | null | undefined} tools nothing of the server, without */
  function change(name, tools) {
    const { [name]: _before, ...others } = servers;
    store.change({ servers: tools === undefined ? others : { ...others, [name]: tools } });
  }
  return html`
    <ul class="server-choices">
      ${names.map((name) => html`<${ServerChoice} key=${name} name=${name} tools=${servers[name]} change=${change} />`)}
    </ul>
    <p class="about">${TEXT.tools.ofModel}</p>
    <div class="choices">
      ${NATIVE_TOOLS.map(([name, words]) => html`<${NativeChoice} key=${name} name=${name} words=${words} store=${store} />`)}
    </div>
  `;
}

/** @param {{ name: import("../../state/submission.js").NativeTool, words: string, store: Props["store"] }} props */
function NativeChoice({ name, words, store }) {
  const { [name]: chosen, ...others } = store.draft.value.native;
  const value = chosen === undefined || chosen === null ? "" : String(chosen);
  /** @param {{ currentTarget: HTMLSelectElement }} event */
  const change = ({ currentTarget }) => {
    store.change({
      native: currentTarget.value === "" ? others : { ...others, [name]: currentTarget.value === "true" },
    });
  };
  return html`
    <div class="field">
      <label for=${`native-${name}`}>${words}</label>
      <select id=${`native-${name}`} onChange=${change}>
        <option value="" selected=${value === ""}>${TEXT.submit.asConfigured}</option>
        <option value="true" selected=${value === "true"}>${TEXT.tools.on}</option>
        <option value="false" selected=${value === "false"}>${TEXT.tools.off}</option>
      </select>
    </div>
  `;
}
