// The skills of an agent: their names, and folded what each says, as the session recorded it. What is folded is not
// fetched.

import { readSkills } from "../net/record_api.js";
import { skillRows } from "../state/skill_rows.js";
import { html, useEffect, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { messageOf } from "../words/problems.js";
import { say } from "../words/say.js";
import { CitedSession } from "./citation.js";
import { Fold } from "./fold.js";
import { Markdown } from "./markdown.js";

/** @typedef {import("../state/skill_rows.js").SkillRow} SkillRow */

/** @param {import("./item.js").BodyProps} props */
export function SkillsBody({ item }) {
  return html`
    <div class="body">
      <div class="text">${item.content}</div>
      <${Fold} title=${TEXT.story.skillTexts}>${() => html`<${Texts} item=${item} />`}<//>
    </div>
  `;
}

/** @param {{ item: import("../state/item_types.js").Item }} props */
function Texts({ item }) {
  /** @type {import("@preact/signals").Signal<SkillRow[] | null>} */
  const rows = useSignal(null);
  const notice = useSignal(/** @type {string} */ (TEXT.page.loading));
  useEffect(() => {
    let isOpen = true;
    readSkills(item.sessionId).then(
      ({ skills }) => {
        if (isOpen) rows.value = skillRows(skills, item);
      },
      (problem) => {
        if (isOpen) notice.value = messageOf(problem);
      },
    );
    return () => {
      isOpen = false;
    };
  }, []);
  if (rows.value === null) return html`<p class="notice" role="status">${notice.value}</p>`;
  return rows.value.map(({ skill, use }) => {
    const title = say(TEXT.story.skillUse[use], { name: skill.name });
    return html`<${Fold} key=${skill.name} title=${title}>${() => html`<${Text} skill=${skill} />`}<//>`;
  });
}

/** Nobody who wrote it knew the calls of this session.
 *  @param {{ skill: SkillRow["skill"] }} props */
function Text({ skill }) {
  return html`
    <p class="quiet">${skill.description}</p>
    <${CitedSession.Provider} value=${null}><${Markdown} text=${skill.body} /><//>
    ${skill.files.map(({ path, text }) => html`<${Fold} key=${path} title=${path}><pre class="data" tabindex="0">${text}</pre><//>`)}
  `;
}
