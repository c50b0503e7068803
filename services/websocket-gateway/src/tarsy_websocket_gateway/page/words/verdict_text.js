// A session as text that can be passed on: its verdict, and the whole of it, in Markdown.

import { isReply } from "../state/chat_state.js";
import { callsCitedIn, sourcesCitedIn } from "../state/citations.js";
import { standingOf } from "../state/repetition.js";
import { argumentLine } from "./call_arguments.js";
import { outcomeFacts } from "./call_words.js";
import { callName } from "./citation_words.js";
import { factLine } from "./formats.js";
import { labelOf } from "./item_words.js";
import { TEXT } from "./language.js";
import { say } from "./say.js";
import { sessionTitle, statusWord } from "./wording.js";

/** @typedef {import("../state/session_state.js").Session} Session
 *  @typedef {import("../state/item_types.js").Item} Item
 *  @typedef {import("tarsy-api").components["schemas"]["SessionDetail"] | null} Detail */

/** @param {Session} session
 *  @param {Detail} detail */
export function verdictText(session, detail) {
  const parts = [`# ${sessionTitle(detail)}`];
  if (session.error !== "") parts.push(failureWords(session));
  if (session.partialReason !== "") parts.push(`**${TEXT.verdict.partial}:** ${session.partialReason}`);
  if (session.evidenceLimits.length > 0) parts.push(limitWords(session));
  if (session.executiveSummary !== "") parts.push(`## ${TEXT.verdict.summary}\n\n${session.executiveSummary}`);
  if (session.finalAnalysis !== "") parts.push(`## ${TEXT.verdict.analysis}\n\n${session.finalAnalysis}`);
  const sources = sourceLines(session);
  if (sources.length > 0) parts.push(`## ${TEXT.verdict.sources}\n\n${sources.join("\n")}`);
  return `${parts.join("\n\n")}\n`;
}

/** The web pages that it cites.
 *  @param {Session} session */
function sourceLines(session) {
  const cited = sourcesCitedIn(session, `${session.executiveSummary}\n${session.finalAnalysis}`);
  return cited.map(({ number, title, url }) => `- source ${number}: ${[title, url].filter(Boolean).join(", ")}`);
}

/** The verdict with the calls that it cites, for who cannot follow a link.
 *  @param {Session} session
 *  @param {Detail} detail */
export function citedVerdictText(session, detail) {
  const cited = callsCitedIn(session, `${session.executiveSummary}\n${session.finalAnalysis}`);
  const lines = cited.map((item) => `- call ${item.metadata.number}: ${callName(item)}, ${item.time ?? ""}`);
  const calls = lines.length === 0 ? "" : `\n## ${TEXT.verdict.calls}\n\n${lines.join("\n")}\n`;
  return `${verdictText(session, detail)}${calls}`;
}

/** The verdict, and what led to it.
 *  @param {Session} session
 *  @param {Detail} detail */
export function sessionText(session, detail) {
  const items = [...session.items.values()].sort((one, other) => one.sequence - other.sequence);
  const lines = items.filter((item) => !standingOf(session, item).isHidden).map((item) => itemText(session, item));
  return `${verdictText(session, detail)}\n## ${TEXT.story.title}\n\n${lines.join("\n\n")}\n`;
}

/** Everything that is known of it, as it is.
 *  @param {Session} session
 *  @param {Detail} detail */
export function sessionJson(session, detail) {
  const { stages, executions, items, calls: _, lastWords: __, sources, ...known } = session;
  const whole = {
    session: detail,
    ...known,
    sources: [...sources.values()],
    stages: [...stages.values()],
    executions: [...executions.values()],
    items: [...items.values()].sort((one, other) => one.sequence - other.sequence),
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** @param {Session} session */
function limitWords({ evidenceLimits }) {
  return `## ${TEXT.verdict.limited}\n\n${evidenceLimits.map((limit) => `- ${limit}`).join("\n")}`;
}

/** @param {Session} session */
function failureWords({ status, error }) {
  return say(TEXT.page.failure, { what: statusWord(status ?? ""), why: error });
}

/** @param {Session} session
 *  @param {Item} item */
function itemText(session, item) {
  const agent = session.executions.get(item.executionId ?? "");
  const stage = agent === undefined ? undefined : session.stages.get(agent.stage_id);
  const where = isReply(stage) ? TEXT.verdict.chat : [stage?.stage_name, agent?.agent_name].filter(Boolean).join(" / ");
  const what = labelOf(item, standingOf(session, item));
  const head = `### ${factLine([item.time, where, what])}`;
  return item.type === "llm_tool_call" ? `${head}\n\n${callText(item)}` : `${head}\n\n${item.content}`;
}

/** @param {Item} item */
function callText(item) {
  const { server_name: server, tool_name: tool, arguments: given, outcome, number } = item.metadata;
  const ended = [outcome, outcomeFacts(item)].filter(Boolean).join(", ");
  const cited = number === undefined ? "" : `[call ${number}] `;
  return `${cited}${server}.${tool}(${argumentLine(given)}): ${ended}\n\n${fenced(item.content)}`;
}

/** No fence in the text ends it.
 *  @param {string} text */
function fenced(text) {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
