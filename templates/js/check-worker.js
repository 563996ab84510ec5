/** Verifies a published run away from the page, which stays as quick as it is. */
import { Disagreement, verify, words } from "./verify.js";

addEventListener("message", async ({ data }) => {
  try {
    postMessage({ found: { agrees: true, told: words(await verify(data)) } });
  } catch (error) {
    if (error instanceof Disagreement) postMessage({ found: { agrees: false, told: error.message } });
    else postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
