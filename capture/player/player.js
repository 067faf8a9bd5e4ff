// SPDX-License-Identifier: Apache-2.0
'use strict';
(() => {
const about = JSON.parse(document.getElementById('about').textContent);
const $ = (id) => document.getElementById(id);
const links = about.links.from.length, nodes = about.layout.x.length;
const [PLACED, CROSSES, TAKEN, LOST, DROPPED] = [0, 1, 2, 3, 4];

// ---- The record: columns of events, in the order of time ----

// Column is a typed array that grows.
class Column {
  constructor(Type) { this.all = new Type(1024); this.length = 0; }
  push(value) {
    if (this.length === this.all.length) {
      const more = new this.all.constructor(2 * this.length);
      more.set(this.all);
      this.all = more;
    }
    this.all[this.length++] = value;
  }
}

const time = new Column(Float64Array), what = new Column(Uint8Array), where = new Column(Int32Array);
const message = new Column(Int32Array), flit = new Column(Int32Array);
const before = new Column(Int32Array), after = new Column(Int32Array); // the same flit's events around an event; -1: none
const whole = new Float64Array(links); // crossings by link
// Messages by their place in the record.
const number = new Column(Float64Array), source = new Column(Int32Array), destination = new Column(Int32Array);
const length = new Column(Int32Array), kind = new Column(Uint8Array), base = new Column(Float64Array);
let newest = new Int32Array(1024), flits = 0; // by flit: its last event so far + 1
const byNumber = new Map();
let lastTick = 0, lost = 0;
let work = 0; // events looked at since the last picture, which must not grow with the run

// add reads a part of the record.
function add(bytes) {
  let at = 0;
  const next = () => {
    let value = 0, scale = 1;
    for (;;) {
      const b = bytes[at++];
      value += (b & 127) * scale;
      if (b < 128) return value;
      scale *= 128;
    }
  };
  const signed = () => { const v = next(); return v % 2 ? -(v + 1) / 2 : v / 2; };
  while (at < bytes.length) {
    lastTick += next();
    for (let k = next(); k > 0; k--) {
      byNumber.set(signed0(), number.length - 1);
      source.push(next()); destination.push(next());
      const flitsOf = next();
      length.push(flitsOf); kind.push(next()); base.push(flits);
      flits += flitsOf;
    }
    if (flits > newest.length) {
      const more = new Int32Array(2 * flits);
      more.set(newest);
      newest = more;
    }
    let m = 0;
    for (let k = next(); k > 0; k--) {
      const code = next();
      m += signed();
      enter(lastTick, code % 8, Math.floor(code / 8), m, next());
    }
  }
  function signed0() { const v = signed(); number.push(v); return v; }
}

function enter(tick, kindOf, place, m, f) {
  const e = time.length, key = base.all[m] + f, previous = newest[key] - 1;
  time.push(tick); what.push(kindOf); where.push(place); message.push(m); flit.push(f);
  before.push(previous); after.push(-1);
  if (previous >= 0) after.all[previous] = e;
  newest[key] = e + 1;
  if (kindOf === CROSSES || kindOf === DROPPED) whole[Math.floor(place / about.vcs)]++;
  if (kindOf === LOST || kindOf === DROPPED) lost++;
}

async function unpack(text) {
  const lines = text.split('\n').filter((line) => line);
  if (!lines.length) return;
  const parts = lines.map((line) => Uint8Array.from(atob(line), (c) => c.charCodeAt(0)));
  const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  add(new Uint8Array(await new Response(stream).arrayBuffer()));
}

// bound returns the first event at a tick or later.
function bound(tick) {
  let low = 0, high = time.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time.all[middle] < tick) low = middle + 1; else high = middle;
  }
  return low;
}

// ---- The state at a tick: the flits in the network, each by its last event ----

let now = about.from, part = 0.5; // the tick shown, and how much of it is over
let cursor = 0; // events up to and with this tick
let active = new Int32Array(1024), count = 0, place = new Int32Array(1024);
let taken = 0;
const keys = []; // states to go back to
const keyEvery = 20000;

function seek(tick) {
  now = Math.max(first(), Math.min(tick, end() - 1));
  const target = bound(now + 1);
  const key = keyBefore(target);
  if (target < cursor || key.cursor > cursor) restore(key);
  if (place.length < time.length) {
    const more = new Int32Array(2 * time.length);
    more.set(place);
    place = more;
  }
  while (cursor < target) {
    apply(cursor++);
    if (cursor % keyEvery === 0 && (!keys.length || keys[keys.length - 1].cursor < cursor)) {
      keys.push({cursor, taken, active: active.slice(0, count)});
    }
  }
}

// keyBefore returns the last state to go back to that is not behind an event. There is one for every keyEvery events.
const keyAtStart = {cursor: 0, taken: 0, active: new Int32Array(0)};
const keyBefore = (target) => keys[Math.min(keys.length, Math.floor(target / keyEvery)) - 1] || keyAtStart;
function restore(key) {
  ({cursor, taken} = key);
  count = key.active.length;
  if (active.length < count) active = new Int32Array(2 * count);
  active.set(key.active);
  for (let i = 0; i < count; i++) place[active[i]] = i;
}

function apply(e) {
  work++;
  const old = before.all[e];
  if (old >= 0) {
    const i = place[old], moved = active[--count];
    active[i] = moved;
    place[moved] = i;
  }
  const w = what.all[e];
  if (w === TAKEN) taken++;
  if (w !== PLACED && w !== CROSSES) return;
  if (count === active.length) {
    const more = new Int32Array(2 * count);
    more.set(active);
    active = more;
  }
  place[e] = count;
  active[count++] = e;
}

const interest = about.nodes && new Set(about.nodes);
const hidden = (n) => interest !== null && !interest.has(n);
const linkOf = (e) => Math.floor(where.all[e] / about.vcs);
const first = () => about.from;
const end = () => Math.max(about.end, lastTick + 1);
const cycles = (tick) => (tick / about.ticks).toLocaleString('en', {maximumFractionDigits: 3});
const hopOf = (link) => (about.links.hop ? about.links.hop[link] : about.hop);
const flitOf = (link) => (about.links.flit ? about.links.flit[link] : about.flit);
const crossing = (e, t) => what.all[e] === CROSSES && time.all[e] + hopOf(linkOf(e)) > t;
// nodeOf returns the node at which a flit is, or to which it is on the way.
const nodeOf = (e) => (what.all[e] === CROSSES ? about.links.to[linkOf(e)] : where.all[e]);
// gone: a flit that left the window of nodes.
const gone = (e) => what.all[e] === CROSSES && !crossing(e, now) && hidden(nodeOf(e));

