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
picture("calls", "What the hosts called", "Rest the pointer on a call for its time: of all calls at this place, and without what they called.");
