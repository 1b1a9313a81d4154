// Pictures that are shown smaller than they are can be enlarged, with pointer or keyboard.
(() => {
  const smallest = 1.15;
  const isSmall = (image) => image.naturalWidth > image.clientWidth * smallest && image.clientWidth > 48;
  const isFree = (image) =>
    !image.closest("a, button, .card, .tile, .zoom, [nozoom]") && !image.matches(".icon, .icon *");

  const look = (image) => {
    const can = isFree(image) && isSmall(image);
    image.toggleAttribute("data-zoom", can);
    if (can) {
      image.tabIndex = 0;
      image.setAttribute("role", "button");
      image.setAttribute(
        "aria-label",
        image.alt ? quireSay("Enlarge", "Enlarge: {}", image.alt) : quireSay("EnlargePicture", "Enlarge the picture"),
      );
    } else if (image.getAttribute("role") === "button") {
      for (const name of ["tabindex", "role", "aria-label"]) image.removeAttribute(name);
    }
  };
  const lookAtAll = () => {
    for (const image of document.querySelectorAll(".prose img")) if (image.complete) look(image);
  };

  const enlarge = (image) => {
    const dialog = document.createElement("dialog");
    dialog.className = "zoom";
    dialog.setAttribute("aria-label", image.alt || quireSay("Picture", "Picture"));
    const large = new Image();
    large.src = image.currentSrc || image.src;
    large.alt = image.alt;
    dialog.append(large);
    dialog.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      image.focus({ preventScroll: true });
    });
    document.body.append(dialog);
    dialog.showModal();
  };

  document.addEventListener("click", (event) => {
    if (event.target.matches?.("img[data-zoom]")) enlarge(event.target);
  });
  document.addEventListener("keydown", (event) => {
    if ((event.key !== "Enter" && event.key !== " ") || !event.target.matches?.("img[data-zoom]")) return;
    event.preventDefault();
    enlarge(event.target);
  });
  // The event of a picture does not rise, but it can be caught on its way down.
  document.addEventListener(
    "load",
    (event) => {
      if (event.target.matches?.(".prose img")) look(event.target);
    },
    true,
  );
  addEventListener("resize", lookAtAll, { passive: true });
  document.addEventListener("quire:shown", lookAtAll);
  document.addEventListener("quire:update", lookAtAll);
  lookAtAll();
})();
