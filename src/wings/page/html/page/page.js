// The page: its data, how nodes are made, and the list of its sections.

const data = JSON.parse(document.getElementById("data").textContent);
const summary = data.summary;

// Texts of a capture become text nodes and attributes, never markup.
function node(tag, attributes, ...children) {
  const made = tag.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
                                      : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (name === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else if (name === "style") Object.assign(made.style, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

// Sections in the order of the page. `fill` is given the section's box and gives false where there is nothing to show.
const sections = [];
function section(id, title, fill) { sections.push({id, title, fill}); }

// With a capital, where it begins with a word and not with a name.
const sentence = (text) => (/^[a-z]+[ ,:]/.test(text) ? text[0].toUpperCase() + text.slice(1) : text);
const bullets = (texts) => node("ul", {}, ...texts.map((text) => node("li", {}, sentence(text))));
const span = summary.first_ps === null || summary.last_ps === null ? 0 : summary.last_ps - summary.first_ps;
const darkScheme = window.matchMedia("screen and (prefers-color-scheme: dark)");

function facts(rows) {
  return node("dl", {class: "facts"}, ...rows.filter(([, value]) => value && value.length).flatMap(([name, value]) =>
    [node("dt", {}, name), node("dd", {}, ...(Array.isArray(value) ? value.map((line) => node("div", {}, line)) : [value]))]));
}
