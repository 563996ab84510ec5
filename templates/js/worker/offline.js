/**
 * The site without a network. `worker.js` at the root of the site says which version it is and of which files, and
 * imports this.
 *
 * Each version has a cache of its own, filled as a whole while its worker is installed. A worker waits until no page is
 * open under the one before it: so a page finds all its files, and what is read without a network is of one version.
 * Pages come from the network wherever it answers; files whose names hold a digest never change and come from the cache.
 */
(() => {
  /**
   * @typedef {{ version: string, files: string[], later: string[] }} Site `later`: kept once a reader asked for them
   * @typedef {Event & { waitUntil(work: Promise<unknown>): void }} Lasting
   * @typedef {Lasting & { request: Request, preloadResponse?: Promise<Response | undefined>, respondWith(answer: Promise<Response>): void }} Asked
   */
  const here = /** @type {{ SITE: Site, registration: ServiceWorkerRegistration, clients: { claim(): Promise<void> } }} */ (
    /** @type {unknown} */ (self)
  );
  const { version, files, later } = here.SITE;
  const root = here.registration.scope;
  const family = `${root} `; // other sites of this origin have caches too
  const name = family + version;
  const known = new Set([...files, ...later]);
  const AT_ONCE = 4;
  const PATIENCE = 4000; // milliseconds that a page may wait for a network that does not answer

  /** Whether a file of this name never changes. @param {string} path */
  const lasts = (path) => /^(assets|data|media)\//.test(path);

  /**
   * The file of the site that an address names, as a host would find it; null if it is none of the site's.
   * @param {string} address
   */
  function fileOf(address) {
    if (!address.startsWith(root)) return null;
    const path = decoded((address.split(/[?#]/, 1)[0] ?? "").slice(root.length));
    const page = path === "" || path.endsWith("/") ? `${path}index.html` : path;
    return known.has(page) || known.has(`${page}/index.html`) ? page : null;
  }

  /** @param {string} path */
  function decoded(path) {
    try {
      return decodeURI(path);
    } catch {
      return path; // a broken % sequence names no file
    }
  }

  // ------------------------------------------------------------------------------------------------------ keeping

  async function keepAll() {
    if (/** @type {{ connection?: { saveData?: boolean } }} */ (navigator).connection?.saveData) throw new Error("data are saved");
    const cache = await caches.open(name);
    const waiting = [...files];
    for (const path of later) if (await caches.match(root + path)) waiting.push(path);
    const keep = async () => {
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) await keepOne(cache, path);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, keep));
    // pages of another version might be among them, if the site was published anew meanwhile
    const published = await (await fetch(location.href, { cache: "no-store" })).text();
    if (!published.includes(version)) throw new Error("the site was published anew");
  }

  /** What was kept before, by this worker before it was stopped or by the one before it, is not fetched again. @param {Cache} cache @param {string} path */
  async function keepOne(cache, path) {
    const address = root + path;
    if (lasts(path)) {
      if (await cache.match(address)) return;
      const before = await caches.match(address);
      if (before) return cache.put(address, before);
    }
    const how = { cache: lasts(path) ? "default" : "no-cache", priority: "low" };
    const answer = await fetch(address, /** @type {RequestInit} */ (how));
    if (!answer.ok) throw new Error(`${path} did not come, the server answered ${answer.status}`);
    // a page that was led elsewhere on the way is not taken for one that was asked for
    return cache.put(address, answer.redirected ? new Response(answer.body, { headers: answer.headers }) : answer);
  }

  async function begin() {
    for (const other of await caches.keys()) {
      if (other.startsWith(family) && other !== name) await caches.delete(other);
    }
    await here.registration.navigationPreload?.enable();
    await here.clients.claim(); // the page by which this worker came
  }

  // ---------------------------------------------------------------------------------------------------- answering

  /** @param {Asked} event @param {string} path @returns {Promise<Response>} */
  async function fresh(event, path) {
    const early = event.preloadResponse ?? Promise.resolve(undefined);
    const network = early.then((answer) => answer ?? fetch(event.request));
    event.waitUntil(network.catch(() => undefined));
    const kept = await keptOf(event.request, path);
    if (!kept) return network;
    const impatient = new Promise((resolve) => setTimeout(resolve, PATIENCE)).then(() => kept.clone());
    const answered = network.then(
      (answer) => (answer.status >= 500 ? kept.clone() : answer),
      () => kept.clone(),
    );
    return Promise.race([answered, impatient]);
  }

  /** A page without the slash of its folder is led there, as by a host: its links are relative. @param {Request} request @param {string} path */
  async function keptOf(request, path) {
    if (!known.has(path)) return Response.redirect(`${root}${path}/${new URL(request.url).search}`, 301);
    return (await caches.open(name)).match(root + path);
  }

  /** @param {Asked} event @param {string} path @returns {Promise<Response>} */
  async function lasting(event, path) {
    const kept = await caches.match(root + path);
    if (kept) return kept;
    const answer = await fetch(event.request);
    if (answer.ok && later.includes(path)) {
      const copy = answer.clone();
      event.waitUntil(caches.open(name).then((cache) => cache.put(root + path, copy)));
    }
    return answer;
  }

  addEventListener("install", (event) => /** @type {Lasting} */ (event).waitUntil(keepAll()));
  addEventListener("activate", (event) => /** @type {Lasting} */ (event).waitUntil(begin()));
  addEventListener("fetch", (event) => {
    const asked = /** @type {Asked} */ (event);
    const path = asked.request.method === "GET" ? fileOf(asked.request.url) : null;
    if (path === null) return; // another site's, or none that is kept: the browser does as ever
    const anew = asked.request.cache === "no-store"; // who checks a run wants it from its host
    asked.respondWith(lasts(path) && !anew ? lasting(asked, path) : fresh(asked, path));
  });
})();
