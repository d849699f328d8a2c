// The state in the address bar of a served page, so that a reload or a bookmark restores it; nothing shows here.
function render({ model, el }) {
  if (document.body.dataset.voila !== "voila") return; // a notebook's address is not ours
  el.style.display = "none";
  const put = () => {
    const url = new URL(location.href);
    const token = model.get("token");
    url.searchParams.delete("token"); // the server's key has no place in a link that is passed on
    url.searchParams.delete("s");
    const rest = url.searchParams.toString();
    const query = [rest, token ? `s=${token}` : ""].filter(Boolean).join("&");
    history.replaceState(history.state, "", `${url.pathname}${query ? `?${query}` : ""}${url.hash}`);
  };
  model.on("change:token", put);
  put();
  model.set("place", `${location.origin}${location.pathname}`);
  model.save_changes();
}
export default { render };
