// Addresses that come from outside, as they are led to: those of the web only.

/** Whether the text is an address of the web, and nothing else.
 *  @param {string} text */
export function isWeb(text) {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}
