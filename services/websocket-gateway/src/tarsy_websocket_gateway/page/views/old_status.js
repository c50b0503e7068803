// A state as a word with a colour.

import { element, write } from "../elements.js";
import { statusWord, tone } from "../words/wording.js";

export function statusChip(status) {
  const chip = element("span", { class: "status" });
  setStatus(chip, status);
  return chip;
}

export function setStatus(chip, status) {
  chip.dataset.tone = tone(status);
  write(chip, statusWord(status));
}
