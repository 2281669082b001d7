// One document of artifacts/ from disk: found by a word for it, read at rest.

import { removeKey, setKey } from '../../core/document/document.ts';
import { suggest } from '../../core/document/suggest.ts';
import { isRoomError, type Problem, RoomError } from '../../core/errors.ts';
import { type Artifact, type ArtifactReading, isPlan, readArtifact } from '../../core/task/artifact.ts';
import { readTask } from '../../core/task/read-task.ts';
import { artifactNameOf } from '../../core/task/task-name.ts';
import { ARTIFACTS, scanArtifacts } from '../../store/files/artifacts.ts';
import type { FileStamp } from '../../store/ledger/tasks/files.ts';
import { readStable } from '../../store/write/stable-read.ts';
import { announce } from '../observe/refresh.ts';
import { findByRef } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { TaskRoom } from '../task-room.ts';

export interface ArtifactFile {
  stamp: FileStamp;
  /** '' where the bytes are no text. */
  text: string;
  /** Our own writer wrote it. */
  isOwn: boolean;
  reading: ArtifactReading;
}

export function pathOfArtifact(name: string): string {
  return `${ARTIFACTS}/${name}.md`;
}

/** @returns null when nothing is there, `unstable` when it kept changing. @throws RoomError `io` */
export async function readArtifactFile(
  deps: TaskRoom,
  name: string,
): Promise<ArtifactFile | null | 'unstable'> {
  const path = pathOfArtifact(name);
  const isOurs = (hash: string) => deps.writer.isOurs(path, hash);
  const read = await readStable(deps.room.at(path), { effects: deps.effects, isOurs, shownAs: path });
  if (read === null) return null;
  if (read.unstable) return 'unstable';
  const isOwn = isOurs(read.hash);
  if (!read.ok) return { stamp: read.stat, text: '', isOwn, reading: { ok: false, problems: read.problems } };
  return { stamp: read.stat, text: read.text, isOwn, reading: readArtifact(path, read.text) };
}

/**
 * The plan that a word means.
 * @throws RoomError `not_found`, `invalid_file`, `conflict` while it is being written, `bad_input` for another document
 */
export async function findPlan(deps: TaskRoom, word: string): Promise<{ artifact: Artifact; text: string }> {
  const name = nameOfWord(deps, word);
  const file = await readArtifactFile(deps, name);
  if (file === null) throw new RoomError('not_found', `${pathOfArtifact(name)} is gone`);
  if (file === 'unstable')
    throw new RoomError('conflict', `${pathOfArtifact(name)} keeps changing`, { retryAfterMs: 2_000 });
  if (!file.reading.ok) throw invalid(name, file.reading.problems);
  const { artifact } = file.reading;
  if (!isPlan(artifact))
    throw new RoomError('bad_input', `${artifact.path} is no plan`, {
      hint: 'a plan says type: plan in its front matter',
    });
  return { artifact, text: file.text };
}

function invalid(name: string, problems: Problem[]): RoomError {
  return new RoomError('invalid_file', `${pathOfArtifact(name)} can't be read`, {
    problems,
    hint: 'mend the file in an editor, then try again',
  });
}

/** @throws RoomError `not_found` with the nearest name */
function nameOfWord({ room }: TaskRoom, word: string): string {
  const { names } = scanArtifacts(room, new Map());
  const wanted = artifactNameOf(word);
  const folded = wanted.toLowerCase();
  const alike = names.filter((name) => name.toLowerCase() === folded);
  const found = names.find((name) => name === wanted) ?? (alike.length === 1 ? alike[0] : undefined);
  if (found !== undefined) return found;
  const near = suggest(wanted, names);
  throw new RoomError('not_found', `no plan ${JSON.stringify(word)}`, {
    hint: near === null ? 'see: taskroom plan' : `did you mean ${JSON.stringify(near)}?`,
  });
}

// The key by which tasks name the document they come from, as documents are renamed and deleted.

const RUNTIME = { kind: 'runtime' } as const;

/**
 * Makes every task that names the document `from` name `to`, or none where that is null.
 * @returns how many tasks were changed
 * @throws RoomError `io`, `locked`; what was changed before stays
 */
export async function renameArtifact(handle: RoomHandle, from: string, to: string | null): Promise<number> {
  const { deps } = handle;
  let count = 0;
  for (const { path, reading } of deps.ledger.files.naming('artifact')) {
    if (!reading.ok || !names(reading.task.artifact, from)) continue;
    try {
      const edit = (text: string): string => {
        const now = readTask(path, text);
        if (!now.ok || !names(now.task.artifact, from)) return text;
        return to === null ? removeKey(text, 'artifact', path) : setKey(text, 'artifact', to, path);
      };
      const { changed } = await deps.writer.edit(path, { actor: 'runtime', task: reading.task.id, edit });
      if (!changed) continue;
      count += 1;
      await announce(handle, path, RUNTIME);
    } catch (error) {
      // Gone or broken meanwhile: it names nothing that could be mended.
      if (!isRoomError(error, 'not_found') && !isRoomError(error, 'invalid_file')) throw error;
    }
  }
  return count;
}

function names(written: string | null, name: string): boolean {
  return written !== null && artifactNameOf(written) === name;
}

// Plans as people and agents are shown them. Reads the files and writes nothing.

/** Every plan, in the order of their names. @throws RoomError `io` */
export async function listPlans({ deps }: RoomHandle) {
  const plans: ReturnType<typeof viewOf>[] = [];
  const invalid: { path: string; problems: Problem[] }[] = [];
  for (const name of scanArtifacts(deps.room, new Map()).names) {
    const file = await readArtifactFile(deps, name);
    if (file === null || file === 'unstable') continue;
    if (!file.reading.ok) invalid.push({ path: pathOfArtifact(name), problems: file.reading.problems });
    else if (isPlan(file.reading.artifact)) plans.push(viewOf(deps, file.reading.artifact));
  }
  return { plans, invalid };
}

/** @throws RoomError as `findPlan` */
export async function showPlan({ deps }: RoomHandle, word: string) {
  const { artifact, text } = await findPlan(deps, word);
  const step_list = artifact.steps.map((step) => ({ ...step, status: statusOf(deps, step.task) }));
  return { ...viewOf(deps, artifact), step_list, text };
}

function viewOf(deps: TaskRoom, artifact: Artifact) {
  const { name, title, path, stage, owner, sprint, scope, createdBy, steps } = artifact;
  const linked = steps.filter(({ task }) => task !== null);
  const done = linked.filter(({ task }) => statusOf(deps, task) === 'done').length;
  const problem = deps.ledger.artifacts.get(name)?.problem ?? null;
  const counts = { steps: steps.length, tasks: { done, total: linked.length } };
  return { name, title, path, stage, owner, sprint, scope, created_by: createdBy, ...counts, problem };
}

function statusOf({ ledger }: TaskRoom, task: string | null) {
  return task === null ? null : (findByRef(ledger, task)?.status ?? null);
}
