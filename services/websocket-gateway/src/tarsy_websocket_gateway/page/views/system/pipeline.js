// The way of an alert through TARSy: each step with a lamp, and what waits or is behind there.

import { pipelineSteps } from "../../state/pipeline.js";
import { connection } from "../../stores/connection.js";
import { systemWarnings } from "../../stores/warnings_store.js";
import { html } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { stepWords } from "../../words/pipeline_words.js";

/** @param {{ overview: import("tarsy-api").components["schemas"]["SystemOverview"] }} props */
export function Pipeline({ overview }) {
  const { warnings = [], server_count: servers = 0 } = systemWarnings.value ?? {};
  const steps = pipelineSteps(overview, warnings, connection.value !== "lost");
  return html`
    <ol class="pipeline" aria-label=${TEXT.pipeline.label}>
      ${steps.map((step) => {
        const { value, about } = stepWords(step, overview, servers);
        return html`
        <li key=${step.id} class="card" data-step=${step.id}>
          <span class="step">${TEXT.pipeline.steps[step.id]}<span class="unseen"> ${TEXT.pipeline.tones[step.tone]}</span></span>
          <strong><span class="lamp" data-tone=${step.tone}></span>${value}</strong>
          <span class="quiet">${about}</span>
        </li>
      `;
      })}
    </ol>
  `;
}
