
"use strict";
(function () {
  // Cards stay within the window, close on Escape, and open on a first touch.
  var gap = 12;

  function place(cite) {
    var card = cite.querySelector(".card");
    card.style.marginLeft = "0";
    var box = card.getBoundingClientRect();
    var over = box.right + gap - document.documentElement.clientWidth;
    if (over > 0) {
      card.style.marginLeft = -Math.min(over, box.left - gap) + "px";
    }
  }

  document.querySelectorAll(".cite").forEach(function (cite) {
    var link = cite.querySelector("a");
    var touched = false;
    function show() {
      cite.classList.remove("closed");
      place(cite);
    }
    cite.addEventListener("mouseenter", show);
    cite.addEventListener("focusin", show);
    link.addEventListener("pointerdown", function (event) {
      touched = event.pointerType === "touch" && document.activeElement !== link;
    });
    link.addEventListener("click", function (event) {
      if (touched) {
        event.preventDefault();
        link.focus();
        touched = false;
      }
    });
    cite.addEventListener("keydown", function (event) {
      if (event.key === "Escape") {
        cite.classList.add("closed");
      }
    });
  });

  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (part) {
      part.open = true;
    });
  });
})();
