// One MCP server to choose, with all of its tools or with some.

import { readServer } from "../../net/api.js";
import { html, useEffect, useLayoutEffect, useRef, useSignal } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { chosenToolsWords } from "../../words/submit_words.js";
import { Fold } from "../fold.js";
import { Gradually } from "../gradually.js";

/** `tools`: null when all are chosen, undefined when the server is not.
 *  @typedef {{ name: string, tools: string[] | null | undefined,
 *    change: (name: string, tools: string[] | null | undefined) => void }} Props */

/** @param {Props} props */
export function ServerChoice({ name, tools, change }) {
  /** @param {{ currentTarget: HTMLInputElement }} event */
  const toggle = ({ currentTarget: { checked } }) => change(name, checked ? null : undefined);
  return html`
    <li>
      <label><input type="checkbox" checked=${tools !== undefined} onChange=${toggle} /> <code>${name}</code></label>
      ${
        tools !== undefined &&
        html`<${Fold} title=${chosenToolsWords(tools)}>${() => html`<${ToolChoices} name=${name} tools=${tools} change=${change} />`}<//>`
      }
    </li>
  `;
}

/** @param {{ name: string, tools: string[] | null, change: Props["change"] }} props */
function ToolChoices({ name, tools, change }) {
  /** @type {import("@preact/signals").Signal<string[] | null>} */
  const known = useSignal(null);
  const notice = useSignal(/** @type {string} */ (TEXT.page.loading));
  const all = known.value ?? tools ?? [];
  const chosen = useSignal(new Set(tools ?? all));
  useLayoutEffect(() => {
    chosen.value = new Set(tools ?? all);
  }, [tools, known.value]);
  useEffect(() => {
    readServer(name).then(
      (server) => {
        const offered = server.tools.filter(({ allowed }) => allowed !== false).map((tool) => tool.name);
        known.value = [...new Set([...offered, ...(tools ?? [])])];
        notice.value = "";
      },
      (problem) => {
        notice.value = problem.message;
      },
    );
  }, []);

  /** Without a tool its server is not chosen: the API takes all of them then.
   *  @param {string} tool
   *  @param {boolean} isChosen */
  function toggle(tool, isChosen) {
    const now = all.filter((one) => (one === tool ? isChosen : chosen.value.has(one)));
    if (now.length === 0) change(name, undefined);
    else change(name, now.length === all.length ? null : now);
  }
  const latest = useRef(toggle);
  latest.current = toggle;
  /** @param {string} tool */
  const draw = (tool) => html`<${ToolChoice} key=${tool} name=${tool} chosen=${chosen} toggle=${latest} />`;
  return html`
    ${notice.value !== "" && html`<p class="notice" role="status">${notice.value}</p>`}
    <ul class="tool-choices"><${Gradually} key=${known.value === null} items=${all} draw=${draw} /></ul>
  `;
}

/** @param {{ name: string, chosen: import("@preact/signals").Signal<Set<string>>,
 *    toggle: { current: (tool: string, isChosen: boolean) => void } }} props */
function ToolChoice({ name, chosen, toggle }) {
  /** @param {{ currentTarget: HTMLInputElement }} event */
  const change = ({ currentTarget: { checked } }) => toggle.current(name, checked);
  return html`
    <li>
      <label><input type="checkbox" checked=${chosen.value.has(name)} onChange=${change} /> <code>${name}</code></label>
    </li>
  `;
}
