// Loaded into the daemon by `--import`. SIGUSR2 begins a count of the functions that run and of the files that are opened; the next
// process that the daemon starts ends the count, which is then written to TASKROOM_PROBE.
import child from 'node:child_process';
import fs from 'node:fs';
import { Session } from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import type { Counted } from './coverage.ts';

interface Coverage {
  result: {
    url: string;
    functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
  }[];
}

// biome-ignore lint/suspicious/noExplicitAny: any function of Node is replaced by one that counts
type AnyFunction = (...values: any[]) => any;
type Members = Record<string, AnyFunction>;

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

let opened: string[] | null = null;

replace(child as unknown as Members, 'spawn', finish);
for (const name of ['open', 'openSync', 'readFile', 'readFileSync'])
  replace(fs as unknown as Members, name, note);
for (const name of ['open', 'readFile']) replace(fs.promises as unknown as Members, name, note);
syncBuiltinESMExports();
process.on('SIGUSR2', () => {
  take();
  opened = [];
  fs.writeFileSync(`${process.env.TASKROOM_PROBE}.ready`, '');
});

/** Calls `before` with what the function is called with. */
function replace(owner: Members, name: string, before: (first: unknown) => void): void {
  const original = owner[name]!;
  owner[name] = function (this: unknown, ...values) {
    before(values[0]);
    return original.apply(this, values);
  };
}

function note(path: unknown): void {
  if (typeof path === 'string') opened?.push(path);
}

function finish(): void {
  if (opened === null) return;
  const counted: Counted = { functions: take(), opened };
  opened = null;
  fs.writeFileSync(`${process.env.TASKROOM_PROBE}.new`, JSON.stringify(counted));
  fs.renameSync(`${process.env.TASKROOM_PROBE}.new`, process.env.TASKROOM_PROBE!);
}

/** What ran of our own program since the last call. */
function take(): Counted['functions'] {
  let found: Counted['functions'] = [];
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error !== null) throw error;
    found = (coverage as unknown as Coverage).result
      .filter(({ url }) => url.includes('/dist/'))
      .flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges }) => ranges[0]!.count > 0 && ranges[0]!.startOffset > 0)
          .map(({ functionName, ranges }) => ({ url, name: functionName, at: ranges[0]!.startOffset })),
      );
  });
  return found;
}