// ---- Colours ----

const ramps = {
  light: ['#c7e9b4', '#9fd9b8', '#73c8bd', '#4db8c1', '#35a2c2', '#2a88bb', '#2569ad', '#24479d', '#1e3180', '#0b1f5c'],
  dark: ['#24406b', '#26558a', '#2a6ba6', '#2f83ba', '#3b9bc4', '#52b1c6', '#74c6c1', '#9bd8b9', '#c5e8b3', '#f3f7b5'],
};
const hues = {
  light: ['#0072b2', '#c44e00', '#00805c', '#a63f85', '#4f46c8', '#9a6b00', '#b3202c', '#50606e'],
  dark: ['#3f9fe0', '#e8793a', '#1fae86', '#d07ab5', '#9a92f5', '#c99a26', '#ee6c74', '#93a3b2'],
};
let theme, ink = {};
function readTheme() {
  const chosen = document.documentElement.dataset.theme;
  theme = chosen || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const style = getComputedStyle(document.documentElement);
  for (const name of ['paper', 'ink', 'soft', 'line', 'node', 'rim', 'accent', 'bad', 'idle', 'panel']) ink[name] = style.getPropertyValue('--' + name).trim();
  const steps = [ink.idle, ...ramps[theme]];
  $('scale').innerHTML = steps.map((c, i) => `<rect x="${i ? i * 9.5 : 0}" width="${i ? 9.5 : 7}" height="10" fill="${c}"/>`).join('');
}
const hue = (m) => hues[theme][m % hues[theme].length];

// ---- Loads of links ----

const load = new Float64Array(links);
const past = {load: new Float64Array(links), cursor: 0};
let given = null; // shares that a server sends
let full = null, fullTick = 0; // and the flits in the buffers at a tick, by channel
const windowTicks = 32 * about.ticks;

function readLoad() {
  const mode = $('load').value;
  if (given) { load.set(given); return; }
  if (mode === 'whole') return share(whole, end() - first());
  if (mode === 'past') {
    if (past.cursor > cursor) { past.load.fill(0); past.cursor = 0; }
    countCrossings(past.load, past.cursor, cursor);
    past.cursor = cursor;
    return share(past.load, now + 1 - first());
  }
  load.fill(0);
  const from = Math.max(first(), now + 1 - windowTicks);
  countCrossings(load, bound(from), cursor);
  share(load, now + 1 - from);
}
function countCrossings(into, from, until) {
  work += until - from;
  for (let e = from; e < until; e++) if (what.all[e] === CROSSES || what.all[e] === DROPPED) into[linkOf(e)]++;
}
function share(counts, ticks) {
  for (let i = 0; i < links; i++) load[i] = Math.min(1, counts[i] * flitOf(i) / Math.max(1, ticks));
}

// ---- The network ----

const half = 0.2; // of a node's side, in steps
const x = about.layout.x, y = about.layout.y;
// Each link is one or two strokes: x1, y1, control x, control y, x2, y2, and how far it bends.
const strokes = [];
for (let i = 0; i < links; i++) {
  const a = about.links.from[i], b = about.links.to[i], way = about.layout.stubs[i];
  if (way) {
    const long = way[0] && way[1] ? 0.55 : 0.48, rim = half / Math.max(Math.abs(way[0]), Math.abs(way[1]));
    const ox = -way[1] * 0.065, oy = way[0] * 0.065;
    strokes.push([
      line(x[a] + ox + way[0] * rim, y[a] + oy + way[1] * rim, x[a] + ox + way[0] * long, y[a] + oy + way[1] * long, 0),
      line(x[b] + ox - way[0] * long, y[b] + oy - way[1] * long, x[b] + ox - way[0] * rim, y[b] + oy - way[1] * rim, 0),
    ]);
    continue;
  }
  const dx = x[b] - x[a], dy = y[b] - y[a], far = Math.hypot(dx, dy) || 1, ux = dx / far, uy = dy / far;
  const rim = half / (Math.max(Math.abs(ux), Math.abs(uy)) || 1), side = 0.065;
  strokes.push([line(x[a] - uy * side + ux * rim, y[a] + ux * side + uy * rim, x[b] - uy * side - ux * rim, y[b] + ux * side - uy * rim, about.layout.bows[i] || 0)]);
}
function line(x1, y1, x2, y2, bow) {
  const far = Math.hypot(x2 - x1, y2 - y1) || 1;
  return [x1, y1, (x1 + x2) / 2 - (y2 - y1) / far * 2 * bow, (y1 + y2) / 2 + (x2 - x1) / far * 2 * bow, x2, y2, bow];
}
// along returns a point of a link, t from 0 to 1.
function along(i, t) {
  const list = strokes[i];
  let s = list[0];
  if (list.length === 2) { s = t < 0.5 ? list[0] : list[1]; t = t < 0.5 ? 2 * t : 2 * t - 1; }
  const u = 1 - t;
  return [u * u * s[0] + 2 * u * t * s[2] + t * t * s[4], u * u * s[1] + 2 * u * t * s[3] + t * t * s[5]];
}
// last returns how long the stroke is that ends at the receiver, in steps.
const reach = strokes.map((list) => { const s = list[list.length - 1]; return Math.hypot(s[4] - s[0], s[5] - s[1]) * (list.length === 2 ? 2 : 1); });

const net = $('net'), pen = net.getContext('2d');
const view = {k: 40, x: 0, y: 0};
let wide = 1, high = 1, fitted = true;

