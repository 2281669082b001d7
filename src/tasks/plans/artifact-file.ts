// The documents of artifacts/: found by a word, read at rest, shown as plans; and the key by which tasks name them.
import { removeKey, setKey } from '../../core/document/document.ts';
import { suggest } from '../../core/document/suggest.ts';
import { isRoomError, type Problem, RoomError } from '../../core/errors.ts';
import { type Artifact, isPlan, readArtifact } from '../../core/task/artifact.ts';
import { artifactNameOf } from '../../core/task/names.ts';
import { readTask } from '../../core/task/read-task.ts';
import { ARTIFACTS, scanArtifacts } from '../../store/files/scan.ts';
import { readAtRest } from '../observe/read-file-row.ts';
import { announce } from '../observe/refresh.ts';
import { findByRef } from '../references.ts';
import type { RoomHandle, TaskRoom } from '../task-room.ts';

export type ArtifactFile = Exclude<Awaited<ReturnType<typeof readArtifactFile>>, null | 'unstable'>;

export const pathOfArtifact = (name: string): string => `${ARTIFACTS}/${name}.md`;

/** Null when nothing is there, `unstable` when it kept changing; `text` is '' where the bytes are no text. @throws RoomError `io` */
export async function readArtifactFile(deps: TaskRoom, name: string) {
  const path = pathOfArtifact(name);
  const read = await readAtRest(deps, path);
  if (read === null) return null;
  if (read.unstable) return 'unstable';
  const { stat: stamp } = read;
  if (!read.ok) return { stamp, text: '', reading: { ok: false as const, problems: read.problems } };
  return { stamp, text: read.text, reading: readArtifact(path, read.text) };
}

/** @throws RoomError `not_found`, `invalid_file`, `conflict` while it is being written, `bad_input` for another document */
export async function findPlan(deps: TaskRoom, word: string): Promise<{ artifact: Artifact; text: string }> {
  const name = nameOfWord(deps, word);
  const path = pathOfArtifact(name);
  const file = await readArtifactFile(deps, name);
  if (file === null) throw new RoomError('not_found', `${path} is gone`);
  if (file === 'unstable') throw new RoomError('conflict', `${path} keeps changing`, { retryAfterMs: 2_000 });
  if (!file.reading.ok) {
    const { problems } = file.reading;
    const hint = 'mend the file in an editor, then try again';
    throw new RoomError('invalid_file', `${path} can't be read`, { problems, hint });
  }
  const { artifact } = file.reading;
  if (!isPlan(artifact))
    throw new RoomError('bad_input', `${artifact.path} is no plan`, {
      hint: 'a plan says type: plan in its front matter',
    });
  return { artifact, text: file.text };
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
  const hint = near === null ? 'see: taskroom plan' : `did you mean ${JSON.stringify(near)}?`;
  throw new RoomError('not_found', `no plan ${JSON.stringify(word)}`, hint);
}

/** Makes tasks that name the document `from` name `to`, or none where null; returns how many. @throws RoomError `io`, `locked` */
export async function renameArtifact(deps: RoomHandle, from: string, to: string | null): Promise<number> {
  let count = 0;
  for (const { path, reading } of deps.ledger.files.naming('artifact')) {
    if (!reading.ok || !names(reading.task.artifact, from)) continue;
    try {
      const edit = (text: string): string => {
        const now = readTask(path, text, null);
        if (!now.ok || !names(now.task.artifact, from)) return text;
        return to === null ? removeKey(text, 'artifact', path) : setKey(text, 'artifact', to, path);
      };
      const { changed } = await deps.writer.edit(path, { actor: 'runtime', task: reading.task.id, edit });
      if (!changed) continue;
      count += 1;
      await announce(deps, path, { kind: 'runtime' });
    } catch (error) {
      // Gone or broken meanwhile: it names nothing that could be mended.
      if (!isRoomError(error) || !['not_found', 'invalid_file'].includes(error.code)) throw error;
    }
  }
  return count;
}

const names = (written: string | null, name: string): boolean =>
  written !== null && artifactNameOf(written) === name;

/** Every plan, in the order of their names. @throws RoomError `io` */
export async function listPlans(deps: RoomHandle) {
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
export async function showPlan(deps: RoomHandle, word: string) {
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

const statusOf = ({ ledger }: TaskRoom, task: string | null) =>
  task === null ? null : (findByRef(ledger, task)?.status ?? null);
