// The way of an alert through TARSy, as far as the API tells how each step is. No DOM, no network.

/** @typedef {import("tarsy-api").components["schemas"]} Schemas
 *  @typedef {"good" | "warning" | "bad" | "plain"} Tone
 *  @typedef {"queue" | "orchestrator" | "models" | "tools" | "summarizer" | "timeline" | "page"} StepId
 *  @typedef {{ id: StepId, tone: Tone, count: number }} Step  `count`: what waits, lives, warns, or is behind */

const LATE_SECONDS = 5;
const VERY_LATE_SECONDS = 60;

/** @param {Schemas["SystemOverview"]} overview
 *  @param {readonly Schemas["SystemWarning"][]} warnings
 *  @param {boolean} isConnected
 *  @returns {Step[]} */
export function pipelineSteps({ queue, projection, workers }, warnings, isConnected) {
  /** @param {string} service */
  const living = (service) => workers.filter((worker) => worker.service === service).length;
  /** @param {string} category */
  const warned = (category) => warnings.filter((warning) => warning.category === category).length;
  const orchestrators = living("orchestrator");
  const gateways = living("tool-gateway");
  const summarizers = living("summarizer");
  const models = warned("llm_health");
  return [
    {
      id: "queue",
      tone: queue.waiting === 0 ? "plain" : toneOf(orchestrators > 0, queue.running === 0),
      count: queue.waiting,
    },
    { id: "orchestrator", tone: toneOf(orchestrators > 0, warned("sessions") > 0), count: orchestrators },
    { id: "models", tone: toneOf(true, models > 0), count: models },
    { id: "tools", tone: toneOf(gateways > 0, warned("mcp_health") > 0), count: gateways },
    { id: "summarizer", tone: toneOf(summarizers > 0, false), count: summarizers },
    { id: "timeline", tone: lagTone(projection), count: projection.lag_records },
    { id: "page", tone: toneOf(isConnected, false), count: 0 },
  ];
}

/** @param {boolean} works @param {boolean} isWarned @returns {Tone} */
function toneOf(works, isWarned) {
  if (!works) return "bad";
  return isWarned ? "warning" : "good";
}

/** @param {Schemas["ProjectionState"]} projection @returns {Tone} */
function lagTone({ lag_records: records, lag_seconds: seconds, unprojected }) {
  if (records > 0 && seconds >= VERY_LATE_SECONDS) return "bad";
  return unprojected > 0 || (records > 0 && seconds >= LATE_SECONDS) ? "warning" : "good";
}