function fit() {
  const room = 34;
  view.k = Math.min((wide - 2 * room) / (about.layout.width + 1), (high - 2 * room) / (about.layout.height + 1), 120);
  view.k = Math.max(view.k, 0.5);
  view.x = (wide - about.layout.width * view.k) / 2;
  view.y = (high - about.layout.height * view.k) / 2;
  fitted = true;
}
function zoom(factor, px = wide / 2, py = high / 2) {
  const k = Math.max(0.5, Math.min(240, view.k * factor));
  view.x = px - (px - view.x) * k / view.k;
  view.y = py - (py - view.y) * k / view.k;
  view.k = k;
  fitted = false;
  draw();
}
const toX = (v) => view.x + v * view.k, toY = (v) => view.y + v * view.k;
const inside = (px, py, room) => px > -room && py > -room && px < wide + room && py < high + room;

function size(canvas, context) {
  const box = canvas.getBoundingClientRect(), scale = devicePixelRatio || 1;
  const w = Math.max(1, Math.round(box.width * scale)), h = Math.max(1, Math.round(box.height * scale));
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, box.width, box.height);
  return [box.width, box.height];
}

// trace adds a stroke of a link to the path. Straight lines are painted much faster than curves.
function trace(s) {
  pen.moveTo(toX(s[0]), toY(s[1]));
  if (s[6]) pen.quadraticCurveTo(toX(s[2]), toY(s[3]), toX(s[4]), toY(s[5])); else pen.lineTo(toX(s[4]), toY(s[5]));
}

function drawLinks() {
  const levels = Array.from({length: 11}, () => []);
  for (let i = 0; i < links; i++) levels[load[i] > 0 ? Math.min(10, 1 + Math.floor(load[i] * 10)) : 0].push(i);
  const thick = Math.max(0.7, view.k * 0.05);
  levels.forEach((list, level) => {
    if (!list.length) return;
    pen.strokeStyle = pen.fillStyle = level ? ramps[theme][level - 1] : ink.idle;
    pen.lineWidth = thick * (level ? 0.6 + 0.06 * level : 0.45);
    pen.beginPath();
    const heads = [];
    for (const i of list) {
      for (const s of strokes[i]) {
        const px = toX(s[4]), py = toY(s[5]);
        if (!inside(px, py, 3 * view.k) && !inside(toX(s[0]), toY(s[1]), 3 * view.k)) continue;
        trace(s);
        heads.push(s);
      }
    }
    pen.stroke();
    if (view.k < 26) return;
    pen.beginPath();
    for (const s of heads) {
      const far = Math.hypot(s[4] - s[2], s[5] - s[3]) || 1, ux = (s[4] - s[2]) / far, uy = (s[5] - s[3]) / far;
      const long = 0.085, wing = 0.04;
      pen.moveTo(toX(s[4]), toY(s[5]));
      pen.lineTo(toX(s[4] - ux * long - uy * wing), toY(s[5] - uy * long + ux * wing));
      pen.lineTo(toX(s[4] - ux * long + uy * wing), toY(s[5] - uy * long - ux * wing));
    }
    pen.fill();
  });
}

function drawWay() {
  if (!chosenWay.length) return;
  pen.strokeStyle = ink.accent;
  pen.globalAlpha = 0.35;
  pen.lineWidth = Math.max(3, view.k * 0.11);
  pen.lineCap = 'round';
  pen.beginPath();
  for (const hop of chosenWay) for (const s of strokes[hop.link]) {
    trace(s);
  }
  pen.stroke();
  pen.globalAlpha = 1;
  pen.lineCap = 'butt';
}

function drawNodes() {
  const side = 2 * half * view.k, named = side >= 13;
  pen.lineWidth = 1;
  pen.font = `${Math.min(12, Math.max(9, side * 0.34))}px Lato, "Helvetica Neue", Arial, sans-serif`;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  for (const pale of [false, true]) {
    pen.globalAlpha = pale ? 0.4 : 1;
    const seen = [], boxes = new Path2D();
    for (let n = 0; n < nodes; n++) {
      if (hidden(n) !== pale || !inside(toX(x[n]), toY(y[n]), side)) continue;
      seen.push(n);
      box(boxes, n, side);
    }
    pen.fillStyle = side < 4 ? ink.rim : ink.node;
    pen.strokeStyle = ink.rim;
    pen.fill(boxes);
    if (side >= 4) pen.stroke(boxes);
    pen.fillStyle = ink.soft;
    if (named) for (const n of seen) pen.fillText(n, toX(x[n]), toY(y[n]));
  }
  pen.globalAlpha = 1;
  pen.strokeStyle = ink.accent;
  pen.lineWidth = 2;
  const chosen = new Path2D();
  box(chosen, chosenNode, Math.max(4, side));
  pen.stroke(chosen);
  pen.fillStyle = ink.soft;
  pen.textAlign = 'left';
  if (view.k >= 18) for (const c of about.layout.layers) pen.fillText(c.name, toX(c.x - half), toY(c.y - 0.5));
}

// box adds a node's outline to a path.
function box(path, n, side) {
  const left = toX(x[n]) - side / 2, top = toY(y[n]) - side / 2;
  if (side < 13) path.rect(left, top, side, side); else path.roundRect(left, top, side, side, Math.min(4, side / 6));
}

// spots has where flits are on the canvas, to be found by the mouse: x, y, message.
let spots = [];
const queued = new Int32Array(links * about.vcs), registered = new Int32Array(nodes); // flits drawn so far in a buffer, a register
function drawFlits() {
  const order = active.slice(0, count).sort(), radius = Math.max(1.1, Math.min(6, view.k * 0.055));
  const dots = strata(), rims = new Path2D();
  work += count;
  queued.fill(0);
  registered.fill(0);
  spots = [];
  for (const e of order) {
    if (gone(e)) continue;
    const [px, py] = spot(e);
    if (!inside(px, py, 10)) continue;
    const m = message.all[e], dot = dots[stratum(m)];
    spots.push(px, py, m);
    if (radius < 2) { dot.rect(px - radius, py - radius, 2 * radius, 2 * radius); continue; }
    disc(dot, px, py, radius);
    if (flit.all[e] === 0) disc(rims, px, py, radius);
  }
  paintStrata(pen, dots, 0.35, (path) => pen.fill(path));
  pen.strokeStyle = ink.ink;
  pen.lineWidth = 1;
  pen.globalAlpha = chosenMessage >= 0 ? 0.35 : 1;
  pen.stroke(rims);
  pen.globalAlpha = 1;
}
// spot returns where a flit is on the canvas. Flits of a buffer are asked for in the order in which they came.
function spot(e) {
  let point;
  if (what.all[e] === PLACED) {
    const n = where.all[e];
    point = [x[n] - half + 0.06 + 0.1 * registered[n]++, y[n] + half - 0.06];
  } else if (crossing(e, now)) {
    point = along(linkOf(e), Math.min(1, (now - time.all[e] + part) / hopOf(linkOf(e))));
  } else {
    const i = linkOf(e), step = Math.min(0.11, 0.42 / Math.max(4, about.depth));
    point = along(i, Math.max(0.05, 1 - (0.06 + step * queued[where.all[e]]++) / reach[i]));
  }
  return [toX(point[0]), toY(point[1])];
}
function disc(path, px, py, r) {
  path.moveTo(px + r, py);
  path.arc(px, py, r, 0, 7);
}

