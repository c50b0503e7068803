// In which order stages are shown: as they began, but a synthesis under the stage that it joins.

/** Those that stand on their own. */
export function inOrder(session) {
  return sorted([...session.stages.values()].filter((stage) => !isUnderAnother(session, stage)));
}

export function synthesesOf(session, stage) {
  const all = [...session.stages.values()];
  return sorted(all.filter((one) => one.referenced_stage_id === stage.stage_id && isUnderAnother(session, one)));
}

function isUnderAnother(session, stage) {
  const other = stage.referenced_stage_id ?? null;
  return stage.stage_type === "synthesis" && other !== stage.stage_id && session.stages.has(other);
}

function sorted(stages) {
  return stages.sort((one, other) => one.stage_index - other.stage_index);
}
