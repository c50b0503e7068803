// What an analysis says is to be done now: its steps, and the commands in them. No DOM.

/** `commands`: each as it is typed, in the order of the text.
 *  @typedef {{ text: string, commands: string[] }} Step */

const NAMES = [
  /what to do(?: now)?|do now|still to do|next steps?/,
  /immediate (?:actions?|steps?)|recommended (?:actions?|steps?)|recommendations?|remediation/,
];
/** A heading of Markdown, or a line in bold letters; the latter may go on behind its name. */
const NAME = NAMES.map(({ source }) => source).join("|");
const BEGIN = new RegExp(
  `^(?:#{1,6} +)?(?:\\d{1,2}[.)] +)?(?:\\*\\*)?(?:${NAME})[.:]?(?:\\*\\*)?[.:]?(?: +(.*))?$`,
  "i",
);
const MARKED = /^(?:#{1,6} |(?:\d{1,2}[.)] +)?\*\*)/;
const STEP = /^(?:\d{1,2}[.)]|[-*+]) +(.*)$/;
const FENCE = /^(?:```|~~~)(\w*)/;
const SHELLS = new Set(["", "sh", "bash", "shell", "console", "zsh"]);
const COMMAND =
  /^(?:sudo )?(?:kubectl|oc|helm|argocd|flux|istioctl|docker|podman|crictl|systemctl|journalctl|psql|redis-cli|kafka-[\w.-]+|aws|gcloud|az|terraform|git|curl|ssh|etcdctl|vault|velero|tarsy) \S/;
const INLINE_CODE = /`([^`\n]+)`/g;
const MOST_STEPS = 8;
const MOST_COMMANDS = 12;

/** Empty where it does not say.
 *  @param {string} analysis
 *  @returns {Step[]} */
export function stepsToDo(analysis) {
  const steps = stepsOf(sectionOf(analysis.split("\n"))).filter(
    ({ text, commands }) => text !== "" || commands.length > 0,
  );
  let left = MOST_COMMANDS;
  return steps.slice(0, MOST_STEPS).map(({ text, commands }) => {
    const shown = commands.slice(0, left);
    left -= shown.length;
    return { text, commands: shown };
  });
}

/** The lines of the section, without its name.
 *  @param {string[]} lines */
function sectionOf(lines) {
  const begin = lines.findIndex((line) => MARKED.test(line.trim()) && BEGIN.test(line.trim()));
  if (begin < 0) return [];
  const first = BEGIN.exec(lines[begin]?.trim() ?? "")?.[1] ?? "";
  const rest = lines.slice(begin + 1);
  const isHeading = (lines[begin]?.trim() ?? "").startsWith("#");
  const end = rest.findIndex((line) => (isHeading ? line.startsWith("#") : MARKED.test(line)));
  return [first, ...(end < 0 ? rest : rest.slice(0, end))];
}

/** @param {string[]} lines
 *  @returns {Step[]} */
function stepsOf(lines) {
  /** @type {Step[]} */
  const steps = [];
  let isNew = true;
  /** @type {string[] | null} */
  let code = null;
  for (const line of lines.map((one) => one.trim())) {
    const fence = FENCE.exec(line);
    if (fence !== null) {
      if (code === null) code = SHELLS.has(fence[1] ?? "") ? [] : null;
      else {
        (steps.at(-1) ?? begun(steps, "")).commands.push(...typed(code));
        code = null;
      }
    } else if (code !== null) code.push(line);
    else if (line === "") isNew = true;
    else if (STEP.test(line)) {
      begun(steps, STEP.exec(line)?.[1] ?? "");
      isNew = false;
    } else {
      const last = isNew ? undefined : steps.at(-1);
      if (last === undefined) begun(steps, line);
      else last.text = `${last.text} ${line}`;
      isNew = false;
    }
  }
  return steps.map(({ text, commands }) => ({ text, commands: [...inlineCommands(text), ...commands] }));
}

/** @param {Step[]} steps
 *  @param {string} text */
function begun(steps, text) {
  const step = { text, commands: /** @type {string[]} */ ([]) };
  steps.push(step);
  return step;
}

/** Lines that a backslash ends go on in the next.
 *  @param {string[]} lines */
function typed(lines) {
  return lines
    .join("\n")
    .replaceAll(/\s*\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.replace(/^\$ /, "").trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** @param {string} text */
function inlineCommands(text) {
  return [...text.matchAll(INLINE_CODE)].map(([, code = ""]) => code.trim()).filter((code) => COMMAND.test(code));
}
