// The Node versions that `engines.node` allows, and where another Node may be. An old Node reads this file, so it keeps to the
// language of 2019: no `?.`, no `??`, no top-level await.
type Version = readonly [number, number, number];

function parseVersion(text: string): Version | null {
  const found = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text.trim());
  return found === null ? null : [Number(found[1]), Number(found[2] || 0), Number(found[3] || 0)];
}

function isAtLeast(version: Version, least: Version): boolean {
  for (let at = 0; at < 3; at += 1) {
    if (version[at] !== least[at]) return Number(version[at]) > Number(least[at]);
  }
  return true;
}

/** Understands what this package's `engines` uses: `||`, `^x.y.z`, `>=x.y.z` and exact versions. A prerelease never fits. */
export function fitsRange(version: string, range: string): boolean {
  const wanted = parseVersion(version);
  if (wanted === null || version.indexOf('-') >= 0) return false;
  return range.split('||').some((part) => {
    const found = /^(\^|>=)?\s*(\d[\d.]*)$/.exec(part.trim());
    const least = found === null ? null : parseVersion(String(found[2]));
    if (found === null || least === null) return false;
    if (found[1] === '>=') return isAtLeast(wanted, least);
    if (found[1] === '^') return wanted[0] === least[0] && isAtLeast(wanted, least);
    return isAtLeast(wanted, least) && isAtLeast(least, wanted);
  });
}

/** Paths where a Node may be: the `node` package in every `node_modules` from `folder` upward, then the folders of PATH. */
export function nodePlaces(
  folder: string,
  pathVariable: string,
  windows: boolean,
  join: (...parts: string[]) => string,
): string[] {
  const program = windows ? 'node.exe' : 'node';
  const places: string[] = [];
  for (let at = folder; ; at = join(at, '..')) {
    places.push(join(at, 'node_modules', 'node', 'bin', program));
    if (join(at, '..') === at) break;
  }
  for (const entry of pathVariable.split(windows ? ';' : ':')) {
    if (entry !== '') places.push(join(entry, program));
  }
  return places.filter((place, index) => places.indexOf(place) === index);
}
