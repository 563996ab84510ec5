/**
 * Keeps the site for reading without a network: its worker comes to work once the page is there and idle, and only
 * where the reader's data are not to be saved. `worker/offline.js` tells what it does.
 */

/** Where a site is made, not published: a worker would show there what was built before, by whatever name. */
const WORKSHOPS = ["localhost", "127.0.0.1", "[::1]"];
const SERVED = 'script[src*="/__sitegen/"]'; // what `sitegen serve` puts into its pages
const root = new URL("../../../", import.meta.url);

/** @param {HTMLElement | null} note is shown when the whole site is kept */
export async function keepForOffline(note) {
  const workers = location.protocol.startsWith("http") ? navigator.serviceWorker : undefined;
  if (!workers || top !== self) return;
  if (WORKSHOPS.includes(location.hostname) || document.querySelector(SERVED)) return forget(workers);
  const { connection } = /** @type {{ connection?: { saveData?: boolean } }} */ (navigator);
  if (connection?.saveData && !(await workers.getRegistration(root.href))) return;
  await workers.register(new URL("worker.js", root), { scope: root.href, updateViaCache: "none" });
  await workers.ready;
  if (note) note.hidden = false;
}

/** @param {ServiceWorkerContainer} workers */
async function forget(workers) {
  for (const one of await workers.getRegistrations()) {
    if (one.scope === root.href) await one.unregister();
  }
  for (const name of await caches.keys()) if (name.startsWith(`${root.href} `)) await caches.delete(name);
}
