// Whether all of it is there.

section("completeness", "Is anything missing?", (box) => {
  box.append(node("p", {class: data.complete && !data.damage.length ? "good" : "doubt"},
    data.complete ? "Complete: nothing is missing or damaged." : "Not complete: the numbers are of what is there."));
  if (data.reasons.length) box.append(bullets(data.reasons));
  const damage = data.damage.filter((one) => !data.reasons.some((reason) => reason.includes(one.message)));
  if (damage.length) box.append(bullets(damage.map((one) => one.path + ": " + one.message)));
  if (data.limited)
    box.append(node("p", {class: "note"}, "So that this page stays small, some lists end early: " +
      data.limited.lists.map((cut) => cut.list + " (" + grouped(cut.written) + " of " + grouped(cut.total) + ")").join(", ") +
      (data.limited.texts ? (data.limited.lists.length ? "; " : "") + plural(data.limited.texts, "long text") + " cut" : "") + "."));
  return true;
});