// What belongs to messages is painted in strata: a path for each hue, and on top one for the chosen message. A path is
// stroked once, so the cost of a picture hardly depends on the number of messages.
const strata = () => Array.from({length: hues.light.length + 1}, () => new Path2D());
const stratum = (m) => (m === chosenMessage ? hues.light.length : m % hues.light.length);
// paintStrata paints the paths; those of other messages are pale while one is chosen.
function paintStrata(pen, paths, pale, paint) {
  paths.forEach((path, i) => {
    const chosen = i === hues.light.length;
    if (chosen && chosenMessage < 0) return;
    pen.strokeStyle = pen.fillStyle = chosen ? hue(chosenMessage) : hues[theme][i];
    pen.globalAlpha = chosenMessage >= 0 && !chosen ? pale : 1;
    paint(path);
  });
  pen.globalAlpha = 1;
}

// drawEnds shows what ends in this tick: deliveries, losses, collisions, deadlocks.
function drawEnds() {
  const ring = half * view.k + Math.min(4, Math.max(1, view.k * 0.08));
  for (let e = bound(now); e < cursor; e++) {
    const w = what.all[e];
    if (w === TAKEN) {
      pen.strokeStyle = hue(message.all[e]);
      pen.lineWidth = Math.max(1, view.k * 0.03);
      pen.strokeRect(toX(x[where.all[e]]) - ring, toY(y[where.all[e]]) - ring, 2 * ring, 2 * ring);
    } else if (w === LOST || w === DROPPED) {
      const [cx, cy] = w === LOST ? [x[where.all[e]] + half, y[where.all[e]] - half] : along(linkOf(e), 0.5);
      cross(toX(cx), toY(cy), Math.max(3, 0.1 * view.k));
    }
  }
  for (const mark of about.marks) {
    if (!happens(mark)) continue;
    pen.strokeStyle = ink.bad;
    pen.lineWidth = 3;
    for (const n of mark.nodes) pen.strokeRect(toX(x[n]) - ring, toY(y[n]) - ring, 2 * ring, 2 * ring);
  }
}
// happens: a deadlock lasts.
const happens = (mark) => mark.tick === now || mark.what === 'deadlock' && now >= mark.tick;

// drawCircles draws the circles of deadlocks, below the nodes.
function drawCircles() {
  pen.strokeStyle = ink.bad;
  pen.lineWidth = 3;
  pen.setLineDash([6, 4]);
  for (const mark of about.marks) {
    if (mark.what !== 'deadlock' || !happens(mark)) continue;
    pen.beginPath();
    for (const n of mark.nodes) pen.lineTo(toX(x[n]), toY(y[n]));
    pen.closePath();
    pen.stroke();
  }
  pen.setLineDash([]);
}
function cross(px, py, r) {
  pen.strokeStyle = ink.bad;
  pen.lineWidth = Math.max(2, view.k * 0.05);
  pen.beginPath();
  pen.moveTo(px - r, py - r); pen.lineTo(px + r, py + r);
  pen.moveTo(px - r, py + r); pen.lineTo(px + r, py - r);
  pen.stroke();
}

// drawFill shows buffers of which only the number of flits is known.
function drawFill() {
  if (!full) return;
  pen.fillStyle = theme === 'dark' ? '#e8793a' : '#c44e00';
  const known = new Map();
  for (let k = 0; k < count; k++) {
    const e = active[k];
    if (what.all[e] === CROSSES && time.all[e] + hopOf(linkOf(e)) <= fullTick) known.set(where.all[e], (known.get(where.all[e]) || 0) + 1);
  }
  for (const [channel, held] of full) {
    if (known.get(channel) === held) continue;
    const i = Math.floor(channel / about.vcs), most = Math.max(1, about.depth);
    const [px, py] = along(i, Math.max(0.5, 1 - 0.07 / reach[i]));
    const r = Math.max(1.2, view.k * (0.03 + 0.06 * Math.min(1, held / most)));
    pen.beginPath();
    pen.arc(toX(px), toY(py), r, 0, 7);
    pen.fill();
  }
}

function drawNet() {
  const before = [wide, high];
  [wide, high] = size(net, pen);
  if (fitted || before[0] === 1) fit();
  readLoad();
  drawLinks();
  drawWay();
  drawCircles();
  drawNodes();
  drawFill();
  drawFlits();
  drawEnds();
}

// ---- Space and time ----

const chart = $('spacetime'), brush = chart.getContext('2d');
let row = [], rowCycle = 10;
const column = new Int32Array(nodes); // place in the row; -1: not there

function rowChoices() {
  const choices = [];
  (about.dims || []).forEach((length, d) => { if (length > 1) choices.push(['axis ' + d, `through the node, along ${'xyz'[d] || 'd' + d}`]); });
  if (about.parents) choices.push(['root', 'from the root to the node']);
  choices.push(['way', 'route of the message']);
  $('row').innerHTML = choices.map(([value, text]) => `<option value="${value}">${text}</option>`).join('');
}
function readRow() {
  const [form, d] = $('row').value.split(' ');
  row = [];
  if (form === 'axis') {
    const axis = Number(d), stride = about.dims.slice(0, axis).reduce((a, b) => a * b, 1), length = about.dims[axis];
    const zero = chosenNode - Math.floor(chosenNode / stride) % length * stride;
    for (let k = 0; k < length; k++) row.push(zero + k * stride);
  } else if (form === 'root') {
    for (let n = chosenNode; n >= 0 && row.length <= nodes; n = about.parents[n] === n ? -1 : about.parents[n]) row.unshift(n);
  } else if (chosenWay.length) {
    row = [about.links.from[chosenWay[0].link], ...chosenWay.map((hop) => about.links.to[hop.link])];
  }
  column.fill(-1);
  row.forEach((n, i) => { column[n] = i; });
}

