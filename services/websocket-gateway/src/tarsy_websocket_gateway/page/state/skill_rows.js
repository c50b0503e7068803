// The skills of an agent, with what it did with each: they stand in its instructions, or it has loaded them or not.

/** @typedef {import("tarsy-api").components["schemas"]["TracedSkill"]} Skill
 *  @typedef {{ skill: Skill, use: "required" | "loaded" | "offered" }} SkillRow */

/** @param {Skill[]} skills  those of the session
 *  @param {import("./item_types.js").Item} item
 *  @returns {SkillRow[]} */
export function skillRows(skills, { executionId, metadata: { skill_names: required = [], offered = [] } }) {
  /** @param {Skill} skill
   *  @returns {SkillRow["use"]} */
  function useOf({ name, loaded_by: loaders }) {
    if (required.includes(name)) return "required";
    return loaders.includes(executionId ?? "") ? "loaded" : "offered";
  }

  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return [...required, ...offered]
    .map((name) => byName.get(name))
    .filter((skill) => skill !== undefined)
    .map((skill) => ({ skill, use: useOf(skill) }));
}
