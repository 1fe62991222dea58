(function () {
  "use strict";
  var search = document.getElementById("search");
  var boxes = Array.from(document.querySelectorAll("input[data-kind]"));
  var groups = Array.from(document.querySelectorAll(".group:not(.all)")).map(function (group) {
    var nodes = group.querySelector(".nodes");
    return {
      element: group,
      nodes: nodes ? nodes.textContent.toLowerCase() : "",
      changes: Array.from(group.querySelectorAll(".change")).map(function (change) {
        return { element: change, text: change.textContent.toLowerCase() };
      })
    };
  });
  var rows = Array.from(document.querySelectorAll(".fleet tr"));
  function apply() {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    var kinds = boxes.filter(function (box) { return box.checked; }).map(function (box) { return box.dataset.kind; });
    var any = false;
    groups.forEach(function (group) {
      var shown = false;
      group.changes.forEach(function (change) {
        var fits = kinds.some(function (kind) { return change.element.classList.contains(kind); }) &&
          words.every(function (word) { return change.text.includes(word) || group.nodes.includes(word); });
        change.element.hidden = !fits;
        shown = shown || fits;
      });
      group.element.hidden = !shown;
      any = any || shown;
    });
    rows.forEach(function (row) {
      row.hidden = !words.every(function (word) { return row.textContent.toLowerCase().includes(word); });
    });
    document.getElementById("none").hidden = any || groups.length === 0;
  }
  function all(open) {
    groups.forEach(function (group) { group.element.open = open; });
  }
  search.addEventListener("input", apply);
  boxes.forEach(function (box) { box.addEventListener("change", apply); });
  document.getElementById("open").addEventListener("click", function () { all(true); });
  document.getElementById("close").addEventListener("click", function () { all(false); });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && document.activeElement !== search) {
      event.preventDefault();
      search.focus();
    }
  });
})();
