// The model, as the order of kernels shows it.

section("model", "Model", (box) => {
  const model = data.architecture;
  if (!model || !data.model) return false;
  box.append(node("p", {}, sentence(data.model) + "."));
  const tones = ["compute", "exposed_copies", "cause1", "exposed_communication", "cause2", "other_work", "cause3", "cause4", "cause0"];
  for (const type of model.types) {
    const whole = type.parts.reduce((sum, part) => sum + part.time_ps, 0), [least, median, most] = type.wall_ps;
    const title = type.kind + (type.sampling ? " with sampling" : "") + (type.phase === "undetermined" ? "" : ", " + type.phase);
    const parts = type.parts.map((part, i) => ({...part, colour: tones[Math.min(i, tones.length - 1)]}));
    box.append(node("h3", {}, title + ": " + plural(type.layers, model.layer_word) + " of " + duration(median) + (least < most ? " (" + duration(least) + " to " + duration(most) + ")" : "") +
        ", " + plural(type.kernels, "kernel") + " in a typical one"),
      node("div", {class: "split thin", role: "img", "aria-label": parts.map((part) => part.role + " " + share(part.time_ps, whole)).join(", ")},
        ...parts.filter((part) => part.time_ps > 0).map((part) => node("span", {class: "use " + part.colour, title: part.role + ": " + share(part.time_ps, whole) + ", " + duration(part.time_ps),
          style: {flexGrow: String(part.time_ps / whole)}}))),
      node("p", {class: "note"}, ...parts.map((part) => node("span", {class: "key"}, node("span", {class: "swatch use " + part.colour, "aria-hidden": "true"}), part.role + " " + share(part.time_ps, whole)))));
  }
  if (model.parallelism.some((text) => text !== "not determinable")) box.append(node("h3", {}, "Parallelism"), bullets(model.parallelism));
  if (model.limitations.length) box.append(node("h3", {}, "What limits this reading"), bullets(model.limitations));
  return true;
});
