// The language of the page: its texts, and the locale of its plurals, numbers, money and times.

import { en } from "./en.js";

export const LOCALE = "en";
export const TEXT = en;

/** What a catalogue in another language has to have: the same keys, and the plural forms of that language.
 *  @typedef {Translated<typeof en>} Catalogue */
/** @template T
 *  @typedef {T extends string ? string : T extends { readonly other: string } ? Plural : { readonly [Key in keyof T]: Translated<T[Key]> }} Translated */
/** @typedef {{ readonly [Form in Intl.LDMLPluralRule]?: string } & { readonly other: string }} Plural */
