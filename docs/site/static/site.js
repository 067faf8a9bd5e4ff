// SPDX-License-Identifier: Apache-2.0
//
// The search of the site. Its index is a script, so that a browser loads it from a folder, too.
"use strict";

(() => {
	const root = new URL(".", document.currentScript.src);
	const box = document.querySelector("input[type=search]");
	const results = document.getElementById("results");
	const article = document.querySelector("article");
	const most = 30; // results shown

	// On a narrow screen the list of pages starts closed.
	if (matchMedia("(max-width: 55rem)").matches) document.querySelector(".menu").open = false;
	document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest" });

	let index; // resolves when the global constant `sections` is there
	const load = () => index ??= new Promise((resolve, reject) => {
		const script = document.createElement("script");
		script.src = new URL("search-index.js", root);
		script.onload = resolve;
		script.onerror = reject;
		document.head.append(script);
	});

	// points: how well a section matches; 0 when a word is missing. A title counts more than a heading, and this more than the text.
	const points = (section, words) => {
		let sum = 0;
		for (const word of words) {
			const found = 20 * section.page.toLowerCase().includes(word) + 10 * section.heading.toLowerCase().includes(word) +
				Math.min(5, section.text.toLowerCase().split(word).length - 1);
			if (!found) return 0;
			sum += found;
		}
		return sum;
	};

	// marked: text as nodes, the words highlighted.
	const marked = (text, words) => {
		const escaped = words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
		return text.split(new RegExp(`(${escaped.join("|")})`, "i")).map((piece, i) => {
			if (i % 2 === 0) return piece;
			const mark = document.createElement("mark");
			mark.textContent = piece;
			return mark;
		});
	};

	const excerpt = (section, words) => {
		const text = section.text, at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 80);
		return (at ? "… " : "") + text.slice(at, at + 240) + (at + 240 < text.length ? " …" : "");
	};

	const show = (section, words) => {
		const heading = document.createElement("h2"), link = document.createElement("a"), text = document.createElement("p");
		link.href = new URL(section.url, root);
		link.append(...marked(section.page + (section.heading && " › " + section.heading), words));
		link.onclick = () => { box.value = ""; search(); };
		heading.append(link);
		text.append(...marked(excerpt(section, words), words));
		results.append(heading, text);
	};

	const search = async () => {
		const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
		article.hidden = words.length > 0;
		results.hidden = !article.hidden;
		if (results.hidden) return;
		await load();
		const found = sections.map(section => ({ section, points: points(section, words) })).filter(row => row.points)
			.sort((a, b) => b.points - a.points);
		results.replaceChildren(`${found.length} ${found.length === 1 ? "section" : "sections"}` + (found.length > most ? `, the first ${most}:` : ""));
		found.slice(0, most).forEach(row => show(row.section, words));
	};

	box.addEventListener("focus", load);
	box.addEventListener("input", search);
	box.form.addEventListener("submit", event => {
		event.preventDefault();
		results.querySelector("a")?.click();
	});
	document.addEventListener("keydown", event => {
		if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
		if (event.key === "Escape") { box.value = ""; search(); box.blur(); }
	});

	// index.html?q=WORDS is a link to a search.
	box.value = new URLSearchParams(location.search).get("q") ?? "";
	search();
})();
