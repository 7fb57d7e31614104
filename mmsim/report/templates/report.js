// Links open folded sections, printing shows all, tables sort, pictures enlarge; without this script everything is there
// all the same.
const openTarget = () => {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = target && (target.closest("details") || target.querySelector(":scope > details.fold"));
  if (!fold || fold.open) return;
  fold.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", openTarget);
for (const link of document.querySelectorAll('a[href^="#"]')) link.addEventListener("click", () => setTimeout(openTarget));
openTarget();
const closed = [];
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details:not([open])")) { closed.push(details); details.open = true; }
});
addEventListener("afterprint", () => { for (const details of closed.splice(0)) details.open = false; });
const number = text => {  // the first in a cell; a cell without one comes last
  const match = text.replace(/[,\u00a0]/g, "").replace("\u2212", "-").match(/-?\d+(\.\d+)?/);
  return match ? parseFloat(match[0]) : Infinity;
};
for (const table of document.querySelectorAll("table.sorts")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.onclick = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const text = row => row.cells[column].textContent.trim();
      const byNumber = (a, b) => number(text(a)) - number(text(b)) || 0;
      const byWord = (a, b) => text(a).localeCompare(text(b));
      const order = head.classList.contains("number") ? byNumber : byWord;
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => (down ? -1 : 1) * order(a, b)));
    };
  });
}
const large = document.getElementById("large");
for (const link of document.querySelectorAll("a.enlarge")) {
  link.onclick = event => {
    event.preventDefault();
    large.querySelector("img")?.remove();
    large.append(link.querySelector("img").cloneNode());
    large.showModal();
  };
}
large.onclick = event => { if (event.target.tagName !== "BUTTON") large.close(); };
