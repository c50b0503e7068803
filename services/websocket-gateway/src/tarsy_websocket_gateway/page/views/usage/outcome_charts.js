// Charts of how sessions ended, how long they took, and when and by which types their alerts came.

import { roundUp, roundUpSeconds } from "../../state/charts.js";
import { outcomeParts, outcomesByDay } from "../../state/outcome_rows.js";
import { emptyQuery, toAddress } from "../../state/search_query.js";
import { html } from "../../ui.js";
import {
  dayLabel,
  hourTitle,
  medianWords,
  outcomeTitle,
  rateWords,
  scoreWords,
  timesTitle,
  timeWords,
} from "../../words/chart_words.js";
import { factLine, number } from "../../words/formats.js";
import { TEXT } from "../../words/language.js";
import { say } from "../../words/say.js";
import { keyWords } from "../../words/usage_words.js";
import { Chart, Plot } from "../charts/chart.js";
import { Columns, Lines } from "../charts/columns.js";
import { Ranking } from "../charts/ranking.js";
import { Week } from "../charts/week.js";

/** @typedef {import("../../net/usage_api.js").OutcomeReport} OutcomeReport
 *  @typedef {{ from: string, to: string }} Span */

const TONES = ["good", "bad", "plain", "running"];
const OUTCOMES = Object.values(TEXT.charts.outcomes);
const MEANINGS = OUTCOMES.map((name, place) => ({ name, tone: TONES[place] ?? "" }));
const SHOWN_TYPES = 8;
const TOP_SCORE = 100;

/** @param {{ report: OutcomeReport, span: Span }} props */
export function OutcomesChart({ report, span }) {
  const days = outcomesByDay(report, span);
  const top = roundUp(Math.max(...days.map(({ sessions }) => sessions)));
  const rows = days.map((day) => [day.day, ...outcomeParts(day).map(number)]);
  const exact = days.map((day) => [day.day, ...outcomeParts(day)]);
  const summary = outcomeTitle(TEXT.charts.sessions, report.total);
  return html`
    <${Chart} title=${TEXT.charts.sessions} figure=${rateWords(report.total)} meanings=${MEANINGS} numbers=${{ heads: [TEXT.usage.keys.day, ...OUTCOMES], rows, exact }}>
      <${Plot} summary=${summary} top=${number(top)} labels=${days.map(({ day }) => dayLabel(day))}>
        <${Columns} columns=${days.map(outcomeParts)} top=${top} tones=${TONES} titles=${days.map((day) => outcomeTitle(dayLabel(day.day), day))} />
      <//>
    <//>
  `;
}

/** @param {{ report: OutcomeReport, span: Span }} props */
export function TimesChart({ report, span }) {
  const days = outcomesByDay(report, span);
  const top = roundUpSeconds(Math.max(...days.map((day) => day.p90_seconds ?? 0)));
  const lines = [
    { tone: "running", values: days.map((day) => day.p50_seconds) },
    { tone: "warning", values: days.map((day) => day.p90_seconds) },
  ];
  const names = [TEXT.charts.p50, TEXT.charts.p90];
  const meanings = lines.map(({ tone }, place) => ({ name: names[place] ?? "", tone }));
  const rows = days.map((day) => [day.day, timeWords(day.p50_seconds), timeWords(day.p90_seconds)]);
  const exact = days.map((day) => [day.day, day.p50_seconds, day.p90_seconds]);
  return html`
    <${Chart} title=${TEXT.charts.times} figure=${medianWords(report.total)} meanings=${meanings} numbers=${{ heads: [TEXT.usage.keys.day, ...names], rows, exact }}>
      <${Plot} summary=${timesTitle(TEXT.charts.times, report.total)} top=${timeWords(top)} labels=${days.map(({ day }) => dayLabel(day))}>
        <${Lines} lines=${lines} top=${top} titles=${days.map((day) => timesTitle(dayLabel(day.day), day))} />
      <//>
    <//>
  `;
}

/** Nothing where no judge was asked. @param {{ report: OutcomeReport, span: Span }} props */
export function ScoresChart({ report, span }) {
  if (!report.total.scored) return null;
  const days = outcomesByDay(report, span);
  const exact = days.map((day) => [day.day, day.mean_score ?? null, day.scored ?? 0]);
  const rows = days.map((day) => [day.day, scoreWords(day), number(day.scored ?? 0)]);
  const lines = [{ tone: "running", values: days.map((day) => day.mean_score ?? null) }];
  const titles = days.map((day) => factLine([dayLabel(day.day), scoreWords(day)]));
  const figure = scoreWords(report.total);
  return html`
    <${Chart} title=${TEXT.charts.scores} figure=${figure} numbers=${{ heads: [TEXT.usage.keys.day, TEXT.charts.meanScore, TEXT.charts.scored], rows, exact }}>
      <${Plot} summary=${factLine([TEXT.charts.scores, figure])} top=${number(TOP_SCORE)} labels=${days.map(({ day }) => dayLabel(day))}>
        <${Lines} lines=${lines} top=${TOP_SCORE} titles=${titles} />
      <//>
    <//>
  `;
}

/** @param {{ report: OutcomeReport }} props */
export function TypesChart({ report }) {
  const types = report.alert_types;
  const most = Math.max(1, ...types.map(({ sessions }) => sessions));
  const shown = types.slice(0, SHOWN_TYPES).map((one) => ({
    name: keyWords(one.alert_type),
    href: toAddress({ ...emptyQuery(), filters: one.alert_type === "" ? {} : { type: one.alert_type } }),
    count: one.sessions,
    title: outcomeTitle(keyWords(one.alert_type), one),
    parts: outcomeParts(one).map((part, place) => ({ tone: TONES[place] ?? "", width: (100 * part) / most })),
  }));
  const rows = types.map((one) => [keyWords(one.alert_type), ...outcomeParts(one).map(number)]);
  return html`
    <${Chart} title=${TEXT.charts.types} numbers=${{ heads: [TEXT.charts.type, ...OUTCOMES], rows }}><${Ranking} rows=${shown} /><//>
  `;
}

/** @param {{ report: OutcomeReport }} props */
export function HoursChart({ report: { hours, total } }) {
  const rows = hours.map(({ weekday, hour, sessions }) => [hourTitle(weekday - 1, hour, sessions), number(sessions)]);
  return html`
    <${Chart} title=${TEXT.charts.hours} numbers=${{ heads: [TEXT.charts.hour, TEXT.charts.sessions], rows }}>
      <${Week} hours=${hours} summary=${say(TEXT.charts.alerts, { count: total.sessions })} />
    <//>
  `;
}
