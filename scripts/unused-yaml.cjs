// Stands in the bundle for the YAML parser that gray-matter brings: it is always given ours (core/document/front-matter.ts).
function refuse() {
  throw new Error("gray-matter's own YAML parser is not part of this build");
}

module.exports = { safeLoad: refuse, safeDump: refuse };
