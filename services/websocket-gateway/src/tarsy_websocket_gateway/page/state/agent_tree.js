// Agents as a tree: each stands before those that it has sent.

/** One whose parent is not among them stands by itself.
 *  @template {{ execution_id: string, parent_execution_id?: string | null }} A
 *  @param {A[]} agents  in order
 *  @returns {{ agent: A, depth: number }[]} */
export function nestAgents(agents) {
  const known = new Set(agents.map(({ execution_id: id }) => id));
  /** @param {A[]} level @param {number} depth @returns {{ agent: A, depth: number }[]} */
  const nest = (level, depth) =>
    level.flatMap((agent) => [{ agent, depth }, ...nest(sentBy(agents, agent.execution_id), depth + 1)]);
  const first = agents.filter(({ parent_execution_id: parent }) => !known.has(parent ?? ""));
  return nest(first, 0);
}

/** @template {{ parent_execution_id?: string | null }} A
 *  @param {A[]} agents
 *  @param {string} id
 *  @returns {A[]} */
function sentBy(agents, id) {
  return agents.filter(({ parent_execution_id: parent }) => parent === id);
}
