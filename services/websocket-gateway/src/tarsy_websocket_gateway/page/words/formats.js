// Numbers, money and times as the language of the page has them.

import { LOCALE } from "./language.js";

const NUMBER = new Intl.NumberFormat(LOCALE);
const COMPACT = new Intl.NumberFormat(LOCALE, { notation: "compact", maximumSignificantDigits: 3 });
const MONEY = new Intl.NumberFormat(LOCALE, { style: "currency", currency: "USD" });
const PRICE = new Intl.NumberFormat(LOCALE, { style: "currency", currency: "USD", maximumFractionDigits: 6 });
const SMALLEST_AMOUNT = 0.01;
/** Whether a day has 12 or 24 hours is the reader's choice, whatever the language. */
const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: "numeric" }).resolvedOptions();
const TIME = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "medium", hourCycle });
const DAY = new Intl.DateTimeFormat(LOCALE, { weekday: "short", day: "numeric", month: "short", year: "numeric" });

/** @param {number} count */
export function number(count) {
  return NUMBER.format(count);
}

/** Three digits, and a letter for thousands or millions. @param {number} count */
export function compactNumber(count) {
  return COMPACT.format(count);
}

/** Dollars, to the cent. @param {number} amount */
export function money(amount) {
  return amount > 0 && amount < SMALLEST_AMOUNT ? `< ${MONEY.format(SMALLEST_AMOUNT)}` : MONEY.format(amount);
}

/** A price of one thing has more digits than a sum. @param {number} amount */
export function price(amount) {
  return PRICE.format(amount);
}

/** Date and time, to the second. @param {Date} time */
export function wholeTime(time) {
  return TIME.format(time);
}

/** @param {Date} time */
export function dayName(time) {
  return DAY.format(time);
}

/** What is known of a thing, in one line; empty parts are left out. @param {(string | null | undefined)[]} facts */
export function factLine(facts) {
  return facts.filter(Boolean).join(" · ");
}
