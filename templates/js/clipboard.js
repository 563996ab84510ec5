/** The clipboard, where the page may use it. */

/** Pages that did not come over https have none; then the text is selected. @param {Element | null} shown @returns whether it was copied */
export async function copied(shown) {
  try {
    await navigator.clipboard.writeText(shown?.textContent ?? "");
    return true;
  } catch {
    if (shown) getSelection()?.selectAllChildren(shown);
    return false;
  }
}
