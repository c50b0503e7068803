// All texts of the page, in English: each file of `en/` has the groups of a view. `{name}` is a placeholder; forms of a
// plural are chosen by `{count}`.

import { frameTexts } from "./en/frame.js";
import { listTexts } from "./en/list.js";
import { recordTexts } from "./en/record.js";
import { resultTexts } from "./en/result.js";
import { sessionTexts } from "./en/session.js";
import { storyTexts } from "./en/story.js";
import { submitTexts } from "./en/submit.js";
import { systemTexts } from "./en/system.js";
import { usageTexts } from "./en/usage.js";
import { frozen } from "./frozen.js";

export const en = frozen({
  ...frameTexts,
  ...listTexts,
  ...sessionTexts,
  ...storyTexts,
  ...resultTexts,
  ...recordTexts,
  ...submitTexts,
  ...systemTexts,
  ...usageTexts,
});
