// What is said of a request that failed.

/** @param {unknown} problem */
export function messageOf(problem) {
  return problem instanceof Error ? problem.message : String(problem);
}
