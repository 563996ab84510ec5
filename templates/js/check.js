/**
 * Check it here: a figure's run is fetched anew, held against its sha256 and recomputed in a worker. This module and the
 * engine come only when a reader asks.
 *
 * @typedef {{ agrees: boolean, told: string }} Found "1,104 numbers, largest difference 8.0e-15 …", or what is not as baked
 */

/**
 * Rejects, in words, where the check could not be done, which says nothing of the run.
 * @param {{ run: string, weights: string | undefined, digest: string }} figure addresses, and the digest the page states
 * @returns {Promise<Found>}
 */
export async function check({ run, weights, digest }) {
  const [json, bytes] = await Promise.all([fetched(run, "the JSON"), weights ? fetched(weights, "the weights file") : null]);
  return verified({ json, weights: bytes, digest });
}

/** @param {string} url @param {string} what */
async function fetched(url, what) {
  let status = 0;
  try {
    const answer = await fetch(url, { cache: "no-store" });
    status = answer.status;
    if (answer.ok) return await answer.arrayBuffer();
  } catch {
    throw new Error(`${what} could not be fetched`);
  }
  throw new Error(`${what} did not come, the server answered ${status}`);
}

/** @param {import("./verify.js").Published} published @returns {Promise<Found>} */
function verified(published) {
  const worker = new Worker(new URL("./check-worker.js", import.meta.url), { type: "module" });
  /** @type {Promise<Found>} */
  const answer = new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => (data.found ? resolve(data.found) : reject(new Error(data.problem))));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      reject(new Error("the engine could not start"));
    });
  });
  worker.postMessage(published, [published.json, ...(published.weights ? [published.weights] : [])]);
  return answer.finally(() => worker.terminate());
}