function drawChart() {
  const [w, h] = size(chart, brush);
  brush.globalAlpha = 1;
  const left = 52, top = 20, gap = (w - left - 16) / Math.max(1, row.length - 1 || 1), tick = rowCycle / about.ticks;
  const shown = (h - top - 4) / tick;
  const from = Math.max(first(), Math.min(now - Math.floor(shown * 0.4), end() - Math.floor(shown)));
  const until = Math.min(end(), from + shown);
  const at = (n) => left + (row.length > 1 ? column[n] * gap : gap / 2), down = (t) => top + (t - from) * tick;
  chart.frame = {from, tick, top};
  brush.font = '11px Lato, "Helvetica Neue", Arial, sans-serif';
  brush.textBaseline = 'middle';
  brush.fillStyle = ink.soft;
  if (!row.length) {
    brush.textAlign = 'left';
    brush.fillText('Choose a message to see its route here.', left, top + 20);
    return;
  }
  brush.textAlign = 'center';
  const every = Math.ceil(row.length * 30 / (w - left));
  brush.strokeStyle = ink.line;
  brush.lineWidth = 1;
  brush.beginPath();
  row.forEach((n, i) => {
    if (i % every === 0) brush.fillText(n, at(n), 9);
    brush.moveTo(at(n), top);
    brush.lineTo(at(n), down(until));
  });
  brush.stroke();
  brush.textAlign = 'right';
  const step = niceStep(18 / rowCycle) * about.ticks;
  for (let t = Math.ceil(from / step) * step; t < until; t += step) brush.fillText(cycles(t), left - 14, down(t));
  brush.fillStyle = ink.accent;
  brush.globalAlpha = 0.14;
  brush.fillRect(left - 8, down(now), w - left, Math.max(2, tick));
  brush.globalAlpha = 1;
  const thin = Math.max(1, Math.min(4, rowCycle * 0.3));
  brush.save();
  brush.beginPath();
  brush.rect(left - 12, top - 4, w - left + 12, h - top + 4);
  brush.clip();
  const lines = {at, down, from, until, gap, thin, flights: strata(), waits: strata(), ends: strata(), losses: new Path2D()};
  for (let i = 0; i < count; i++) if (time.all[active[i]] < from) worldline(active[i], lines);
  const begin = bound(from - about.hop), stop = bound(until);
  for (let e = begin; e < stop; e++) worldline(e, lines);
  work += count + stop - begin;
  paintLines(lines);
  brush.restore();
}
function paintLines(lines) {
  brush.lineWidth = lines.thin;
  paintStrata(brush, lines.flights, 0.25, (path) => brush.stroke(path));
  brush.setLineDash([2, 2]);
  paintStrata(brush, lines.waits, 0.25, (path) => brush.stroke(path));
  brush.setLineDash([]);
  paintStrata(brush, lines.ends, 0.25, (path) => brush.fill(path));
  brush.strokeStyle = ink.bad;
  brush.lineWidth = 2;
  brush.stroke(lines.losses);
}
function niceStep(least) {
  for (let s = 1; ; s *= 10) for (const k of [1, 2, 5]) if (s * k >= least) return s * k;
}
// worldline draws what a flit does from one event to the next, where the row has it.
function worldline(e, lines) {
  const w = what.all[e], t = time.all[e], m = stratum(message.all[e]), {at, down} = lines;
  let stands = t, n = where.all[e];
  if (w === CROSSES || w === DROPPED) {
    n = about.links.to[linkOf(e)];
    stands = t + hopOf(linkOf(e));
    flight(linkOf(e), t, lines, lines.flights[m]);
  }
  if (w === DROPPED || column[n] < 0) return;
  if (w === LOST) return disc(lines.losses, at(n), down(t), 5);
  if (w === TAKEN) return disc(lines.ends[m], at(n), down(t), lines.thin + 0.8);
  const next = after.all[e], leaves = next >= 0 ? time.all[next] : hidden(n) ? stands : lines.until;
  if (leaves <= stands) return;
  lines.waits[m].moveTo(at(n), down(Math.max(lines.from, stands)));
  lines.waits[m].lineTo(at(n), down(Math.min(lines.until, leaves)));
}
// flight draws the route from a to b: a line, or two ends of one where the nodes are not neighbours in the row.
function flight(link, t, {at, down, gap}, path) {
  const a = about.links.from[link], b = about.links.to[link], hop = hopOf(link);
  const from = column[a], to = column[b];
  if (from < 0 || to < 0) return;
  const late = t + hop;
  if (Math.abs(from - to) === 1) {
    path.moveTo(at(a), down(t)); path.lineTo(at(b), down(late));
    return;
  }
  const out = from > to ? 0.35 * gap : -0.35 * gap;
  path.moveTo(at(a), down(t)); path.lineTo(at(a) + out, down(t + hop * 0.4));
  path.moveTo(at(b) - out, down(t + hop * 0.6)); path.lineTo(at(b), down(late));
}

// ---- Panels ----

let chosenNode = 0, chosenMessage = -1, chosenWay = [];

function label(e) { return `m${number.all[message.all[e]]}.${flit.all[e] + 1}`; }

function showCounts() {
  if (!given) $('cycle').textContent = cycles(now);
  let links = 0, buffered = 0, registers = 0;
  for (let i = 0; i < count; i++) {
    const e = active[i];
    if (gone(e)) continue;
    if (what.all[e] === PLACED) registers++; else if (crossing(e, now)) links++; else buffered++;
  }
  const rows = [['crossing links', links], ['in buffers', buffered], ['in injection registers', registers], ['taken so far', taken]];
  if (lost) rows.push(['lost in the run', lost]);
  if (given) rows.length = 0;
  $('counts').innerHTML = rows.map(([name, value]) => `<dt>${name}</dt><dd>${value.toLocaleString('en')}</dd>`).join('');
}

