// Bytes that came as base64, as text where they are text: no DOM, no network.

/** What is no UTF-8 stays as it came.
 *  @param {string} base64 */
export function textOfBase64(base64) {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return `base64: ${base64}`;
  }
}
