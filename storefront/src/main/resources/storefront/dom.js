// Elements.

/** Says a text, once: where it is read aloud, writing the same again would be heard again. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** An element with a class and a text, both optional. */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
