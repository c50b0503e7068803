// Texts of the usage, in English.

import { frozen } from "../frozen.js";

export const usageTexts = frozen({
  usage: {
    title: "Usage",
    documentTitle: "Usage · TARSy",
    none: "No model was asked in these days.",
    ways: { day: "By day", chain: "By chain", model: "By model" },
    waysLabel: "Put together",
    daysLabel: "Days",
    spansLabel: "Days until today",
    span: { one: "{count} day", other: "{count} days" },
    first: "First day (UTC)",
    last: "Last day (UTC)",
    keys: { day: "Day (UTC)", chain: "Chain", model: "Model" },
    inputAndOutput: "{input} and {output}",
    inputBar: "Input",
    outputBar: "output",
    columns: { sessions: "Sessions", input: "Input", output: "Output", cost: "Cost" },
    cost: "Cost",
    sessions: "Sessions",
    answers: { one: "{count} answer of models", other: "{count} answers of models" },
    input: "Input tokens",
    cached: "{tokens} from the cache",
    output: "Output tokens",
    thinking: "{tokens} of thinking",
    noPrice: "no price",
    atLeast: "at least {cost}",
    notNamed: "not named",
    unpriced: "Not in the cost, as they have no price: {models}.",
  },
});
