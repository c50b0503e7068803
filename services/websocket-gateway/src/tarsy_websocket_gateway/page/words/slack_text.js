// The verdict of a session as a message to paste into Slack: what it is, how it stands, what came of it, and where to look.

import { confidenceOf } from "../state/confidence.js";
import { withoutCitations } from "../state/citations.js";
import { factLine } from "./formats.js";
import { TEXT } from "./language.js";
import { placeWords } from "./session_words.js";
import { sessionTitle, statusWord } from "./wording.js";

/** @param {import("../state/session_state.js").Session} session
 *  @param {import("tarsy-api").components["schemas"]["SessionDetail"] | null} detail
 *  @param {string} address */
export function slackText(session, detail, address) {
  const { finalAnalysis, executiveSummary: summary, error, status } = session;
  const confidence = confidenceOf(finalAnalysis);
  const facts = [
    statusWord(status ?? ""),
    detail?.severity,
    detail === null ? "" : placeWords(detail),
    confidence === null ? "" : TEXT.verdict.confidence[confidence.level],
  ];
  const body = summary !== "" ? summary : error;
  const parts = [`*${sessionTitle(detail)}*`, factLine(facts), marked(withoutCitations(body)), address];
  return `${parts.filter(Boolean).join("\n")}\n`;
}

/** Slack has one star where Markdown has two.
 *  @param {string} text */
function marked(text) {
  return text.replace(/\*\*(.+?)\*\*/g, "*$1*");
}