function showNode() {
  const ports = new Map(), register = [];
  for (const e of active.slice(0, count).sort()) {
    if (nodeOf(e) !== chosenNode || crossing(e, now) || gone(e)) continue;
    if (what.all[e] === PLACED) { register.push(e); continue; }
    if (!ports.has(where.all[e])) ports.set(where.all[e], []);
    ports.get(where.all[e]).push(e);
  }
  const slot = (e) => `<span class="slot" style="background:${hue(message.all[e])};border-color:transparent" data-message="${message.all[e]}">${label(e)}</span>`;
  const rows = [];
  for (let i = 0; i < inLinks[chosenNode].length; i++) {
    const l = inLinks[chosenNode][i];
    for (let vc = 0; vc < about.vcs; vc++) {
      const channel = l * about.vcs + vc, held = ports.get(channel) || [];
      const number = full && full.get(channel) || 0;
      let cells = held.map(slot).join('');
      const drawn = Math.min(about.depth, 64);
      for (let k = held.length; k < drawn; k++) cells += `<span class="slot empty"${k < number ? ' style="background:var(--rim)"' : ''}></span>`;
      rows.push(`<div class="port"><span>from ${about.links.from[l]}${about.vcs > 1 ? ' vc ' + vc : ''}</span><span class="slots">${cells || '–'}</span></div>`);
    }
  }
  rows.push(`<div class="port"><span>injection</span><span class="slots">${register.map(slot).join('') || '<span class="slot empty"></span>'}</span></div>`);
  $('buffers').classList.toggle('channels', about.vcs > 1);
  $('buffers').innerHTML = rows.join('');
}
const inLinks = Array.from({length: nodes}, () => []);
for (let i = 0; i < links; i++) inLinks[about.links.to[i]].push(i);

function chooseNode(n) {
  if (!(n >= 0 && n < nodes)) return;
  chosenNode = n;
  $('node').value = n;
  readRow();
  draw();
}

function chooseMessage(m) {
  chosenMessage = m;
  chosenWay = [];
  $('message').value = m >= 0 ? number.all[m] : '';
  if (m < 0) {
    $('way').innerHTML = '<p>Click a flit, or enter a number.</p>';
  } else {
    let arrived;
    [chosenWay, arrived] = wayOf(m);
    const go = (t) => `<button type="button" data-tick="${t}">${cycles(t)}</button>`;
    const rows = chosenWay.map((h) => `<tr><td>${about.links.from[h.link]} → ${about.links.to[h.link]}</td><td>${go(h.head)}</td><td>${go(h.tail)}</td></tr>`);
    $('way').innerHTML = `<p>${about.kinds[kind.all[m]]}, ${length.all[m]} flit${length.all[m] === 1 ? '' : 's'}, from ${source.all[m]} to ${destination.all[m]}` +
      (arrived >= 0 ? `, last taken in cycle ${cycles(arrived)}` : '') + `</p><table><thead><tr><th>link</th><th>first flit</th><th>last flit</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  }
  if ($('row').value === 'way') readRow();
  draw();
}

// wayOf returns the links that a message crosses, with the ticks of its first and last flit, and when its last flit was
// taken; -1: none was. It goes back from the last event of each flit.
function wayOf(m) {
  const hops = new Map();
  let arrived = -1;
  for (let f = 0; f < length.all[m]; f++) {
    for (let e = newest[base.all[m] + f] - 1; e >= 0; e = before.all[e]) {
      const t = time.all[e];
      work++;
      if (what.all[e] === TAKEN) arrived = Math.max(arrived, t);
      if (what.all[e] !== CROSSES) continue;
      const hop = hops.get(linkOf(e));
      if (hop) { hop.head = Math.min(hop.head, t); hop.tail = Math.max(hop.tail, t); } else hops.set(linkOf(e), {link: linkOf(e), head: t, tail: t});
    }
  }
  return [[...hops.values()].sort((a, b) => a.head - b.head), arrived];
}

function showMarks() {
  $('events').hidden = !about.marks.length;
  $('marks').innerHTML = about.marks.map((m, i) => `<li><button type="button" data-mark="${i}">${cycles(m.tick)} · ${m.text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`)}</button></li>`).join('');
}
let mark = -1;
function goMark(i) {
  if (!about.marks.length) return;
  mark = (i + about.marks.length) % about.marks.length;
  const m = about.marks[mark];
  pause();
  seek(m.tick);
  if (m.messages.length && byNumber.has(m.messages[0])) chooseMessage(byNumber.get(m.messages[0]));
  if (m.nodes.length) chooseNode(m.nodes[0]);
  for (const b of $('marks').querySelectorAll('button')) b.setAttribute('aria-current', b.dataset.mark === String(mark));
  $('which').textContent = `${mark + 1} of ${about.marks.length}`;
}

// ---- Time ----

const density = $('density'), comb = density.getContext('2d');
function drawDensity() {
  const [w, h] = size(density, comb), bars = Math.max(1, Math.floor(w / 3)), counts = new Float64Array(bars);
  const span = end() - first();
  for (let e = 0; e < time.length; e++) if (what.all[e] === CROSSES) counts[Math.min(bars - 1, Math.floor((time.all[e] - first()) / span * bars))]++;
  const most = Math.max(1, ...counts);
  comb.fillStyle = ink.rim;
  comb.globalAlpha = 0.55;
  counts.forEach((c, i) => { const tall = c / most * (h - 4); comb.fillRect(i * 3, h - tall, 2, tall); });
  comb.globalAlpha = 1;
  comb.fillStyle = ink.bad;
  for (const m of about.marks) comb.fillRect((m.tick - first()) / span * w - 1, 0, 2, h);
}

let playing = false, lastFrame = 0, head = 0;
function speed() {
  const chosen = Number($('speed').value) * about.ticks;
  return chosen || Math.max(2, (end() - first()) / 20);
}
function frame(at) {
  if (!playing) return;
  head += Math.min(0.2, (at - lastFrame) / 1000) * speed();
  lastFrame = at;
  if (head >= end()) { pause(); return go(end() - 1); }
  const tick = Math.floor(head);
  part = speed() > 20 ? 0.5 : head - tick;
  seek(tick);
  draw();
  requestAnimationFrame(frame);
}
function play() {
  if (now >= end() - 1) seek(first());
  playing = true;
  head = now;
  lastFrame = performance.now();
  $('play').querySelector('path').setAttribute('d', 'M3 2h4v12H3zM9 2h4v12H9z');
  $('play').setAttribute('aria-label', 'Pause');
  requestAnimationFrame(frame);
}
function pause() {
  playing = false;
  part = 0.5;
  $('play').querySelector('path').setAttribute('d', 'M4 2v12l10-6z');
  $('play').setAttribute('aria-label', 'Play');
}
function go(tick) { pause(); seek(tick); draw(); }

let due = false, panelsAt = 0;
window.painted = {pictures: 0, work: 0, ms: 0}; // pictures so far, and the work and time of the last one
function draw() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => { due = false; paint(); });
}
function paint() {
  const started = performance.now();
  drawNet();
  drawChart();
  $('slider').value = now;
  $('slider').setAttribute('aria-valuetext', 'cycle ' + cycles(now));
  if (!playing || started - panelsAt > 120) {
    panelsAt = started;
    showCounts();
    showNode();
  }
  window.painted = {pictures: window.painted.pictures + 1, work, ms: performance.now() - started};
  work = 0;
}

