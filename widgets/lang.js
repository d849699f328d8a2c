// Tells browsers and screen readers the language of the page, and on a page of its own that of the whole document.
function render({ model, el }) {
  el.hidden = true;
  const code = model.get("code");
  requestAnimationFrame(() => {
    el.closest(".tk-app")?.setAttribute("lang", code);
    if (document.getElementById("rendered_cells")) document.documentElement.lang = code; // as Voilà serves it
  });
}
export default { render };
