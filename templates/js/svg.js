/** Making and updating elements. An attribute is written only when it changes: a redraw updates, it never rebuilds. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | undefined>} Attributes */

/**
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  set(element, attributes);
  element.append(...children);
  return element;
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  set(element, attributes);
  element.append(...children);
  return element;
}

/**
 * `undefined` and false take an attribute away, true sets it empty, a number is rounded to a hundredth of a pixel.
 * @param {Element} element
 * @param {Attributes} attributes
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) {
      if (element.hasAttribute(name)) element.removeAttribute(name);
      continue;
    }
    const text = value === true ? "" : typeof value === "number" ? String(Math.round(value * 100) / 100) : value;
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/**
 * Writes into the text that is there already: a child that comes or goes would make the browser look at every `:has()`.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  const only = element.firstChild;
  if (only instanceof Text && only === element.lastChild) {
    if (only.data !== text) only.data = text;
  } else {
    element.replaceChildren(document.createTextNode(text));
  }
}

/**
 * Where a pointer is in an element, in the element's own pixels: a slide shows a figure larger than it was laid out.
 * @param {MouseEvent} event
 * @param {Element} element
 */
export function pointIn(event, element) {
  const box = element.getBoundingClientRect();
  const figure = element.closest(".figure-live");
  const scale = (figure instanceof HTMLElement && figure.getBoundingClientRect().width / figure.offsetWidth) || 1;
  return { x: (event.clientX - box.left) / scale, y: (event.clientY - box.top) / scale };
}

/** @param {SVGElement | HTMLElement} element @param {string} property @param {string | number} value */
export function style(element, property, value) {
  const text = String(value);
  if (element.style.getPropertyValue(property) !== text) element.style.setProperty(property, text);
}
