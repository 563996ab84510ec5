/** The sha256 of some bytes as 64 digits; null where the browser keeps it from a page that did not come over https. */

/** @param {BufferSource} bytes @returns {Promise<string | null>} */
export async function sha256(bytes) {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return null;
  const hash = new Uint8Array(await subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
