// Of each line, a script and what it is given: the line that comes back has what its function returns, or the problem.
import { register } from "node:module";
import { createInterface } from "node:readline";

// A browser is told that the page's scripts are modules; Node would go by a package.json beside them.
const LOAD = `export const load = (url, context, next) =>
  next(url, url.endsWith(".js") ? { ...context, format: "module" } : context);`;
register(`data:text/javascript,${encodeURIComponent(LOAD)}`);

async function answer(line) {
  const [script, given] = JSON.parse(line);
  try {
    return { value: await (0, eval)(script)(given) };
  } catch (problem) {
    return { problem: String(problem?.stack ?? problem) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
}
