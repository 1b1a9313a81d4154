// Opens everything that is folded in the rows of a section, or closes all of it; what the button says is the
// stylesheet's.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-fold-all]");
  if (!button) return;
  const folds = [...button.closest(".reference-section").querySelectorAll("details.row-children")];
  const isOpening = folds.some((fold) => !fold.open);
  for (const fold of folds) fold.open = isOpening;
});