// ---- Mouse and keyboard ----

function pick(px, py) {
  let best = 9 * 9, m = -1;
  for (let i = 0; i < spots.length; i += 3) {
    const far = (spots[i] - px) ** 2 + (spots[i + 1] - py) ** 2;
    if (far < best) { best = far; m = spots[i + 2]; }
  }
  if (m >= 0) return chooseMessage(m);
  best = (half * view.k + 6) ** 2;
  let n = -1;
  for (let i = 0; i < nodes; i++) {
    const far = (toX(x[i]) - px) ** 2 + (toY(y[i]) - py) ** 2;
    if (far < best) { best = far; n = i; }
  }
  if (n >= 0) chooseNode(n); else chooseMessage(-1);
}

let drag = null;
net.addEventListener('pointerdown', (e) => { drag = {x: e.offsetX, y: e.offsetY, far: 0}; net.setPointerCapture(e.pointerId); });
net.addEventListener('pointermove', (e) => {
  if (!drag) return;
  const dx = e.offsetX - drag.x, dy = e.offsetY - drag.y;
  drag.far += Math.abs(dx) + Math.abs(dy);
  if (drag.far < 4) return;
  view.x += dx; view.y += dy;
  drag.x = e.offsetX; drag.y = e.offsetY;
  fitted = false;
  draw();
});
net.addEventListener('pointerup', (e) => { if (drag && drag.far < 4) pick(e.offsetX, e.offsetY); drag = null; });
net.addEventListener('wheel', (e) => { e.preventDefault(); zoom(Math.exp(-e.deltaY * 0.0015), e.offsetX, e.offsetY); }, {passive: false});
chart.addEventListener('click', (e) => { const f = chart.frame; go(Math.floor(f.from + (e.offsetY - f.top) / f.tick)); });
chart.addEventListener('wheel', (e) => { e.preventDefault(); go(now + Math.sign(e.deltaY) * Math.ceil(Math.abs(e.deltaY) / rowCycle / 4)); }, {passive: false});

const on = (id, type, act) => $(id).addEventListener(type, act);
on('in', 'click', () => zoom(1.4));
on('out', 'click', () => zoom(1 / 1.4));
on('fit', 'click', () => { fit(); draw(); });
on('first', 'click', () => go(first()));
on('last', 'click', () => go(end() - 1));
on('back', 'click', () => go(now - 1));
on('next', 'click', () => go(now + 1));
on('play', 'click', () => (playing ? (pause(), draw()) : play()));
on('slider', 'input', () => go(Number($('slider').value)));
on('load', 'change', draw);
on('row', 'change', () => { readRow(); draw(); });
on('stretch', 'input', () => { rowCycle = Number($('stretch').value); draw(); });
on('node', 'change', () => chooseNode(Number($('node').value)));
on('message', 'change', () => {
  const m = byNumber.get(Number($('message').value));
  chooseMessage($('message').value === '' || m === undefined ? -1 : m);
});
on('buffers', 'click', (e) => { if (e.target.dataset.message) chooseMessage(Number(e.target.dataset.message)); });
on('way', 'click', (e) => { if (e.target.dataset.tick) go(Number(e.target.dataset.tick)); });
on('marks', 'click', (e) => { if (e.target.dataset.mark) goMark(Number(e.target.dataset.mark)); });
on('before', 'click', () => goMark(mark - 1));
on('later', 'click', () => goMark(mark + 1));
on('theme', 'click', () => { document.documentElement.dataset.theme = theme === 'dark' ? 'light' : 'dark'; readTheme(); drawDensity(); draw(); });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readTheme(); drawDensity(); draw(); });
addEventListener('resize', () => { drawDensity(); draw(); });
addEventListener('keydown', (e) => {
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== 'range' || e.ctrlKey || e.metaKey || e.altKey) return;
  const step = (e.shiftKey ? 10 : 1) * about.ticks;
  const keysOf = {
    ' ': () => (e.target.tagName === 'BUTTON' ? null : $('play').click()), ArrowRight: () => go(now + step), ArrowLeft: () => go(now - step),
    Home: () => go(first()), End: () => go(end() - 1), '+': () => zoom(1.4), '-': () => zoom(1 / 1.4), 0: () => $('fit').click(),
    n: () => goMark(mark + 1), p: () => goMark(mark - 1), Escape: () => chooseMessage(-1),
  };
  const act = keysOf[e.key];
  if (!act || e.key === ' ' && e.target.tagName === 'BUTTON') return;
  e.preventDefault();
  act();
});

// ---- Begin ----

