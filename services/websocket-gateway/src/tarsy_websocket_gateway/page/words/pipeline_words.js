// What is said of each step of the pipeline.

import { factLine, number } from "./formats.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { duration } from "./wording.js";

/** @typedef {import("tarsy-api").components["schemas"]["SystemOverview"]} Overview
 *  @typedef {import("../state/pipeline.js").Step} Step */

/** Its number, and what is known besides. @param {Step} step @param {Overview} overview @param {number} servers */
export function stepWords({ id, tone, count }, { queue, projection }, servers) {
  const { unprojected } = projection;
  /** @type {Record<Step["id"], { value: string, about: string }>} */
  const said = {
    queue: { value: number(count), about: TEXT.system.waiting },
    orchestrator: { value: number(count), about: say(TEXT.pipeline.running, { count: queue.running }) },
    models: { value: TEXT.pipeline.models[tone === "good" ? "good" : "failing"], about: "" },
    tools: { value: number(count), about: say(TEXT.pipeline.servers, { count: servers }) },
    summarizer: { value: number(count), about: TEXT.pipeline.summaries },
    timeline: {
      value: count === 0 ? TEXT.system.notBehind : duration(projection.lag_seconds * 1000),
      about: factLine([
        count === 0 ? TEXT.system.behind : say(TEXT.pipeline.lagRecords, { count }),
        unprojected === 0 ? "" : say(TEXT.system.unprojected, { count: unprojected }),
      ]),
    },
    page: { value: TEXT.pipeline.connected[tone === "good" ? "good" : "lost"], about: "" },
  };
  return said[id];
}
