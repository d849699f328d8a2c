// Tabs with a roving focus, and a native menu in their place where there is no room; the style sheet shows one of them.
function render({ model, el }) {
  el.classList.add("tk-nav");
  const own = `tk-${Math.random().toString(36).slice(2)}`;
  const names = model.get("names");
  const titles = model.get("titles");
  const bar = document.createElement("nav");
  bar.setAttribute("aria-label", model.get("label"));
  const list = Object.assign(document.createElement("div"), { className: "tk-tabs" });
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", model.get("label"));
  // JupyterLab would take the arrow keys for itself; this tells it that the page's controls need them.
  list.setAttribute("data-lm-suppress-shortcuts", "true");
  const tabs = names.map((name, k) => {
    const tab = Object.assign(document.createElement("button"), {
      type: "button", id: `${own}-${name}`, textContent: titles[k], className: `tk-tab tk-c-${name}-section`,
    });
    tab.setAttribute("role", "tab");
    tab.addEventListener("click", () => open(name));
    return tab;
  });
  list.append(...tabs);
  const label = Object.assign(document.createElement("label"), { className: "tk-menu" });
  const menu = document.createElement("select");
  menu.append(...names.map((name, k) => Object.assign(document.createElement("option"), { value: name, textContent: titles[k] })));
  label.append(Object.assign(document.createElement("span"), { textContent: model.get("label") }), menu);
  bar.append(list, label);
  el.replaceChildren(bar);

  const open = (name) => {
    if (name === model.get("current")) return;
    model.set("current", name);
    model.save_changes();
  };
  // the widget that holds the sections is drawn by somebody else, a little earlier or later
  const panel = (tries = 60) => {
    const views = el.closest(".tk-app")?.querySelector(".tk-views");
    if (!views) {
      if (tries) setTimeout(panel, 50, tries - 1);
      return;
    }
    views.id = `${own}-panel`;
    views.setAttribute("role", "tabpanel");
    views.setAttribute("aria-labelledby", `${own}-${model.get("current")}`);
    for (const tab of tabs) tab.setAttribute("aria-controls", views.id);
  };
  const draw = () => {
    const current = model.get("current");
    names.forEach((name, k) => {
      tabs[k].setAttribute("aria-selected", `${name === current}`);
      tabs[k].tabIndex = name === current ? 0 : -1;
    });
    menu.value = current;
    panel();
  };
  list.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(document.activeElement);
    const last = tabs.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    tabs[to].focus();
  });
  menu.addEventListener("change", () => open(menu.value));
  model.on("change:current", draw);
  draw();
}
export default { render };
