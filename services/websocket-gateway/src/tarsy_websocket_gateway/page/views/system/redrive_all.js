// All letters that wait and fit are re-driven: first it is found out how many, then it is asked once more.

import { previewRedrive, redriveAll } from "../../stores/redrive.js";
import { html, useSignal } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { say } from "../../words/say.js";
import { redriveQuestion, redriveSummary } from "../../words/system_words.js";
import { Confirmed } from "../confirmed.js";

/** @param {{ filter: import("../../net/system_api.js").LetterFilter, done: (answer: string) => void }} props */
export function RedriveAll({ filter, done }) {
  const progress = useSignal("");
  const { topic, service, reason } = filter;

  async function find() {
    const all = await previewRedrive({ topic, service, reason });
    const fitting = all.filter(({ outcome }) => outcome === "would_redrive").length;
    return redriveQuestion(fitting, all.length - fitting);
  }

  async function act() {
    try {
      const all = await redriveAll({ topic, service, reason }, (until) => {
        progress.value = say(TEXT.letters.taken, { count: until.length });
      });
      return redriveSummary(all);
    } finally {
      progress.value = "";
    }
  }

  return html`
    <${Confirmed} label=${TEXT.letters.redriveAll} question=${find} yes=${TEXT.letters.redriveAllYes} act=${act} done=${done} />
    <span class="quiet" role="status">${progress.value}</span>
  `;
}