function texts() {
  $('title').textContent = about.title;
  $('subtitle').textContent = about.subtitle;
  net.setAttribute('aria-label', `${about.topology}: ${nodes} nodes, ${links} links`);
  $('node').max = nodes - 1;
  const keysNote = 'Space plays, ← → step (Shift: by 10), + − 0 zoom, n p next and previous collision, Esc lets a message go.';
  $('note').textContent = about.cut >= 0 ? `The record is full at cycle ${cycles(about.cut)}; --from and --until choose another part of the run.` : keysNote;
}
function ready() {
  if (about.cut >= 0) about.end = Math.min(about.end, about.cut);
  $('slider').min = first();
  $('slider').max = end() - 1;
}
async function begin() {
  readTheme();
  texts();
  rowChoices();
  if (!('DecompressionStream' in window)) { $('note').textContent = 'This browser is too old to unpack the record (expected one of 2023 or later).'; return; }
  await unpack($('record').textContent);
  $('record').textContent = '';
  ready();
  let busiest = 0;
  for (let i = 0; i < links; i++) if (whole[i] > whole[busiest]) busiest = i;
  if (links) chosenNode = about.links.from[busiest];
  showMarks();
  // What the address asks for: #cycle=120&node=5&message=7
  const asked = new URLSearchParams(location.hash.slice(1)), of = (name) => (asked.has(name) ? Number(asked.get(name)) : NaN);
  seek(of('cycle') >= 0 ? Math.round(of('cycle') * about.ticks) : first());
  chooseMessage(byNumber.has(of('message')) ? byNumber.get(of('message')) : -1);
  chooseNode(of('node') >= 0 && of('node') < nodes ? of('node') : chosenNode);
  drawDensity();
  if (about.live) live();
  window.player = {go, seek, chooseMessage, chooseNode, goMark, state: () => ({now, end: end(), count, taken, lost, events: time.length, messages: number.length, nodes, links, chosenMessage, chosenNode, way: chosenWay.length, row: row.length, load: Array.from(load)})};
  document.documentElement.dataset.ready = 'yes';
}

// ---- A run that goes on ----

// Its server knows the loads of links and how many flits each buffer holds. While the run is held, it also sends the
// record of the cycles that the run goes on by.
const token = new URLSearchParams(location.search).get('token') || '';
let recorded = {part: 0, have: 0}, held = true, talking = false;

function live() {
  $('live').hidden = false;
  $('clock').textContent = 'Cycle';
  $('load').innerHTML = '<option value="now">since the last look</option>';
  $('note').textContent = 'P pauses the run and lets it go on, S steps. ' + $('note').textContent;
  given = new Float64Array(links);
  full = new Map();
  on('pause', 'click', () => talk('POST', held ? 'resume' : 'pause'));
  on('once', 'click', () => talk('POST', 'step?by=' + Number($('by').value)));
  on('stop', 'click', () => { if (confirm('Stop the run? It writes no files.')) fetch('stop', {method: 'POST', headers: {Authorization: 'Bearer ' + token}}); });
  addEventListener('keydown', (e) => {
    if (/^(INPUT|SELECT)$/.test(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 's' && held) $('once').click();
    if (e.key === 'P' || e.key === 'Pause') $('pause').click();
  });
  poll();
}

async function poll() {
  const wait = await talk('GET', 'state') ? 400 : -1;
  if (wait > 0) setTimeout(poll, document.hidden ? 2000 : wait);
}

// talk asks the server; it returns false once the run has ended.
async function talk(method, question) {
  if (talking) {
    if (method === 'GET') return true;
    await new Promise((done) => setTimeout(done, 50));
    return talk(method, question);
  }
  talking = true;
  try {
    const mark = question.includes('?') ? '&' : '?';
    const answer = await fetch(`${question}${mark}part=${recorded.part}&have=${recorded.have}`, {method, headers: {Authorization: 'Bearer ' + token}});
    if (!answer.ok) throw new Error(await answer.text());
    const s = await answer.json();
    showState(s);
    return !s.ended;
  } catch (e) {
    ended('The run has ended, or its program does not answer any more.');
    return false;
  } finally {
    talking = false;
  }
}

function ended(text) {
  for (const id of ['pause', 'once', 'stop']) $(id).disabled = true;
  $('note').textContent = text;
  document.documentElement.dataset.ended = 'yes';
}

function showState(s) {
  held = s.paused;
  for (let i = 0; i < links; i++) given[i] = s.load[i] / 1000;
  full = new Map(s.full);
  fullTick = s.tick;
  if (s.part !== recorded.part && (s.paused || s.record)) forget(s.part);
  if (s.record) {
    const bytes = Uint8Array.from(atob(s.record), (c) => c.charCodeAt(0));
    recorded.have += bytes.length;
    add(bytes);
  }
  about.end = Math.max(1, s.tick);
  about.from = time.length ? time.all[0] : Math.max(0, s.tick - 1);
  ready();
  seek(end() - 1);
  $('pause').textContent = s.paused ? 'Go on' : 'Pause';
  $('once').disabled = !s.paused;
  $('progress').max = s.total || 1;
  if (s.total) $('progress').value = s.done; else $('progress').removeAttribute('value');
  const round = (v) => v.toLocaleString('en', {maximumFractionDigits: 1});
  const rows = [['flits taken', s.total ? `${round(s.done)} of ${round(s.total)}` : round(s.done)], ['messages sent', round(s.sent)]];
  if (!s.paused && !s.ended) rows.push(['cycles a second', round(s.rate)]);
  if (s.left >= 0 && !s.ended) rows.push(['time left', s.left < 90 ? round(s.left) + ' s' : round(s.left / 60) + ' min']);
  $('state').innerHTML = rows.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('');
  for (const [id, list] of [['fullest', s.fullest], ['hottest', s.hottest]]) {
    $(id).innerHTML = list.map((line) => '<li>' + line.split('\t').map((part) => `<span>${part}</span>`).join('') + '</li>').join('') || '<li><span>none</span></li>';
  }
  window.live = s;
  if (s.ended) ended('The run has ended.');
  drawDensity();
  draw();
  $('cycle').textContent = cycles(s.tick);
}

// forget drops the record of an earlier pause.
function forget(part) {
  recorded = {part, have: 0};
  for (const c of [time, what, where, message, flit, before, after, number, source, destination, length, kind, base]) c.length = 0;
  newest.fill(0);
  whole.fill(0);
  byNumber.clear();
  keys.length = 0;
  [flits, lastTick, lost, cursor, count, taken, past.cursor] = [0, 0, 0, 0, 0, 0, 0];
  past.load.fill(0);
  chooseMessage(-1);
}

begin();
})();
