// Runs before every test file: a process warning, or a handle that a test file leaves open, fails the run.
import { createHook } from 'node:async_hooks';
import { afterAll } from 'vitest';
import { removeTempFolders } from './temp-folder.ts';

/** Handles that a person's process would hang on. Promises and file requests end by themselves. */
const KINDS = new Set([
  ...['FSEVENTWRAP', 'MESSAGEPORT', 'PIPESERVERWRAP', 'PIPEWRAP', 'PROCESSWRAP', 'STATWATCHER'],
  ...['TCPSERVERWRAP', 'TCPWRAP', 'TTYWRAP', 'Timeout', 'UDPWRAP', 'WORKER'],
]);
/** Closing is asynchronous: a handle may go on this long after its test. */
const GRACE_MS = Number(process.env.STRICT_GRACE_MS ?? 2_000);

type Handle = { kind: string; stack: string; resource: WeakRef<{ hasRef?: () => boolean }> };

const handles = new Map<number, Handle>();
const warnings: Error[] = [];
let isOver = false;

// The test runner has timers and pipes of its own; a test's have a frame of the project, or none of the runner's.
function isTheRunners(stack: string): boolean {
  const frames = stack
    .split('\n')
    .filter((line) => line.includes('/') && !line.includes('strict-process.ts'));
  if (frames.some((line) => !line.includes('node_modules') && !line.includes('node:'))) return false;
  return frames.some((line) => line.includes('/vitest/') || line.includes('/@vitest/'));
}

function stackHere(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  try {
    return new Error('opened').stack ?? '';
  } finally {
    Error.stackTraceLimit = limit;
  }
}

// Watching promises too would slow every test down; Nodes that can't leave them out just do more work.
const options = { trackPromises: false };
createHook({
  ...options,
  init(id, kind, _trigger, resource) {
    if (KINDS.has(kind)) handles.set(id, { kind, stack: stackHere(), resource: new WeakRef(resource) });
  },
  destroy: (id) => handles.delete(id),
}).enable();

function leaked(): Handle[] {
  return [...handles.values()].filter(({ resource, stack }) => {
    const handle = resource.deref();
    // Without hasRef it keeps the process as long as it exists; unreferenced or collected, it does not.
    return handle !== undefined && (handle.hasRef?.() ?? true) && !isTheRunners(stack);
  });
}

function describeHandle({ kind, stack }: Handle): string {
  const frames = stack
    .split('\n')
    .filter((line) => line.includes('/') && !line.includes('strict-process.ts'));
  const own = frames.find((line) => !line.includes('node_modules') && !line.includes('node:'));
  return `${kind}, opened${own ?? frames[0] ?? ' at an unknown place'}`;
}

afterAll(async () => {
  // What the last test set going may open its handle on the next turn of the loop only.
  await new Promise((resolve) => setImmediate(resolve));
  const giveUpAt = performance.now() + GRACE_MS;
  while (leaked().length > 0 && performance.now() < giveUpAt)
    await new Promise((resolve) => setTimeout(resolve, 10).unref());
  const left = leaked();
  handles.clear();
  isOver = true;
  const faults = warnings.map((warning) => `process warning: ${warning.stack ?? warning.message}`);
  if (left.length > 0) faults.push(`left open by this file:\n${left.map(describeHandle).join('\n')}`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
});

process.on('warning', (warning) => {
  // Node 22 says this of node:sqlite, once a process, whatever is done with it.
  if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('SQLite')) return;
  warnings.push(warning);
  // Thrown here it is an unhandled error of the run: no test is left to carry it.
  if (isOver) throw warning;
});

afterAll(removeTempFolders);
