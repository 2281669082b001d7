// The files of a spool, each step one that a crash leaves whole: requests taken, read and answered, old answers removed.
import { access, constants, mkdir, open, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BRIDGE_FILES, type BridgeAnswer, keyOfRequest, MAX_REQUEST_BYTES } from '../../remote/wire.ts';

/** An answer, and since when it lies there. */
export interface AnswerFile {
  name: string;
  atMs: number;
}

/** An answer that nobody fetched for so long is of no use any more. */
const KEEP_ANSWERS_MS = 120_000;

/** Takes requests up in their order; what is no request is passed over. */
export async function takeRequests(
  dir: string,
  source: string,
  most: number,
  closed: AbortSignal,
): Promise<string[]> {
  const names: string[] = [];
  if (most <= 0) return names;
  for (const name of (await requestsIn(join(dir, source))).slice(0, most)) {
    if (closed.aborted) break;
    await mkdir(join(dir, BRIDGE_FILES.taken), { recursive: true, mode: 0o700 });
    // A request that its caller withdrew at this moment is nobody's any more.
    const taken = await rename(join(dir, source, name), join(dir, BRIDGE_FILES.taken, name)).then(
      () => true,
      (error: unknown) => void unlessAbsent(error),
    );
    if (taken) names.push(name);
  }
  return names;
}

/** Regular files that are named like requests, in order. */
export async function requestsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    unlessAbsent(error);
    return [];
  });
  return entries
    .filter((entry) => entry.isFile() && keyOfRequest(entry.name) !== null)
    .map(({ name }) => name)
    .sort();
}

/** Links are not followed, and nothing that is not a file is waited for. */
export async function readRequest(path: string): Promise<string | 'too large' | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EMLINK'].includes(error.code ?? '')) return null;
    throw error;
  });
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    return size > MAX_REQUEST_BYTES ? 'too large' : await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

export async function writeAnswer(dir: string, path: string, answer: BridgeAnswer): Promise<void> {
  const folder = join(dir, BRIDGE_FILES.answers);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fresh = join(folder, `.${answer.key.slice(0, 40)}`);
  await writeFile(fresh, JSON.stringify(answer), { mode: 0o600 });
  await rename(fresh, path);
}

export async function forgetOld(dir: string, answered: AnswerFile[], nowMs: number): Promise<void> {
  while (answered[0] !== undefined && answered[0].atMs < nowMs - KEEP_ANSWERS_MS) {
    const { name } = answered.shift()!;
    await unlink(join(dir, BRIDGE_FILES.answers, name)).catch(unlessAbsent);
  }
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

export function unlessAbsent(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  return undefined;
}
