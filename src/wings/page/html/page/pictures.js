// Pictures that the library drew: they stand in the page as templates.

function picture(id, title, said) {
  section(id, title, (box) => {
    const drawn = document.getElementById("picture-" + id);
    if (!drawn) return false;
    box.append(node("p", {class: "note"}, said), drawn.content.cloneNode(true));
    return true;
  });
}
picture("roofline", "Roofline", "How close ops come to what the device can do. Left of the bend the memory bounds them, right of it the arithmetic. Rest the pointer on a dot for its numbers.");
picture("layer", "One layer", "The parts of a layer of the type that takes most of the time, in the order in which they run. Rest the pointer on a part for its kernels.");
picture("bandwidth", "Bandwidth of collectives", "Each dot is a call: how much it moved, and what each link carried at least. Rest the pointer on a dot for its numbers.");
picture("clocks", "Clock bounds over time", "How far the corrected times of a node can be wrong. Thick where its clock jumped or was measured badly.");
picture("calls", "What the hosts called", "Rest the pointer on a call for its time: of all calls at this place, and without what they called.");
