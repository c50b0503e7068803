// What `tsc` has to refuse of the page's texts: an expectation of an error that does not come is an error itself.

import { en } from "../../../services/websocket-gateway/src/tarsy_websocket_gateway/page/words/en.js";
import { TEXT } from "../../../services/websocket-gateway/src/tarsy_websocket_gateway/page/words/language.js";
import { say, sayOrdinal } from "../../../services/websocket-gateway/src/tarsy_websocket_gateway/page/words/say.js";

/** @type {import("../../../services/websocket-gateway/src/tarsy_websocket_gateway/page/words/language.js").Catalogue} */
const catalogue = en;

say(TEXT.filters.remove, { name: "Status", value: "failed" });
say(TEXT.bulk.askedOfSome, { count: 2, refusals: "1 refusal" });
sayOrdinal(TEXT.list.place, { count: 2 });

// @ts-expect-error: no such key.
say(TEXT.filters.removed, {});
// @ts-expect-error: a value is missing.
say(TEXT.filters.remove, { name: "Status" });
// @ts-expect-error: no such placeholder.
say(TEXT.filters.remove, { name: "Status", value: "failed", other: "" });
// @ts-expect-error: a plural needs its number.
say(TEXT.bulk.askedOfSome, { refusals: "1 refusal" });
// @ts-expect-error: the number of a plural is a number.
say(TEXT.bulk.chosen, { count: "2" });
// @ts-expect-error: a text is never written.
catalogue.list.title = "Other";
// @ts-expect-error: a translation has every group of keys.
/** @satisfies {import("../../../services/websocket-gateway/src/tarsy_websocket_gateway/page/words/language.js").Catalogue} */ ({});
