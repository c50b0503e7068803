// Where each section and each row of the list stands, and which of them are near the viewport: no DOM.

/** @typedef {import("./sessions_state.js").Row} Row */
/** @typedef {import("./list_sections.js").Section} Section */
/** @typedef {{ section: Section, top: number, height: number }} Box */
/** Lengths in pixels: `head` is the heading of a section, `foot` what may follow its rows.
 *  @typedef {{ row: number, head: number, foot: number, gap: number }} Sizes */
/** @typedef {{ boxes: Box[], height: number, sizes: Sizes }} Layout */
/** @typedef {{ box: Box, rows: { row: Row, place: number, top: number }[] }} Visible */

/** @param {Section[]} sections @param {Sizes} sizes @returns {Layout} */
export function layoutOf(sections, sizes) {
  let top = 0;
  const boxes = sections.map((section) => {
    const foot = section.hidden > 0 || section.isUnfolded ? sizes.foot : 0;
    const box = { section, top, height: sizes.head + section.rows.length * sizes.row + foot };
    top += box.height + sizes.gap;
    return box;
  });
  return { boxes, height: Math.max(0, top - sizes.gap), sizes };
}

/** What is between the two heights, and the row that is kept besides: the one with the focus.
 *  @param {Layout} layout @param {number} from @param {number} until @param {string | null} kept @returns {Visible[]} */
export function visibleOf({ boxes, sizes }, from, until, kept) {
  const found = [];
  for (const box of boxes) {
    const { rows } = box.section;
    const isNear = box.top < until && box.top + box.height > from;
    const keptPlace = kept === null ? -1 : rows.findIndex((row) => row.id === kept);
    if (!isNear && keptPlace < 0) continue;
    const begin = isNear ? bounded((from - box.top - sizes.head) / sizes.row, rows.length) : 0;
    const end = isNear ? bounded((until - box.top - sizes.head) / sizes.row + 1, rows.length) : 0;
    const places = Array.from({ length: end - begin }, (_, number) => begin + number);
    if (keptPlace >= 0 && keptPlace < begin) places.unshift(keptPlace);
    if (keptPlace >= end) places.push(keptPlace);
    found.push({ box, rows: places.map((place) => placed(rows, place, sizes)) });
  }
  return found;
}

/** How far from the top of the list a row stands; null where there is no such row.
 *  @param {Layout} layout @param {string} id */
export function topOf({ boxes, sizes }, id) {
  for (const { section, top } of boxes) {
    const place = section.rows.findIndex((row) => row.id === id);
    if (place >= 0) return top + sizes.head + place * sizes.row;
  }
  return null;
}

/** How much lower the rows stand now that are seen at this height: the first of them that is still in its section.
 *  @param {Layout} before @param {Layout} after @param {number} height */
export function shiftOf(before, after, height) {
  if (before === after) return 0;
  const boxes = new Map(after.boxes.map((box) => [box.section.key, box]));
  for (const { section, top } of before.boxes) {
    const box = boxes.get(section.key);
    const first = Math.max(0, Math.ceil((height - top - before.sizes.head) / before.sizes.row));
    if (box === undefined || first >= section.rows.length) continue;
    const places = new Map(box.section.rows.map((row, place) => [row.id, place]));
    for (let place = first; place < section.rows.length; place += 1) {
      const now = places.get(/** @type {Row} */ (section.rows[place]).id);
      if (now !== undefined) return box.top - top + now * after.sizes.row - place * before.sizes.row;
    }
  }
  return 0;
}

/** The row so many steps further; the first or the last where there are none left.
 *  @param {Layout} layout @param {string | null} id @param {number} steps */
export function rowBeside({ boxes }, id, steps) {
  const ids = boxes.flatMap(({ section }) => section.rows.map((row) => row.id));
  const place = id === null ? -1 : ids.indexOf(id);
  if (place < 0) return ids[0] ?? null;
  return ids[Math.min(ids.length - 1, Math.max(0, place + steps))] ?? null;
}

/** @param {Row[]} rows @param {number} place @param {Sizes} sizes */
function placed(rows, place, sizes) {
  return { row: /** @type {Row} */ (rows[place]), place, top: sizes.head + place * sizes.row };
}

/** @param {number} place @param {number} most */
function bounded(place, most) {
  return Math.min(most, Math.max(0, Math.floor(place)));
}
