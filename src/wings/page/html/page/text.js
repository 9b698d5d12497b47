// Quantities as the command prints them.

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

function duration(ps) {
  if (ps < 0) return "-" + duration(-ps);
  if (ps < 1000) return ps + " ps";
  const units = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
  for (const [name, step] of units) {
    const thousandths = Math.floor(ps / step + 0.5);
    if (thousandths < (name === "s" ? 60000 : 1000000))
      return Math.floor(thousandths / 1000) + "." + String(thousandths % 1000).padStart(3, "0") + " " + name;
  }
  const ms = Math.floor(ps / 1e9 + 0.5);
  if (ms < 3600000)
    return Math.floor(ms / 60000) + " min " + String(Math.floor(ms / 1000) % 60).padStart(2, "0") + "." +
           String(ms % 1000).padStart(3, "0") + " s";
  const minutes = Math.floor(ms / 60000 + 0.5);
  return grouped(Math.floor(minutes / 60)) + " h " + String(minutes % 60).padStart(2, "0") + " min";
}

function share(part, whole) {
  if (!(whole > 0) || part < 0) return "";
  const tenths = Math.floor(part * 1000 / whole + 0.5);
  return part > 0 && tenths === 0 ? "<0.1 %" : Math.floor(tenths / 10) + "." + tenths % 10 + " %";
}

function bytes(n) {
  if (n < 1024) return n + " B";
  const names = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let i = 0, size = n / 1024;
  while (Math.floor(size * 10 + 0.5) >= 10240 && i + 1 < names.length) { size /= 1024; ++i; }
  return (Math.floor(size * 10 + 0.5) / 10).toFixed(1) + " " + names[i];
}

// Three significant digits and a prefix: "918 T".
function si(value) {
  if (!(value > 0)) return "";
  const prefixes = ["", "k", "M", "G", "T", "P", "E"];
  let i = 0;
  while (value >= 999.5 && i + 1 < prefixes.length) { value /= 1000; ++i; }
  const decimals = value >= 99.95 || (i === 0 && value === Math.floor(value)) ? 0 : value >= 9.995 ? 1 : 2;
  return value.toFixed(decimals) + " " + prefixes[i];
}

const spaced = (name) => name.replace(/_/g, " ");
const plural = (n, one, many) => grouped(n) + " " + (n === 1 ? one : many || one + "s");
const leftOut = (n, one) => plural(n, "more " + one, "more " + one + "s") + (n === 1 ? " is" : " are") + " left out.";

// The middle goes: names of kernels differ at both ends.
function shortened(text, most) {
  if (text.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return text.slice(0, most - 1 - end) + "…" + text.slice(text.length - end);
}

function date(unixNs) {
  const when = new Date(Number(BigInt(unixNs) / 1000000n));
  return when.toISOString().slice(0, 19).replace("T", " ") + " UTC";
}
