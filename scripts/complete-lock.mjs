// Adds to package-lock.json the packages of other platforms that npm left out because the registry in use did not
// have them. Without them `npm ci` refuses the lock, on every platform. Run after `npm install` when
// test/scripts/lockfile.test.ts asks for it. The added entries have no checksum; npm adds it where it can see one.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
  'wasm32',
];

/** `@oxc-parser/binding-linux-arm64-musl` → what npm needs to know to leave it out elsewhere; null for other names. */
export function platformOf(name) {
  if (name === 'fsevents') return { os: ['darwin'] };
  const said = name.slice(name.indexOf('/') + 1).replace('windows', 'win32');
  const words = said.split('-');
  const os = words.find((word) => SYSTEMS.includes(word));
  const cpu = words.find((word) => PROCESSORS.includes(word));
  if (cpu === 'wasm32') return { cpu: [cpu] };
  if (os === undefined || cpu === undefined) return null;
  const libc = words.includes('musl') ? 'musl' : words.includes('gnu') ? 'glibc' : null;
  return { os: [os], cpu: [cpu], ...(libc === null ? {} : { libc: [libc] }) };
}

/** Every optional dependency that the lock names and does not hold: `[{place, name, range, wantedBy}]`. */
export function missingOptionals(packages) {
  return Object.entries(packages).flatMap(([wantedBy, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !isFound(packages, wantedBy, name))
      .map(([name, range]) => ({ place: `node_modules/${name}`, name, range, wantedBy })),
  );
}

/** Node's own way of looking: in the package's node_modules, then in each one above it. */
function isFound(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (packages[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`]) return true;
    if (at === '') return false;
  }
}

function complete(root) {
  const file = path.join(root, 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  for (const { place, name, range, wantedBy } of missingOptionals(lock.packages)) {
    const platform = platformOf(name);
    if (platform === null)
      throw new Error(`${name} (wanted by ${wantedBy}) is not for another platform by its name`);
    const version = range.replace(/^[~^]/, '');
    lock.packages[place] = { version, dev: lock.packages[wantedBy].dev, ...platform, optional: true };
    console.log(`added ${name} ${version}`);
  }
  const places = Object.keys(lock.packages).sort((a, b) => a.localeCompare(b, 'en'));
  lock.packages = Object.fromEntries(places.map((place) => [place, lock.packages[place]]));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  complete(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
}
