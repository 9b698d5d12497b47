// Puts the page together.

const body = document.body, main = node("main", {id: "page"}), links = node("nav", {"aria-label": "Sections"});
for (const {id, title, fill} of sections) {
  const box = node("section", {id, "aria-labelledby": id + "-title"}, node("h2", {id: id + "-title"}, title));
  if (fill(box) === false) continue;
  main.append(box);
  links.append(node("a", {href: "#" + id}, title));
}
// In a frame whose text is its attribute, as a notebook shows the page, a link to a place would load the page around it.
body.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']"), target = link && document.getElementById(link.hash.slice(1));
  if (!target) return;
  event.preventDefault();
  target.scrollIntoView({block: "start"});
});
// What is known of the machine may be more than what was recorded: then the number says nothing here.
const models = summary.devices.filter((d) => d.with_events !== 0).map((d) => (d.with_events > 1 ? grouped(d.with_events) + " × " : "") + d.model.split(",")[0]);
body.prepend(
  node("header", {},
    node("div", {class: "brand"}, "profkit report"),
    node("h1", {}, data.name),
    node("p", {class: "what"}, [models.slice(0, 2).join(", ") + (models.length > 2 ? ", …" : ""), summary.software.slice(0, 2).join(", "), span ? duration(span) + " of events" : "",
      data.complete ? "" : "not complete"].filter((text) => text).join(" · "))),
  links, main,
  node("footer", {}, "Made by profkit from " + data.name + ". Everything on this page is in this one file; it loads nothing and sends nothing."));
