// The files of a spool, each step one that a crash leaves whole: requests taken, read and answered, old answers removed.
// All of them small and local: done at once they cost less than a way through Node's pool of threads.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  answerName,
  BRIDGE_FILES,
  type BridgeAnswer,
  keyOfRequest,
  MAX_REQUEST_BYTES,
} from '../../remote/wire.ts';

/** What is to be carried out, in order: first what was taken before, also by a runtime that ended at that moment. */
export function findWork(dir: string, source: string, most: number): string[] {
  return [...requestsIn(join(dir, BRIDGE_FILES.taken)), ...takeRequests(dir, source, most)];
}

/** Takes requests up in their order; what is no request is passed over. */
function takeRequests(dir: string, source: string, most: number): string[] {
  const waiting = most <= 0 ? [] : requestsIn(join(dir, source)).slice(0, most);
  if (waiting.length === 0) return waiting;
  const taken = join(dir, BRIDGE_FILES.taken);
  mkdirSync(taken, { recursive: true, mode: 0o700 });
  // A request that its caller withdrew at this moment is nobody's any more.
  return waiting.filter((name) => !isAbsent(() => renameSync(join(dir, source, name), join(taken, name))));
}

/** Regular files that are named like requests, in order. */
function requestsIn(folder: string): string[] {
  const names: string[] = [];
  isAbsent(() => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isFile() && keyOfRequest(entry.name) !== null) names.push(entry.name);
  });
  return names.sort();
}

/** Lets nothing more in: one rename decides for every request whether it came in time. */
export function cutOff(dir: string, source: string, closing: string): void {
  isAbsent(() => renameSync(join(dir, source), join(dir, closing)));
}

/** Links are not followed, and nothing that is not a file is waited for; null for what is none. */
export function readRequest(dir: string, name: string): string | 'too large' | null {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let file: number;
  try {
    file = openSync(join(dir, BRIDGE_FILES.taken, name), flags);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return null;
    throw error;
  }
  try {
    return fstatSync(file).size > MAX_REQUEST_BYTES ? 'too large' : readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

export function hasAnswer(dir: string, key: string): boolean {
  return existsSync(join(dir, BRIDGE_FILES.answers, answerName(key)));
}

export function writeAnswer(dir: string, key: string, answer: BridgeAnswer): void {
  const folder = join(dir, BRIDGE_FILES.answers);
  const fresh = join(folder, `.${key}`);
  const write = (): void => writeFileSync(fresh, JSON.stringify(answer), { mode: 0o600 });
  if (isAbsent(write)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    write();
  }
  renameSync(fresh, join(folder, answerName(key)));
}

export function removeAnswer(dir: string, key: string): void {
  isAbsent(() => unlinkSync(join(dir, BRIDGE_FILES.answers, answerName(key))));
}

export function removeRequest(dir: string, name: string): void {
  isAbsent(() => unlinkSync(join(dir, BRIDGE_FILES.taken, name)));
}

/** True when what `act` is about is not there. */
function isAbsent(act: () => void): boolean {
  try {
    act();
    return false;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return true;
    throw error;
  }
}
