/** Verifies a published run away from the page, which stays as quick as it is. */
import { verify, words } from "./verify.js";

addEventListener("message", async ({ data }) => {
  try {
    postMessage({ told: words(await verify(data)) });
  } catch (error) {
    postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
});
